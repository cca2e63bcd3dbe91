"""Keys that tokens are verified with."""

from dataclasses import dataclass
from typing import Any

from ragsql_engine.calls import Row
from ragsql_engine.errors import InvalidParameter

SHORTEST_SECRET = 32
"""Bytes of an HS256 secret: as many as its hash has (RFC 7518, section 3.2)."""

SHORTEST_RSA = 2048
"""Bits of an RSA key (RFC 7518, section 3.3)."""


@dataclass(frozen=True)
class Key:
    """A row of rag_internal.identity_key. Times are seconds since 1970; None: without bound."""

    kid: str
    algorithm: str
    key: str
    issuer: str | None
    audience: str | None
    tenant: str | None
    not_before: float | None
    not_after: float | None

    @classmethod
    def from_row(cls, row: Row) -> "Key":
        """Of a row that may have more columns than these."""
        return cls(**{name: row[name] for name in cls.__dataclass_fields__})

    def is_valid_at(self, now: float) -> bool:
        """Whether the key itself may be used at `now`."""
        return (self.not_before is None or self.not_before <= now) and (
            self.not_after is None or now < self.not_after
        )


def stored_form(algorithm: str, key: str) -> str:
    """The key as it is stored: a secret as given, a public key as PEM of its SubjectPublicKeyInfo.

    InvalidParameter for what cannot verify tokens of `algorithm`, or not safely.
    """
    if algorithm == "HS256":
        return _secret(key)
    if algorithm not in _FITS:
        raise InvalidParameter(
            "there is no such algorithm for tokens",
            hint="algorithm is HS256, RS256, ES256 or EdDSA.",
        )
    return _public_key(algorithm, key)


def _secret(key: str) -> str:
    import jwt

    if len(key.encode()) < SHORTEST_SECRET:
        raise InvalidParameter(
            f"a secret for HS256 has at least {SHORTEST_SECRET} bytes",
            hint="Make one of random bytes: openssl rand -base64 48",
        )
    try:
        jwt.get_algorithm_by_name("HS256").prepare_key(key)
    except jwt.InvalidKeyError:
        raise InvalidParameter(
            "the key for HS256 is no secret but a public or private key, which others may know",
            hint="Choose the algorithm that the key was made for: RS256, ES256 or EdDSA.",
        ) from None
    return key


def _public_key(algorithm: str, key: str) -> str:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    if "PRIVATE KEY" in key:
        raise InvalidParameter(
            f"the key for {algorithm} is a private one",
            hint="Give the public key, and keep the private one where tokens are signed: "
            "openssl pkey -in private.pem -pubout",
        )
    try:
        public = serialization.load_pem_public_key(key.encode())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise InvalidParameter(
            f"the key for {algorithm} is not a public key in PEM form",
            hint="It begins with -----BEGIN PUBLIC KEY-----; of a certificate, "
            "`openssl x509 -pubkey -noout` prints it.",
        ) from None
    if (fault := _FITS[algorithm](public)) is not None:
        raise InvalidParameter(
            f"the key does not fit {algorithm}: {fault}",
            hint="RS256 takes RSA keys of 2048 bits or more, ES256 keys on the curve P-256, "
            "EdDSA Ed25519 keys.",
        )
    pem = public.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return pem.decode("ascii")


def _rsa_fault(public: Any) -> str | None:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    if not isinstance(public, RSAPublicKey):
        return "it is no RSA key"
    if public.key_size < SHORTEST_RSA:
        return f"it has {public.key_size} bits"
    return None


def _ec_fault(public: Any) -> str | None:
    from cryptography.hazmat.primitives.asymmetric import ec

    if not isinstance(public, ec.EllipticCurvePublicKey):
        return "it is no key on an elliptic curve"
    if not isinstance(public.curve, ec.SECP256R1):
        return f"its curve is {public.curve.name}"
    return None


def _ed_fault(public: Any) -> str | None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return None if isinstance(public, Ed25519PublicKey) else "it is no Ed25519 key"


_FITS = {"RS256": _rsa_fault, "ES256": _ec_fault, "EdDSA": _ed_fault}
