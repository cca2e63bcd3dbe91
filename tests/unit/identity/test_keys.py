"""Which keys can be added, and in which form they are kept."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, rsa, x25519

from ragsql_engine.identity.calls import IdentityCalls
from unit.identity.issuer import (
    ALGORITHMS,
    SECRET,
    KeyTable,
    accepted,
    private_key,
    public_pem,
    signed,
    verifying_key,
)
from unit.stand_ins import SqlError

PUBLIC = ("RS256", "ES256", "EdDSA")


def stored(algorithm: str, key: str) -> str:
    return IdentityCalls(KeyTable()).stored_identity_key(algorithm, key)


def fault(algorithm: str, key: str) -> str:
    """Why a key is refused; nothing of it is in the error."""
    with pytest.raises(SqlError) as caught:
        stored(algorithm, key)
    error = caught.value
    assert error.sqlstate == "22023" and error.hint and error.detail is None
    shown = f"{error} {error.hint}"
    assert "MARKER" not in shown
    assert not any(line in shown for line in key.splitlines() if len(line) > 30)
    return str(error)


def private_pem(private: Any) -> str:
    encoded: bytes = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return encoded.decode()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_fit_key_verifies_in_the_form_it_is_kept(algorithm: str) -> None:
    table = KeyTable()
    table.add(algorithm, algorithm, stored(algorithm, verifying_key(algorithm)))
    assert accepted(table, signed(algorithm=algorithm))


@pytest.mark.parametrize("algorithm", PUBLIC)
def test_one_key_has_one_form(algorithm: str) -> None:
    pem = verifying_key(algorithm)
    for form in (pem.strip(), pem.replace("\n", "\r\n"), f"our login\n{pem}\n\n"):
        assert stored(algorithm, form) == pem
    assert stored(algorithm, pem) == stored(algorithm, stored(algorithm, pem))


def test_the_older_form_of_rsa_keys() -> None:
    private = private_key("RS256")
    older = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.PKCS1
    )
    assert older.startswith(b"-----BEGIN RSA PUBLIC KEY")
    assert stored("RS256", older.decode()) == public_pem(private)


@pytest.mark.parametrize("algorithm", PUBLIC)
def test_a_private_key_is_not_taken_in(algorithm: str) -> None:
    pem = private_pem(private_key(algorithm))
    assert fault(algorithm, pem) == f"the key for {algorithm} is a private one"
    both = verifying_key(algorithm) + pem
    assert fault(algorithm, both) == f"the key for {algorithm} is a private one"


def test_secrets_by_length() -> None:
    assert stored("HS256", "é" * 16) == "é" * 16  # 32 bytes
    assert stored("HS256", SECRET) == SECRET
    for short in ("", "MARKER", "x" * 31):
        assert fault("HS256", short) == "a secret for HS256 has at least 32 bytes"


def test_a_public_key_is_no_secret() -> None:
    no_secret = "the key for HS256 is no secret but a public or private key"
    jwk = json.dumps({"kty": "oct", "k": base64.b64encode(b"x" * 40).decode()})
    keys = [verifying_key(name) for name in PUBLIC]
    for key in (*keys, keys[0].strip(), f"x {keys[0]}", private_pem(private_key("ES256")), jwk):
        assert fault("HS256", key).startswith(no_secret)


@pytest.mark.parametrize("algorithm", PUBLIC)
def test_a_key_of_another_kind_does_not_fit(algorithm: str) -> None:
    for other in PUBLIC:
        if other != algorithm:
            reason = fault(algorithm, verifying_key(other))
            assert reason.startswith(f"the key does not fit {algorithm}: it is no ")
    for private in (ed448.Ed448PrivateKey.generate(), x25519.X25519PrivateKey.generate()):
        assert fault(algorithm, public_pem(private)).startswith("the key does not fit")
    assert fault(algorithm, public_pem(dsa.generate_private_key(2048))).startswith("the key does ")


@pytest.mark.parametrize("bits", [1024, 2047])
def test_short_rsa_keys(bits: int) -> None:
    pem = public_pem(rsa.generate_private_key(65537, bits))
    assert fault("RS256", pem) == f"the key does not fit RS256: it has {bits} bits"


@pytest.mark.parametrize("curve", [ec.SECP256K1(), ec.SECP384R1(), ec.SECP521R1()])
def test_other_curves(curve: ec.EllipticCurve) -> None:
    pem = public_pem(ec.generate_private_key(curve))
    assert fault("ES256", pem) == f"the key does not fit ES256: its curve is {curve.name}"


@pytest.mark.parametrize("algorithm", PUBLIC)
@pytest.mark.parametrize(
    "key", ["", " ", "MARKER", "x" * 100, "\0", "é", "-----BEGIN PUBLIC KEY-----"]
)
def test_what_is_no_key(algorithm: str, key: str) -> None:
    assert fault(algorithm, key) == f"the key for {algorithm} is not a public key in PEM form"


def test_a_damaged_key_and_a_certificate_are_none() -> None:
    no_key = "the key for ES256 is not a public key in PEM form"
    lines = verifying_key("ES256").splitlines()
    assert fault("ES256", "\n".join([lines[0], lines[1][:-8], *lines[2:]])) == no_key
    assert fault("ES256", "\n".join(lines[:-1])) == no_key
    key = private_key("ES256")
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "login")])
    start, end = (datetime(year, 1, 1) for year in (2020, 2040))
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, start, end)
        .sign(key, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )
    assert fault("ES256", certificate.decode()) == no_key


@pytest.mark.parametrize(
    "algorithm", ["", "none", "hs256", "HS512", "RS384", "PS256", "ES384", "Ed25519"]
)
def test_other_algorithms(algorithm: str) -> None:
    assert fault(algorithm, SECRET) == "there is no such algorithm for tokens"
