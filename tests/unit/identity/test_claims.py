"""What a signed token says: each claim holds, or the token is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.identity.issuer import CLAIMS, NOW, KeyTable, accepted, refusal, saying, signed
from unit.stand_ins import SqlError

UNREADABLE = "its claims cannot be read in one way"
NO_NAMES: list[Any] = [
    None, 7, 1.5, True, [], ["a"], {"a": 1}, "", " ", "\u3000 \u00a0", "\t", "\n", "MARKER\n", "a\0",
    "\x7f", "\x85", "\u200b", "a\u200b", "\u202ealice", "\ufeffalice", "a\u2028b", "\u00ad", "x" * 201,
    "a\ud800", "\udc00", "\ud83d",
]  # fmt: skip
NO_TIMES: list[Any] = [
    None, "", "1800000600", "MARKER", True, False, [1800000600], {}, -1, -0.5, 10**12, 1e300, 10**400,
]  # fmt: skip


def test_everything_a_token_can_say(table: KeyTable) -> None:
    claims = CLAIMS | {
        "sub": "alïce 🙂 von Ünder", "groups": ["b", "a", "b", "c d"], "tenant": "acme",
        "clearance": 3, "role": "support", "iat": NOW, "nbf": NOW, "jti": 7, "scope": {"x": [None]},
    }  # fmt: skip
    found = accepted(table, signed(claims))
    assert found == {
        "sub": "alïce 🙂 von Ünder", "groups": ["b", "a", "c d"], "tenant": "acme", "clearance": 3,
        "role": "support", "kid": "HS256",
    }  # fmt: skip


def test_sub_is_needed(table: KeyTable) -> None:
    assert refusal(table, signed({"exp": NOW + 1})) == "it has no sub"


@pytest.mark.parametrize("value", NO_NAMES)
def test_what_is_no_name(table: KeyTable, value: Any) -> None:
    for claim in ("sub", "tenant", "role"):
        assert refusal(table, saying(**{claim: value})) == f"its {claim} cannot be a name"
    assert refusal(table, saying(groups=["a", value])) == "its groups cannot be a name"


def test_bounds_of_names(table: KeyTable) -> None:
    longest = "é" * 200
    found = accepted(table, saying(sub=longest, tenant=longest, groups=[longest], role="é" * 31))
    assert (found["sub"], found["tenant"], found["groups"]) == (longest, longest, [longest])
    assert refusal(table, saying(role="é" * 32)) == "its role cannot be a name"
    assert accepted(table, saying(sub=" alice "))["sub"] == " alice "  # another user than alice


@pytest.mark.parametrize("value", [None, "a", "a,b", 1, True, {}, {"a": "b"}])
def test_groups_are_a_list(table: KeyTable, value: Any) -> None:
    assert refusal(table, saying(groups=value)) == "its groups are no list of names"


def test_number_of_groups(table: KeyTable) -> None:
    def compact(count: int) -> str:
        groups = [f"{number:x}" for number in range(count)]
        claims = CLAIMS | {"groups": groups}
        return signed(json.dumps(claims, separators=(",", ":")).encode())

    assert len(accepted(table, compact(1000))["groups"]) == 1000
    assert len(compact(1001)) <= 8192
    assert refusal(table, compact(1001)) == "its groups are no list of names"


@pytest.mark.parametrize(
    "value", [None, True, False, -1, 32768, 10**30, 1.0, 1.5, "1", "", [1], {}]
)
def test_what_is_no_clearance(table: KeyTable, value: Any) -> None:
    assert refusal(table, saying(clearance=value)) == "its clearance is no level"


def test_bounds_of_clearance(table: KeyTable) -> None:
    assert [accepted(table, saying(clearance=level))["clearance"] for level in (0, 32767)] == [
        0, 32767,
    ]  # fmt: skip


@pytest.mark.parametrize("claim", ["exp", "nbf", "iat"])
@pytest.mark.parametrize("value", NO_TIMES)
def test_what_is_no_time(table: KeyTable, claim: str, value: Any) -> None:
    assert refusal(table, saying(**{claim: value})) == f"its {claim} is no time"


@pytest.mark.parametrize("number", [b"1e400", b"-1e400"])
def test_a_time_beyond_all_numbers(table: KeyTable, number: bytes) -> None:
    assert refusal(table, signed(b'{"sub":"a","exp":' + number + b"}")) == "its exp is no time"


def test_exp_is_needed(table: KeyTable) -> None:
    assert refusal(table, signed({"sub": "a"})) == "it has no exp"


@pytest.mark.parametrize(("setting", "leeway"), [(None, 30), ("0", 0), ("300", 300)])
def test_times_to_the_second(table: KeyTable, setting: str | None, leeway: int) -> None:
    table.leeway = setting
    assert accepted(table, saying(exp=NOW - leeway + 1))
    assert accepted(table, saying(exp=NOW - leeway + 0.5))
    assert refusal(table, saying(exp=NOW - leeway)) == "it has expired"
    assert refusal(table, saying(exp=0)) == "it has expired"
    for claim in ("nbf", "iat"):
        assert accepted(table, saying(**{claim: NOW + leeway}))
        late = saying(**{claim: NOW + leeway + 1})
        assert refusal(table, late) == f"its {claim} is in the future"
        assert accepted(table, saying(**{claim: 0}))


@pytest.mark.parametrize("setting", ["", "-1", "301", "1e1", "30 ", "²", "MARKER", "9" * 30])
def test_a_leeway_out_of_bounds_lets_nobody_in(table: KeyTable, setting: str) -> None:
    table.leeway = setting
    with pytest.raises(
        SqlError, match="identity_leeway_seconds is no number from 0 to 300"
    ) as caught:
        accepted(table, saying())
    assert caught.value.sqlstate == "55000"


def test_issuer(table: KeyTable) -> None:
    assert accepted(table, saying(iss="anybody"))  # whoever has the key is the issuer
    table.bind(issuer="https://login.example")
    assert accepted(table, saying(iss="https://login.example"))
    for token in (
        saying(), *(saying(iss=value) for value in (
            None, "", 7, "https://login.example/", "HTTPS://login.example", "https://login.exampl",
            ["https://login.example"], {"https://login.example": 1},
        ))
    ):  # fmt: skip
        assert refusal(table, token) == "its iss is not the issuer of its key"


def test_audience(table: KeyTable) -> None:
    other = "it is for another audience"
    assert accepted(table, saying())
    aud: Any
    for aud in ("ragsql", ["ragsql"], [], "", None, 7):  # a key without: nobody here is named
        assert refusal(table, saying(aud=aud)) == other
    table.bind(audience="ragsql")
    for aud in ("ragsql", ["ragsql"], ["billing", "ragsql"], [7, "ragsql"]):
        assert accepted(table, saying(aud=aud))
    assert refusal(table, saying()) == other
    for aud in (
        "",
        "ragsq",
        "ragsql ",
        "RAGSQL",
        [],
        ["billing"],
        [["ragsql"]],
        None,
        7,
        {"ragsql": 1},
    ):
        assert refusal(table, saying(aud=aud)) == other


def test_tenant_of_a_key(table: KeyTable) -> None:
    assert accepted(table, saying(tenant="acme"))["tenant"] == "acme"
    assert accepted(table, saying())["tenant"] is None
    table.bind(tenant="acme")
    assert accepted(table, saying(tenant="acme"))["tenant"] == "acme"
    assert accepted(table, saying())["tenant"] == "acme"
    for tenant in ("Acme", "acme ", "globex", "аcme"):
        assert refusal(table, saying(tenant=tenant)) == "its tenant is not that of its key"
    table.bind(tenant="")  # tokens of this key name none
    assert accepted(table, saying())["tenant"] == ""
    assert refusal(table, saying(tenant="acme")) == "its tenant is not that of its key"
    assert refusal(table, saying(tenant="")) == "its tenant cannot be a name"


def test_names_of_claims_are_exact(table: KeyTable) -> None:
    found = accepted(
        table, saying(Groups=["admin"], GROUPS=["admin"], Clearance=9, ROLE="postgres")
    )
    assert (found["groups"], found["clearance"], found["role"]) == ([], None, None)
    assert refusal(table, signed({"Sub": "a", "exp": NOW + 1})) == "it has no sub"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
names = st.sampled_from(
    ["sub", "groups", "tenant", "clearance", "role", "exp", "nbf", "iat", "iss", "aud", "kid", "x"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.dictionaries(names, json_values, max_size=3))
def test_whatever_is_accepted_is_what_sql_expects(claims: dict[str, Any]) -> None:
    """Of any signed claims: a refusal, or values that fit their types in SQL."""
    token = signed(CLAIMS | claims)
    try:
        found = accepted(KeyTable(), token)
    except SqlError:
        assert refusal(KeyTable(), token)
        return
    assert set(found) == {"sub", "groups", "tenant", "clearance", "role", "kid"}
    assert found["kid"] == "HS256"  # of the header, which found the key, never of the claims
    texts = [found["sub"], *found["groups"], found["tenant"] or "-", found["role"] or "-"]
    assert all(isinstance(text, str) and text.strip() and text.isprintable() for text in texts)
    assert found["clearance"] is None or 0 <= found["clearance"] <= 32767
    assert "\\u0000" not in json.dumps(found)
    assert json.dumps(found, ensure_ascii=False).encode()  # no half of a character
