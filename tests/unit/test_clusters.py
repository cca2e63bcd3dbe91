"""A cut never parts what a reader sees as one character."""

import pytest

from ragsql_engine.chunking import clusters


@pytest.mark.parametrize(
    "cluster",
    [
        "Z\u0301",
        "e\u0301\u0323",
        "\r\n",
        "\U0001f469\u200d\U0001f692",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f44d\U0001f3fd",
        "\U0001f1eb\U0001f1ee",
        "\u2764\ufe0f",
        "1\ufe0f\u20e3",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f",
        "\u1112\u1161\u11ab",
        "\u0915\u094d",
    ],
)
def test_a_cluster_stays_whole(cluster: str) -> None:
    text = f"a{cluster}b"
    cuts = [position for position in range(len(text) + 1) if clusters.is_boundary(text, position)]
    assert cuts == [0, 1, len(text) - 1, len(text)]


def test_a_row_of_flags_is_cut_between_flags() -> None:
    text = "\U0001f1eb\U0001f1ee" * 10
    assert [p for p in range(len(text) + 1) if clusters.is_boundary(text, p)] == [
        *range(0, len(text) + 1, 2)
    ]


def test_floor_and_ceil() -> None:
    text = "ab\u0301c"
    assert clusters.floor(text, 0, 2) == 1
    assert clusters.floor(text, 1, 2) == 2, "a cluster larger than the room is cut"
    assert clusters.ceil(text, 2, 4) == 3
    assert clusters.ceil(text, 2, 2) == 2
