"""Who asks: a database role, a user that a trusted service names, or a signed token.

    prepare_tokens(root)                       # a key that sign() signs with
    with asking(connection, identity) as token:
        connection.execute("... rag.search('valve', token => %s)", [token])

The connection's login takes the identity's role within a transaction, as a pool's does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import jwt
import psycopg

Connection = psycopg.Connection[Any]
Way = Literal["role", "service", "setting", "set_identity", "argument"]

KID = "tests"
SECRET = "a secret of the tests that is long enough"
TOKEN_WAYS: tuple[Way, ...] = ("setting", "set_identity", "argument")
NOBODY = "select set_config('role', 'none', true), " + ", ".join(
    f"set_config('rag.{name}', '', true)"
    for name in ("token", "user", "groups", "tenant", "clearance")
)
_BECOME = (
    "select set_config('role', %s, true), set_config('rag.token', %s, true),"
    " set_config('rag.user', %s, true), set_config('rag.groups', %s, true),"
    " set_config('rag.tenant', %s, true), set_config('rag.clearance', %s, true)"
)


@dataclass(frozen=True)
class Identity:
    """way: how the server is told. role: of the session. as_role: what the token says of a role.

    tenant and clearance are what rag.configure_role says, where the way is `role`.
    """

    way: Way
    role: str
    user: str | None = None
    groups: tuple[str, ...] = ()
    tenant: str = ""
    clearance: int = 0
    as_role: str | None = None

    def token(self) -> str | None:
        """The signed token of the identity, where that is how it is told."""
        if self.way not in TOKEN_WAYS:
            return None
        claims: dict[str, Any] = {
            "sub": self.user,
            "groups": list(self.groups),
            "clearance": self.clearance,
        }
        if self.tenant:
            claims["tenant"] = self.tenant
        if self.as_role is not None:
            claims["role"] = self.as_role
        return sign(claims)


def sign(claims: dict[str, Any], key: str = SECRET, kid: str = KID, lasts: int = 3600) -> str:
    """A token of these claims; it expires after so many seconds where they do not say when."""
    expiring = {"exp": int(time.time()) + lasts} | claims
    return jwt.encode(expiring, key, algorithm="HS256", headers={"kid": kid})


def prepare_tokens(root: Connection, kid: str = KID, secret: str = SECRET) -> None:
    """Lets a database verify what sign() signs."""
    root.execute("select rag.add_identity_key(%s, 'HS256', %s)", [kid, secret])


def become(connection: Connection, identity: Identity) -> str | None:
    """Makes what follows in the open transaction be asked by the identity.

    Returns the token that has to be given to each call, where that is its way.
    """
    token = identity.token()
    is_service = identity.way == "service"
    connection.execute(
        _BECOME,
        [
            identity.role,
            (token if identity.way == "setting" else None) or "",
            (identity.user if is_service else None) or "",
            ",".join(identity.groups) if is_service else "",
            identity.tenant if is_service else "",
            str(identity.clearance) if is_service else "",
        ],
    )
    if identity.way == "set_identity":
        connection.execute("select rag.set_identity(%s)", [token])
    return token if identity.way == "argument" else None


@contextmanager
def asking(connection: Connection, identity: Identity) -> Iterator[str | None]:
    """A transaction of the identity; the token that its calls need, if any."""
    with connection.transaction():
        yield become(connection, identity)
