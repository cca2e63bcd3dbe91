"""An issuer that signs anything, and what becomes of its tokens."""

from __future__ import annotations

import functools
import json
import traceback
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from ragsql_engine.identity.calls import IdentityCalls
from unit.stand_ins import FakePlpy, SqlError

NOW = 1_800_000_000
SECRET = "MARKER 6f1c0b7de2a94f58b3c7d0e1f2a3b4c5"
ALGORITHMS = ("HS256", "RS256", "ES256", "EdDSA")
CLAIMS: dict[str, Any] = {"sub": "MARKER-alice", "exp": NOW + 600}


def private_key(algorithm: str, which: int = 1) -> Any:
    """A key that signs; of each `which` another one, which stays the same."""
    return _private_key(algorithm, which)


@functools.cache
def _private_key(algorithm: str, which: int) -> Any:
    if algorithm == "HS256":
        return SECRET * which
    if algorithm == "RS256":
        return rsa.generate_private_key(65537, 2048)
    if algorithm == "ES256":
        return ec.generate_private_key(ec.SECP256R1())
    return ed25519.Ed25519PrivateKey.generate()


def public_pem(private: Any) -> str:
    encoded: bytes = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return encoded.decode()


def verifying_key(algorithm: str, which: int = 1) -> str:
    """What is stored of the key."""
    private = private_key(algorithm, which)
    return str(private) if algorithm == "HS256" else public_pem(private)


def encoded(part: Any) -> str:
    """A part of a token: of bytes as they are, of anything else as JSON."""
    data = part if isinstance(part, bytes) else json.dumps(part).encode()
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def signed(
    claims: Any = CLAIMS, *, header: Any = None, algorithm: str = "HS256", key: Any = None
) -> str:
    """A token with a good signature over whatever it is given. `header` adds to alg and kid."""
    if not isinstance(header, bytes):
        header = {"alg": algorithm, "kid": algorithm} | (header or {})
    text = f"{encoded(header)}.{encoded(claims)}"
    signer = jwt.get_algorithm_by_name(algorithm)
    key = private_key(algorithm) if key is None else key
    signature = signer.sign(text.encode(), key.encode() if isinstance(key, str) else key)
    return f"{text}.{encoded(signature)}"


def saying(**claims: Any) -> str:
    """A token of what every token says, and this."""
    return signed(CLAIMS | claims)


class KeyTable(FakePlpy):
    """A plpy over rag_internal.identity_key, which has a key for each algorithm."""

    def __init__(self) -> None:
        super().__init__()
        self.leeway: str | None = None
        self.asked: list[Any] = []
        self.keys: dict[str, dict[str, Any]] = {}
        for algorithm in ALGORITHMS:
            self.add(algorithm, algorithm, verifying_key(algorithm))

    def add(self, kid: str, algorithm: str, key: str, **bounds: Any) -> None:
        unbound = dict.fromkeys(("issuer", "audience", "tenant", "not_before", "not_after"))
        self.keys[kid] = {"kid": kid, "algorithm": algorithm, "key": key} | unbound | bounds

    def bind(self, **bounds: Any) -> None:
        """Bounds of the key for HS256."""
        self.add("HS256", "HS256", SECRET, **bounds)

    def execute(self, query: str, arguments: Sequence[Any] = ()) -> list[Any]:
        (kid,) = arguments
        self.asked.append(kid)
        return [self.keys[kid] | {"leeway": self.leeway}] if kid in self.keys else []


def accepted(table: KeyTable, token: str | None) -> dict[str, Any]:
    """What the engine makes of a token."""
    return IdentityCalls(table).verified_claims(token)


def refusal(table: KeyTable, token: str | None) -> str:
    """Which check failed. Whatever it was, the error has nothing of token and key in it."""
    with pytest.raises(SqlError) as caught:
        accepted(table, token)
    error = caught.value
    assert error.sqlstate == "28000"
    assert error.hint and error.detail is None
    shown = "".join(traceback.format_exception(error)) + error.hint
    assert "MARKER" not in shown and "BEGIN PUBLIC" not in shown
    for part in (token or "").split("."):
        assert len(part) < 12 or part not in shown
    return str(error).removeprefix("token refused: ")
