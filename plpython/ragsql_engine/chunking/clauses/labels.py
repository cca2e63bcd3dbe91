"""Words and numbers by which contracts and statutes name their divisions."""

import unicodedata

# The lower the rank, the more a division holds. Those of the middle hold one another in the order
# in which a document first uses them: here articles have sections, there sections have articles.
ANNEX, PART, CHAPTER, SUBCHAPTER, MIDDLE, POINT, DECIMAL = 0, 5, 10, 20, 30, 60, 70

_LATIN = {
    ANNEX: "schedule annex annexe annexure appendix exhibit attachment addendum rider anlage anhang "
    "anexo allegato bijlage",
    PART: "part book teil partie parte",
    CHAPTER: "chapter title kapitel titel chapitre titre capítulo capitolo",
    SUBCHAPTER: "abschnitt subchapter",
    MIDDLE: "article articles art artikel artículo artigo articolo clause cláusula section sec",
}
LATIN = {word: rank for rank, words in _LATIN.items() for word in words.split()}
ARABIC = {
    "باب": PART,
    "ملحق": ANNEX,
    "فصل": CHAPTER,
    "قسم": SUBCHAPTER,
    "مادة": MIDDLE,
    "بند": MIDDLE,
}
_EAST_ASIAN = {
    ANNEX: "附件",
    PART: "编 編 部 部分 편",
    CHAPTER: "章 장",
    SUBCHAPTER: "节 節 절",
    MIDDLE: "条 條 조",
    POINT: "款 項 项 항 、",
}
_RANKS = (
    LATIN
    | ARABIC
    | {"§": MIDDLE, "§§": MIDDLE}
    | {word: rank for rank, words in _EAST_ASIAN.items() for word in words.split()}
)
_SAME = {"art": "article", "articles": "article", "sec": "section", "annexe": "annex", "§§": "§"}

HAN_NUMERALS = "〇零一二三四五六七八九十百千两"
ENGLISH_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
# Masculine, feminine. What is called first by itself is another word in eleventh.
ARABIC_ORDINALS = {
    word: value
    for words in (
        "أول ثاني ثالث رابع خامس سادس سابع ثامن تاسع عاشر",
        "أولى ثانية ثالثة رابعة خامسة سادسة سابعة ثامنة تاسعة عاشرة",
        "حادي",
        "حادية",
    )
    for value, word in enumerate(words.split(), 1)
}

_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_HAN_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
}
_HAN_POWERS = {"十": 10, "百": 100, "千": 1000}


def division(word: str) -> str:
    """One name for all spellings of a division."""
    word = word.lower().rstrip(".").removeprefix("ال")
    return _SAME.get(word, word)


def rank_of(name: str) -> int:
    """The rank of a division named by `division`."""
    return _RANKS.get(name, DECIMAL)


def values(written: str) -> tuple[int, ...]:
    """What a number may mean, likeliest first: V is 5 or the 22nd letter; () for no number."""
    if written.isdecimal():
        return (int(written),)
    if written.lower() in ENGLISH_NUMBERS:
        return (ENGLISH_NUMBERS.index(written.lower()) + 1,)
    if written.isascii():
        letter = (ord(written) - ord("A") + 1,) if len(written) == 1 else ()
        roman = _roman(written)
        return ((roman,) if roman else ()) + letter
    number = _han(written) or _arabic_ordinal(written)
    return (number,) if number else ()


def _roman(written: str) -> int:
    """0 where a letter is no digit."""
    total, largest = 0, 0
    for char in reversed(written):
        value = _ROMAN.get(char, 0)
        if not value:
            return 0
        total += value if value >= largest else -value
        largest = max(largest, value)
    return max(total, 0)


def _han(written: str) -> int:
    """0 where a character is no numeral of the Chinese system."""
    total, digit = 0, 0
    for char in written:
        if char in _HAN_POWERS:
            total += (digit or 1) * _HAN_POWERS[char]
            digit = 0
        elif char in _HAN_DIGITS or char.isdecimal():
            digit = digit * 10 + _HAN_DIGITS.get(char, unicodedata.decimal(char, 0))
        else:
            return 0
    return total + digit


def _arabic_ordinal(written: str) -> int:
    """From the first to the nineteenth; 0 for other words."""
    first, *teen = written.split()
    first = first.removeprefix("ال")
    if first.startswith("ا"):
        first = f"أ{first[1:]}"
    value = ARABIC_ORDINALS.get(first, 0)
    return value + 10 if value and teen else value
