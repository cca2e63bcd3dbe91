"""The form of a token, its header and its signature.

PyJWT's algorithms verify signatures. The rest is read here, once and strictly: PyJWT takes times
from text, the last one of doubled names, and NaN.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ragsql_engine.errors import TokenRefused
from ragsql_engine.identity.keys import Key
from ragsql_engine.identity.strict_json import NotStrict, read_object

if TYPE_CHECKING:
    from jwt.algorithms import Algorithm

LONGEST_TOKEN = 8192
"""Bytes; also what most web servers accept of headers."""

KID = re.compile(r"[!-~]{1,200}")
"""Names of keys: visible ASCII, so that no two look alike."""

# header, payload and signature in base64url without padding (RFC 7515, section 7.1)
_FORM = re.compile(r"([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")

# A token of another kind, such as one that ends a session, is none to ask with (RFC 8725, 3.11).
_TYPES = {"jwt", "at+jwt"}

_ASK_ISSUER = "Ask whoever issues the tokens."


@dataclass(frozen=True)
class Unverified:
    """A token in the right form, of which only the header has been read."""

    token: str
    kid: str
    algorithm: str

    def payload(self, key: Key) -> Mapping[str, Any]:
        """The claims, if `key` has signed them."""
        import jwt

        if self.algorithm != key.algorithm:
            raise TokenRefused(
                "its algorithm is not that of its key",
                hint="alg in the token's header has to be the algorithm the key was added with.",
            )
        signed, _, signature = self.token.rpartition(".")
        try:
            algorithm, prepared = _prepared(key.algorithm, key.key)
            is_good = algorithm.verify(signed.encode("ascii"), prepared, _bytes(signature))
        except (jwt.InvalidKeyError, ValueError, TypeError):
            is_good = False
        if not is_good:
            raise TokenRefused(
                "its signature does not verify",
                hint="The token was changed, or signed with another key than its kid names.",
            )
        return _object("claims", signed.partition(".")[2])


@lru_cache(maxsize=8)
def _prepared(algorithm: str, key: str) -> "tuple[Algorithm, Any]":
    """PyJWT's algorithm and its form of the key, whose reading takes as long as an HMAC's check."""
    import jwt

    found = jwt.get_algorithm_by_name(algorithm)
    return found, found.prepare_key(key)


def read(token: str | None) -> Unverified:
    """Reads the header; TokenRefused for what is no token that could be verified."""
    token = token or ""
    if len(token) > LONGEST_TOKEN:
        raise TokenRefused(
            f"it is longer than {LONGEST_TOKEN} bytes",
            hint="Have fewer groups and other claims put into it.",
        )
    form = _FORM.fullmatch(token)
    if form is None:
        raise TokenRefused(
            "it is not a signed JWT of three parts",
            hint="Give the token alone, without `Bearer` and spaces; encrypted and unsigned "
            "tokens are not accepted.",
        )
    header = _object("header", form[1])
    if "crit" in header or "b64" in header:
        raise TokenRefused("its header asks for an extension", hint=_ASK_ISSUER)
    kind = header.get("typ", "JWT")
    if not isinstance(kind, str) or kind.lower().removeprefix("application/") not in _TYPES:
        raise TokenRefused("it is a token for something else", hint="typ is JWT or at+jwt.")
    kid, algorithm = header.get("kid"), header.get("alg")
    if not isinstance(kid, str) or not KID.fullmatch(kid) or not isinstance(algorithm, str):
        raise TokenRefused(
            "its header does not name its key and algorithm",
            hint="kid has to name a key of rag.list_identity_keys() in visible ASCII characters.",
        )
    return Unverified(token, kid, algorithm)


def _object(part: str, segment: str) -> Mapping[str, Any]:
    try:
        return read_object(_bytes(segment))
    except ValueError:
        raise TokenRefused(f"its {part} cannot be read in one way", hint=_ASK_ISSUER) from None


def _bytes(segment: str) -> bytes:
    """Of base64url without padding; ValueError for what no encoder writes."""
    data = urlsafe_b64decode(segment + "=" * (-len(segment) % 4))
    if urlsafe_b64encode(data).rstrip(b"=") != segment.encode("ascii"):
        raise NotStrict
    return data
