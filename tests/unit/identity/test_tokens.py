"""Form, header and signature of a token: whatever is not exactly right is refused."""

from __future__ import annotations

import hashlib
import hmac
import string
import subprocess
import sys
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.identity.issuer import (
    ALGORITHMS,
    CLAIMS,
    NOW,
    SECRET,
    KeyTable,
    accepted,
    decoded,
    encoded,
    private_key,
    refusal,
    signed,
    verifying_key,
)
from unit.stand_ins import SqlError

NO_TOKEN = "it is not a signed JWT of three parts"
BAD_HEADER = "its header cannot be read in one way"
BAD_CLAIMS = "its claims cannot be read in one way"
NO_KEY = "its header does not name its key and algorithm"
BAD_SIGNATURE = "its signature does not verify"
WRONG_ALGORITHM = "its algorithm is not that of its key"
EXTENSION = "its header asks for an extension"

# The clock stands for all examples.
among_examples = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_token_by_another_encoder_is_accepted(table: KeyTable, algorithm: str) -> None:
    token = jwt.encode(CLAIMS, private_key(algorithm), algorithm, {"kid": algorithm})
    assert accepted(table, token) == {
        "sub": CLAIMS["sub"], "groups": [], "tenant": None, "clearance": None, "role": None,
        "kid": algorithm,
    }  # fmt: skip


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_signature_counts_for_its_text_and_key_alone(table: KeyTable, algorithm: str) -> None:
    header, claims, signature = signed(algorithm=algorithm).split(".")
    assert accepted(table, f"{header}.{claims}.{signature}")
    other = encoded(CLAIMS | {"sub": "bob"})
    assert refusal(table, f"{header}.{other}.{signature}") == BAD_SIGNATURE
    other = encoded({"alg": algorithm, "kid": algorithm, "typ": "JWT"})
    assert refusal(table, f"{other}.{claims}.{signature}") == BAD_SIGNATURE
    for wrong in (b"\0", b"\0" * 64, b"\0" * 256, decoded(signature)[:-1], decoded(signature) * 2):
        assert refusal(table, f"{header}.{claims}.{encoded(wrong)}") == BAD_SIGNATURE
    stranger = private_key(algorithm, 2)
    assert refusal(table, signed(algorithm=algorithm, key=stranger)) == BAD_SIGNATURE


