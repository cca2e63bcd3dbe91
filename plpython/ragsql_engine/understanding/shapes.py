"""What a word looks like: a name in code, a code, a file, a typing error."""

import re

_HUMP = re.compile(r"[a-z0-9][A-Z]")
_JOINED = re.compile(r"\w(?:::|->|[./\\:#@])\w")
_CALL = re.compile(r"\w\(\)$")
_OPTION = re.compile(r"--?\w")
_FILE = re.compile(r"\w\.[a-z][a-z0-9]{0,4}$")
_NUMBER = re.compile(r"\d[\d.,]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_ABBREVIATION = re.compile(r"(?:[a-z]\.)+[a-z]?|and/or|his/her|he/she|\d+(?:st|nd|rd|th|s|x|%)")
_TRIPLED = re.compile(r"([a-z])\1\1")
_CROWDED = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}")
_VOWEL = re.compile(r"[aeiouy]")
_LETTERS = re.compile(r"[a-z]{4,}")
# Consonants that words do have in a row.
_TOLERATED = re.compile(r"ngths?|tchst|ghtsh|rthqu|chstr|ndsch|tschl|rldsc|chsch|ltspr|ghtst|tchph")


def is_code(text: str) -> bool:
    """Whether a word is an identifier, a code, a file or a version, no word of a language."""
    if len(text) < 2 or "://" in text or _ABBREVIATION.fullmatch(text.lower()):
        return False
    if "_" in text.strip("_") or _CALL.search(text) or _OPTION.match(text):
        return True
    if _NUMBER.fullmatch(text):
        return sum(map(str.isdigit, text)) >= 3 and not _YEAR.fullmatch(text)
    has_digit = any(map(str.isdigit, text))
    has_letter = any(map(str.isalpha, text))
    if has_digit and has_letter and text.isascii():
        return True
    return _HUMP.search(text) is not None or _JOINED.search(text) is not None


def is_acronym(text: str) -> bool:
    """Whether it is written in capitals: HNSW."""
    return len(text) >= 2 and text.isascii() and text.isalpha() and text.isupper()


def is_file(text: str) -> bool:
    """Whether it is the name of a file."""
    return _FILE.search(text) is not None and "://" not in text


def is_odd(word: str) -> bool:
    """Whether a word of small letters is spelt as no English word is."""
    if not _LETTERS.fullmatch(word):
        return False
    if not _VOWEL.search(word) or _TRIPLED.search(word):
        return True
    return _CROWDED.search(_TOLERATED.sub("a", word)) is not None
