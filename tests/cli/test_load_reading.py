"""Which text and title `ragsql load` reads out of a file. No server is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragsql.loading.decode import BinaryContent, Undecodable, decode
from ragsql.loading.prepare import Document, ReadOptions, Refused, prepare
from ragsql.loading.title import find_title
from ragsql.loading.walk import FoundFile

FRENCH = "Voilà une façon générale d'écrire en français, où l’élève apprend à coder."
RUSSIAN = "Съешь же ещё этих мягких французских булок да выпей чаю. Насос работает."
POLISH = "Zażółć gęślą jaźń. Proszę zamknąć zawór przed rozpoczęciem pracy."
JAPANESE = "これは日本語の文書です。ポンプの弁を閉めてください。"


def read(path: Path, options: ReadOptions | None = None) -> Document | Refused:
    """Read one file as a load would."""
    found = FoundFile(str(path), path.name, path.stat().st_size)
    return prepare(found, options or ReadOptions())


def test_b01_nul_is_replaced_one_for_one(tmp_path: Path) -> None:
    (tmp_path / "n.txt").write_bytes(b"alpha\x00beta valve")
    document = read(tmp_path / "n.txt")
    assert isinstance(document, Document)
    assert document.content == "alpha\ufffdbeta valve"
    assert document.notes == "1 NUL replaced"


@pytest.mark.parametrize(
    "data",
    [
        "Orion pump host is 7".encode("utf-16"),
        b"\xfe\xff" + "Orion pump host is 7".encode("utf-16-be"),
        "Orion pump host is 7".encode("utf-32"),
        b"\x00\x00\xfe\xff" + "Orion pump host is 7".encode("utf-32-be"),
        "Orion pump host is 7".encode("utf-16-le"),
    ],
)
def test_b04_wide_encodings(data: bytes) -> None:
    assert decode(data).text == "Orion pump host is 7"
    assert decode(data).guessed is (data[0] == ord("O"))


def test_b05_the_byte_order_mark_goes() -> None:
    decoded = decode(b"\xef\xbb\xbf---\ntitle: T\n---\n# H\n")
    assert decoded.text.startswith("---")
    assert find_title(decoded.text, "f.md") == "T"


def test_b06_windows_1252() -> None:
    decoded = decode(b"It\x92s a caf\xe9 \x96 5 \x80")
    assert decoded.text == "It\u2019s a caf\u00e9 \u2013 5 \u20ac"
    assert (decoded.encoding, decoded.guessed) == ("cp1252", True)


def test_b06_a_guess_can_be_overruled_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    path.write_bytes(b"It\x92s a caf\xe9")
    refused = read(path, ReadOptions(refuse_guess=True))
    assert isinstance(refused, Refused)
    assert "cp1252" in refused.reason
    document = read(path, ReadOptions(encoding="mac_roman"))
    assert isinstance(document, Document)
    assert document.metadata == {"encoding": "mac_roman"}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "cp1252"),
        ("déjà vu", "cp1252"),
        (RUSSIAN, "cp1251"),
        (POLISH, "cp1250"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
    ],
)
def test_guesses(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("position", [8191, 65535, 1048575])
def test_b07_a_character_across_a_block(tmp_path: Path, position: int) -> None:
    path = tmp_path / "f.txt"
    path.write_bytes(b"a" * position + "€".encode() + b"b" * 10)
    document = read(path)
    assert isinstance(document, Document)
    assert (document.encoding, len(document.content)) == ("utf-8", path.stat().st_size - 2)


def test_b03_lone_surrogates_are_replaced() -> None:
    decoded = decode(b"half \xed\xa0\xbd pair, whole \xed\xa0\xbd\xed\xb8\x80")
    assert decoded.text == "half \ufffd pair, whole \U0001f600"
    assert decoded.surrogates_replaced == 1


def test_damaged_utf8_is_not_garbled_by_a_guess() -> None:
    with pytest.raises(Undecodable, match="line 2, at byte 41"):
        decode("é".encode() * 20 + b"\n\xff")
    with pytest.raises(Undecodable, match="not valid ascii at byte 1"):
        decode(b"a\xe9", "ascii")


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 4, b"%PDF-1.7\nnot really", b"\x1f\x8b\x08\x00", b"\x00" * 9]
)
def test_binary_content(data: bytes) -> None:
    with pytest.raises(BinaryContent):
        decode(data)


def test_text_about_binary_formats_is_text() -> None:
    for text in ("GIF89a is a format", "PK is a letter pair", "MZ starts programs"):
        assert decode(text.encode()).text == text


def test_other_text_is_kept_exactly(tmp_path: Path) -> None:
    text = "one\r\ntwo\rthree\n\n\ttab \u2028 \u00a0 e\u0301 \x1b[1mbold\x0c\ufeff end "
    (tmp_path / "f.md").write_bytes(text.encode())
    document = read(tmp_path / "f.md")
    assert isinstance(document, Document)
    assert (document.content, document.metadata, document.notes) == (text, {}, "")


@pytest.mark.parametrize("data", [b"", b" \r\n\t", b"\xef\xbb\xbf", "\u200b\xa0".encode()])
def test_blank_files_are_empty(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f.md").write_bytes(data)
    refused = read(tmp_path / "f.md")
    assert isinstance(refused, Refused)
    assert refused.outcome == "empty"


def test_b16_a_file_over_the_limit_names_the_limit(tmp_path: Path) -> None:
    (tmp_path / "f.md").write_bytes(b"a" * 11)
    refused = read(tmp_path / "f.md", ReadOptions(max_bytes=10))
    assert isinstance(refused, Refused)
    assert refused.outcome == "too_large"
    assert "10 bytes" in refused.reason
    assert isinstance(read(tmp_path / "f.md", ReadOptions(max_bytes=11)), Document)


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("f.md", "# Hello *big* `world` #\n", "Hello big world"),
        ("f.md", "intro\n\n### Third level\n# First", "Third level"),
        ("f.md", "```sh\n# not this\n```\n~~~\n# nor this\n~~~\n## This", "This"),
        ("f.md", "    # code\n\nTitle of\ntwo lines\n===\n", "Title of two lines"),
        ("f.md", "Sub\r\n---\r\ntext", "Sub"),
        ("f.md", "> # quoted\n\n- # listed\n\n#hash\n\n# Real", "Real"),
        ("f.md", "<!--\n# comment\n-->\n\n# Real", "Real"),
        ("f.md", '<h1 align="center">\n  Big <b>project</b>\n</h1>\n\n## Install', "Big project"),
        ("f.md", '---\ntags: [a]\ntitle: "Of: front" # why\n---\n# Heading', "Of: front"),
        ("f.md", "---\ntags: [a]\n---\n# Heading", "Heading"),
        ("f.md", "#\n\ntext without heading", "f"),
        ("f.MARKDOWN", "# Capital", "Capital"),
        ("git-add.txt", "git-add(1)\n==========\n\nNAME\n----\n", "git-add(1)"),
        ("f.txt", "// comment\n:attr: value\n\n= Title =\n", "Title"),
        ("f.txt", "=====\nTitle\n=====\n", "Title"),
        ("f.txt", "Title\n-----\n", "Title"),
        ("f.txt", "From: a\nSubject: b\n\nHow to\n======\n", "How to"),
        ("f.txt", "some words\n\n[NOTE]\n====\nx\n====\n", "f"),
        ("f.txt", "just text\n=\n", "f"),
        ("f.txt", "# Title\ntext", "Title"),
        ("notes.2024.txt", "text", "notes.2024"),
        ("f.md", "# " + "x" * 400, "x" * 199 + "…"),
    ],
)
def test_titles(name: str, text: str, title: str) -> None:
    assert find_title(text, name) == title