@pytest.mark.parametrize("kid", ALGORITHMS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_key_decides_the_algorithm(table: KeyTable, algorithm: str, kid: str) -> None:
    token = signed(algorithm=algorithm, header={"kid": kid})
    if algorithm == kid:
        assert accepted(table, token)
    else:
        assert refusal(table, token) == WRONG_ALGORITHM


@pytest.mark.parametrize("kid", ["RS256", "ES256", "EdDSA"])
def test_a_public_key_is_no_secret(table: KeyTable, kid: str) -> None:
    """The classic: HMAC with the public key, which everybody knows, as the secret."""
    for secret in (verifying_key(kid), verifying_key(kid).strip()):
        text = f"{encoded({'alg': 'HS256', 'kid': kid})}.{encoded(CLAIMS)}"
        mac = hmac.digest(secret.encode(), text.encode(), hashlib.sha256)
        assert refusal(table, f"{text}.{encoded(mac)}") == WRONG_ALGORITHM


def test_even_a_public_key_stored_as_a_secret_signs_nothing(table: KeyTable) -> None:
    """By hand in the table, past every check of the function that adds keys."""
    pem = verifying_key("RS256")
    table.add("HS256", "HS256", pem)
    text = f"{encoded({'alg': 'HS256', 'kid': 'HS256'})}.{encoded(CLAIMS)}"
    mac = hmac.digest(pem.encode(), text.encode(), hashlib.sha256)
    assert refusal(table, f"{text}.{encoded(mac)}") == BAD_SIGNATURE


@pytest.mark.parametrize(
    "alg", ["none", "None", "NONE", "nOnE", "", "hs256", "HS384", "RS512", "PS256", "HS256 "]
)
def test_no_other_algorithm_will_do(table: KeyTable, alg: str) -> None:
    header = encoded({"alg": alg, "kid": "HS256"})
    _, claims, signature = signed().split(".")
    assert refusal(table, f"{header}.{claims}.") == NO_TOKEN
    assert refusal(table, f"{header}.{claims}.{signature}") == WRONG_ALGORITHM
    assert refusal(table, signed(header={"alg": alg})) == WRONG_ALGORITHM


@pytest.mark.parametrize("alg", [None, 256, True, ["HS256"], {"HS256": 1}])
def test_an_algorithm_is_a_text(table: KeyTable, alg: Any) -> None:
    assert refusal(table, signed(header={"alg": alg})) == NO_KEY


@pytest.mark.parametrize(
    "kid",
    [
        None, 7, True, "", ["HS256"], {"a": 1}, "HS256 ", " HS256", "HS256\n", "HS\x00256", "x" * 201,
        "ＨＳ256", "НS256", "HS\u200b256", "HS256\ud800", "it's known",
    ],
)  # fmt: skip
def test_a_kid_that_is_no_plain_name_reaches_no_query(table: KeyTable, kid: Any) -> None:
    assert refusal(table, signed(header={"kid": kid})) == NO_KEY
    assert table.asked == []


@pytest.mark.parametrize(
    "kid",
    ["hs256", "HS25", "HS2566", "../../dev/null", "'or''='", "HS256'--", "%", "HS25_", "/etc"],
)
def test_a_kid_is_known_or_not(table: KeyTable, kid: str) -> None:
    assert refusal(table, signed(header={"kid": kid})) == "its key is not known"
    assert table.asked == [kid]  # as a value of a prepared statement


def test_a_header_without_kid_names_no_key(table: KeyTable) -> None:
    assert refusal(table, signed(header=b'{"alg":"HS256"}')) == NO_KEY
    assert refusal(table, signed(header=b'{"kid":"HS256"}')) == NO_KEY


@pytest.mark.parametrize("name", ["jwk", "jku", "x5u", "x5c", "x5t"])
def test_a_key_in_the_header_is_not_looked_at(table: KeyTable, name: str) -> None:
    stranger = private_key("HS256", 2)
    jwk = {"kty": "oct", "k": encoded(stranger.encode()), "kid": "HS256"}
    token = signed(header={name: jwk}, key=stranger)
    assert refusal(table, token) == BAD_SIGNATURE


@pytest.mark.parametrize(
    "extra",
    [
        {"crit": ["exp"]}, {"crit": []}, {"crit": None}, {"crit": ["b64"], "b64": True},
        {"b64": False}, {"b64": True}, {"b64": False, "crit": ["b64"]},
    ],
)  # fmt: skip
def test_extensions_are_refused(table: KeyTable, extra: dict[str, Any]) -> None:
    assert refusal(table, signed(header=extra)) == EXTENSION


@pytest.mark.parametrize("typ", ["JWT", "jwt", "at+jwt", "application/at+jwt", "AT+JWT"])
def test_types_of_tokens_to_ask_with(table: KeyTable, typ: str) -> None:
    assert accepted(table, signed(header={"typ": typ}))


@pytest.mark.parametrize("typ", ["logout+jwt", "dpop+jwt", "JWE", "", None, 1, ["JWT"]])
def test_a_token_for_something_else_is_refused(table: KeyTable, typ: Any) -> None:
    assert refusal(table, signed(header={"typ": typ})) == "it is a token for something else"


def test_what_is_not_three_parts(table: KeyTable) -> None:
    token = signed()
    header, claims, signature = token.split(".")
    assert accepted(table, token)
    wrong = [
        " ", ".", "..", "...", "a.b", token + ".", "." + token, f"{token}.{claims}",
        f"{header}.{claims}", f"{header}.{claims}.", f".{claims}.{signature}",
        f"{header}..{signature}", f"{token}.{claims}.{signature}",  # five parts: encrypted
        f"Bearer {token}", f" {token}", f"{token} ", f"{token}\n", f"{token}\0", f'"{token}"',
        f"{token}=", f"{header}.{claims}=.{signature}", f"{header}.{claims}.{signature}\u200b",
        token.replace(".", "．"), token.replace("e", "е", 1), token + "\ud800", token.replace(".", "/"),
        token[:20] + "+" + token[20:], token[:20] + "\n" + token[20:],
    ]  # fmt: skip
    for candidate in wrong:
        assert refusal(table, candidate) == NO_TOKEN, candidate
    assert refusal(table, None) == refusal(table, "") == NO_TOKEN
    assert table.asked == ["HS256"]


def test_length_is_looked_at_first(table: KeyTable) -> None:
    longest, longer = _of_length(8192), _of_length(8193)
    assert accepted(table, longest)
    for token in (longer, "x" * 8193, "." * 8193, "é" * 8193, signed(CLAIMS | {"a": "x" * 10**6})):
        assert refusal(table, token) == "it is longer than 8192 bytes"


def _of_length(length: int) -> str:
    """A good token of so many characters: a multiple of 4 bytes and 1 to 3 are one more each."""
    lengths = range(length * 3 // 4 - 300, length * 3 // 4)
    tokens = (signed(CLAIMS | {"a": "x" * n}, header={"a": m}) for n in lengths for m in (1, 10))
    return next(token for token in tokens if len(token) == length)


def test_base64_that_no_encoder_writes(table: KeyTable) -> None:
    """Bits that decode to nothing would make one signature many tokens."""
    header, claims, signature = signed().split(".")
    for part, reason in ((header, BAD_HEADER), (signature, BAD_SIGNATURE)):
        if len(part) % 4 == 0:
            continue
        sloppy = part[:-1] + _next(part[-1])
        assert decoded(sloppy) == decoded(part)
        token = (
            f"{sloppy}.{claims}.{signature}" if part is header else f"{header}.{claims}.{sloppy}"
        )
        assert refusal(table, token) == reason
    assert refusal(table, f"{header}A.{claims}.{signature}") in (BAD_HEADER, BAD_SIGNATURE)
    assert refusal(table, f"{header}.{claims}.AAAAA") == BAD_SIGNATURE


def _next(character: str) -> str:
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
    return alphabet[alphabet.index(character) + 1]


@pytest.mark.parametrize(
    "header",
    [
        b"", b"x", b"[]", b"null", b'"alg"', b"1", b"{", b'{"alg":"HS256","kid":"HS256"}}',
        b'{"alg":"none","alg":"HS256","kid":"HS256"}', b'{"alg":"HS256","kid":"x","kid":"HS256"}',
        b'{"alg":"HS256","k\\u0069d":"x","kid":"HS256"}', b'\xef\xbb\xbf{"alg":"HS256","kid":"HS256"}',
        b'{"alg":"HS256","kid":"HS256","a":NaN}', b'{"alg":"HS256","kid":"HS256","a":-Infinity}',
        b'{"alg":"HS256","kid":"HS256\xff"}', b'{"alg":"HS256","kid":"HS256\n"}',
        b'{"alg":"HS256","kid":"HS256","a":{"b":1,"b":2}}', b'{"a":' * 800,
        '{"alg":"HS256","kid":"HS256"}'.encode("utf-16"),
        '{"alg":"HS256","kid":"HS256"}'.encode("utf-16-le"),
        '{"alg":"HS256","kid":"HS256"}'.encode("utf-32-be"),
        b'{"alg":"HS256","kid":"HS256","a":' + b"9" * 5000 + b"}",
    ],
)  # fmt: skip
def test_a_header_that_cannot_be_read_in_one_way(table: KeyTable, header: bytes) -> None:
    reason = BAD_HEADER if header else NO_TOKEN
    assert refusal(table, signed(header=header)) == reason
    assert table.asked == []


@pytest.mark.parametrize(
    "claims",
    [
        b"[]", b"null", b"1", b"MARKER", b"{", b"\xff\xfe", b'{"sub":"a","exp":NaN}',
        b'{"sub":"a","exp":Infinity}', b'{"sub":"a","exp":-Infinity}',
        b'{"sub":"a","sub":"admin","exp":1800000600}', b'{"sub":"a","exp":1,"exp":1800000600}',
        b'{"sub":"a","exp":1800000600,"x":{"y":1,"y":2}}',
        b'{"sub":"a","exp":1800000600,"s\\u0075b":"admin"}',
        b'{"sub":"a","exp":' + b"9" * 5000 + b"}", b'{"sub":"\x00","exp":1800000600}',
        b'\xef\xbb\xbf{"sub":"a","exp":1800000600}', b'{"sub":"a","exp":1800000600}x',
        '{"sub":"a","exp":1800000600}'.encode("utf-16"), b'{"sub":"\xed\xa0\x80","exp":1800000600}',
        signed().encode(),  # a token in a token
    ],
)  # fmt: skip
def test_claims_that_cannot_be_read_in_one_way(table: KeyTable, claims: bytes) -> None:
    assert refusal(table, signed(claims)) == BAD_CLAIMS
    header, _, signature = signed().split(".")
    # what is not signed is not read at all
    assert refusal(table, f"{header}.{encoded(claims)}.{signature}") == BAD_SIGNATURE


@pytest.mark.parametrize("around", [b"[%b]", b'{"a":%b}'])
def test_nesting_without_end(table: KeyTable, around: bytes) -> None:
    start, end = around.split(b"%b")
    deep = start * 990 + b"1" + end * 990
    claims = b'{"sub":"a","exp":1800000600,"groups":' + deep + b"}"
    assert refusal(table, signed(claims)) in (BAD_CLAIMS, "its groups are no list of names",
                                              "its groups cannot be a name")  # fmt: skip


def test_a_mirrored_signature_says_nothing_else(table: KeyTable) -> None:
    """Anybody can turn one ECDSA signature into another: so none may be used to tell tokens apart."""
    header, claims, signature = signed(algorithm="ES256").split(".")
    raw = decoded(signature)
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    mirrored = raw[:32] + (order - int.from_bytes(raw[32:])).to_bytes(32)
    assert accepted(table, f"{header}.{claims}.{encoded(mirrored)}")["sub"] == CLAIMS["sub"]
    der = encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    assert decode_dss_signature(der)
    for wrong in (der, b"\0" * 64, raw[:32] + b"\0" * 32, raw[:32] + order.to_bytes(32)):
        assert refusal(table, f"{header}.{claims}.{encoded(wrong)}") == BAD_SIGNATURE


def test_keys_by_time(table: KeyTable, clock: Any) -> None:
    table.bind(not_before=NOW, not_after=NOW + 10)
    table.leeway = "300"  # for clocks of others; the key's times are of this clock
    verdicts: dict[int, Any] = {}
    for second in (-1, 0, 9, 10):
        clock.now = NOW + second
        try:
            verdicts[second] = bool(accepted(table, signed()))
        except SqlError as error:
            verdicts[second] = str(error)
    outside = "token refused: its key is not valid now"
    assert verdicts == {-1: outside, 0: True, 9: True, 10: outside}
    table.bind(not_before=float("-inf"), not_after=float("inf"))
    assert accepted(table, signed())


def test_rotation(table: KeyTable) -> None:
    """Two keys hold; when one is gone, its tokens are, and no other's."""
    fresh = private_key("HS256", 2)
    table.add("next", "HS256", fresh)
    old, new = signed(), signed(header={"kid": "next"}, key=fresh)
    assert accepted(table, old)["kid"] == "HS256"
    assert accepted(table, new)["kid"] == "next"
    assert refusal(table, signed(header={"kid": "next"})) == BAD_SIGNATURE
    del table.keys["HS256"]
    assert refusal(table, old) == "its key is not known"
    assert accepted(table, new)
    table.add("HS256", "RS256", verifying_key("RS256"))  # the name again, for another key
    assert refusal(table, old) == WRONG_ALGORITHM


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_a_damaged_key_verifies_nothing(table: KeyTable, algorithm: str) -> None:
    private = private_key(algorithm).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    others = [verifying_key(name) for name in ALGORITHMS if name != algorithm]
    for key in ("", "MARKER", verifying_key(algorithm)[:60], *others, private.decode()[:100]):
        table.add(algorithm, algorithm, key)
        assert refusal(table, signed(algorithm=algorithm)) == BAD_SIGNATURE


@among_examples
@given(position=st.integers(0, 10**4), character=st.sampled_from(string.printable + "é\u200b"))
def test_one_changed_character_is_one_too_many(position: int, character: str) -> None:
    token = signed()
    position %= len(token)
    changed = token[:position] + character + token[position + 1 :]
    if changed == token:
        assert accepted(KeyTable(), changed)
    else:
        assert refusal(KeyTable(), changed)


@among_examples
@given(
    st.text() | st.lists(st.binary(max_size=40)).map(lambda parts: ".".join(map(encoded, parts)))
)
def test_anything_is_refused_as_a_token(text: str) -> None:
    assert refusal(KeyTable(), text)


def test_the_secret_is_the_text_of_the_key(table: KeyTable) -> None:
    text = signed().rpartition(".")[0]
    mac = hmac.digest(SECRET.encode(), text.encode(), hashlib.sha256)
    assert accepted(table, f"{text}.{encoded(mac)}")


def test_a_missing_package_lets_nobody_in(table: KeyTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)
    with pytest.raises(SqlError, match="the Python package jwt cannot be imported") as caught:
        accepted(table, signed())
    assert caught.value.sqlstate == "55000"


def test_the_packages_are_loaded_with_the_first_token() -> None:
    """They take longer than a search."""
    code = "import sys, ragsql_engine.session; print({'jwt', 'cryptography'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
