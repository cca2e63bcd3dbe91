"""What a token with a good signature says, and whether that holds."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from ragsql_engine.errors import TokenRefused
from ragsql_engine.identity.keys import Key

LONGEST_NAME = 200
MOST_GROUPS = 1000
HIGHEST_CLEARANCE = 32767  # smallint
_LONGEST_ROLE = 63  # bytes of a name of PostgreSQL's
_LAST_MOMENT = 253_402_300_799  # of the year 9999

# of characters that control how text is shown, and of halves of characters
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}

Claims = Mapping[str, Any]


def read(claims: Claims, key: Key, now: float, leeway: float) -> dict[str, Any]:
    """sub, groups, tenant, clearance, role and kid, where everything in `claims` holds.

    `now` in seconds since 1970, `leeway` in seconds. What is absent is None; groups is [].
    """
    _check_times(claims, now, leeway)
    _check_parties(claims, key)
    if "sub" not in claims:
        raise TokenRefused("it has no sub", hint="sub has to name the user.")
    role = _name(claims, "role")
    if role is not None and len(role.encode()) > _LONGEST_ROLE:
        raise _no_name("role")
    return {
        "sub": _name(claims, "sub"),
        "groups": _groups(claims),
        "tenant": _tenant(claims, key),
        "clearance": _clearance(claims),
        "role": role,
        "kid": key.kid,
    }


def _check_times(claims: Claims, now: float, leeway: float) -> None:
    expires = _moment(claims, "exp")
    if expires is None:
        raise TokenRefused("it has no exp", hint="A token has to say when it expires.")
    if expires + leeway <= now:
        raise TokenRefused("it has expired", hint="Get a new token.")
    for name in ("nbf", "iat"):
        begins = _moment(claims, name)
        if begins is not None and begins - leeway > now:
            raise TokenRefused(
                f"its {name} is in the future", hint="Compare the clocks of issuer and database."
            )


def _check_parties(claims: Claims, key: Key) -> None:
    if key.issuer is not None and claims.get("iss") != key.issuer:
        raise TokenRefused(
            "its iss is not the issuer of its key",
            hint="rag.list_identity_keys() shows the issuer of each key.",
        )
    if key.audience is None and "aud" not in claims:
        return
    audience = claims.get("aud")
    if isinstance(audience, str):
        audience = [audience]
    # A token that names an audience is only for those who know themselves named (RFC 7519, 4.1.3).
    if not isinstance(audience, list) or key.audience is None or key.audience not in audience:
        raise TokenRefused(
            "it is for another audience",
            hint="aud has to contain the audience the key was added with; a token for a key "
            "without an audience has no aud.",
        )


def _moment(claims: Claims, name: str) -> float | None:
    if name not in claims:
        return None
    value = claims[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (is_number and 0 <= value <= _LAST_MOMENT):
        raise TokenRefused(
            f"its {name} is no time", hint=f"{name} is a number: seconds since 1970, in UTC."
        )
    return float(value)


def _groups(claims: Claims) -> list[str]:
    groups = claims.get("groups", [])
    if not isinstance(groups, list) or len(groups) > MOST_GROUPS:
        raise TokenRefused(
            "its groups are no list of names", hint=f"groups is a list of at most {MOST_GROUPS}."
        )
    if not all(map(_is_name, groups)):
        raise _no_name("groups")
    return list(dict.fromkeys(groups))


def _tenant(claims: Claims, key: Key) -> str | None:
    """The token's; where it has none, that of its key. "" is the one without a name."""
    tenant = _name(claims, "tenant")
    if key.tenant is None or tenant is None:
        return key.tenant if tenant is None else tenant
    if tenant != key.tenant:
        raise TokenRefused(
            "its tenant is not that of its key", hint="The key was added for one tenant alone."
        )
    return tenant


def _clearance(claims: Claims) -> int | None:
    if "clearance" not in claims:
        return None
    value = claims["clearance"]
    if type(value) is not int or not 0 <= value <= HIGHEST_CLEARANCE:
        raise TokenRefused(
            "its clearance is no level",
            hint=f"clearance is a number from 0 to {HIGHEST_CLEARANCE}.",
        )
    return value


def _name(claims: Claims, claim: str) -> str | None:
    if claim not in claims:
        return None
    name = claims[claim]
    if not _is_name(name):
        raise _no_name(claim)
    return str(name)


def _is_name(value: Any) -> bool:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME:
        return False
    kinds = {unicodedata.category(character) for character in value}
    return not kinds & _UNSEEN and kinds != {"Zs"}


def _no_name(claim: str) -> TokenRefused:
    return TokenRefused(
        f"its {claim} cannot be a name",
        hint=f"A name has at most {LONGEST_NAME} characters (role: {_LONGEST_ROLE} bytes), all "
        "of them visible.",
    )
