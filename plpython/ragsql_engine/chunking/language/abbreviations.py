"""Full stops that end no sentence: abbreviations, initials, enumerators, ordinal numbers.

Words stand here without their last full stop, as they are written; letter case tells. What stands
in no list and looks like no initial ends its sentence: a sentence cut too early costs a search
less than two of them glued together.
"""

import re


def _forms(words: str) -> frozenset[str]:
    """Each word as it stands, and with a capital letter."""
    return frozenset(form for word in words.split() for form in (word, word[0].upper() + word[1:]))


# Something always follows: titles before a name, "compare", "approximately".
_NEVER = _forms(
    "dr mr mrs ms mme mlle prof dra sra srta dhr mevr dott dipl "
    "vs cf viz resp figs eqs refs ca approx bzw vgl ggf evtl inkl exkl zzgl sog bspw bijv "
    "рис им напр"
) | frozenset("Gen Col Lt Sgt Capt Cmdr Gov Sen Rep Rev Hon Messrs Mt Ft Hr Fr Sig Ing".split())

# A number follows, as in "No. 5", "Art. IV", "Jan. 3".
_BEFORE_NUMBER = _forms(
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "no nos nr pp fig eq ref art arts sec secs ch chap chaps vol vols para paras pt pts app "
    "div reg cl sch ed eds ex exs ln col cols abs bd kap ziff rdnr rn aufl tel ext éd par "
    "abb tab hrsg blz pág págs núm pag стр гл ст §"
) | frozenset("p Mon Tue Tues Wed Thu Thurs Fri Sat Sun".split())

# The sentence goes on where a small letter, a number or a bracket follows.
_IN_LOWER_CASE = _forms(
    "etc inc ltd co corp bros dept est misc max min avg usw ecc enz др mio mrd str ave blvd rd assn"
) | frozenset("a.m p.m A.M P.M GmbH т.д т.п т.к н.э o.ä u.ä q.e.d".split())

# The sentence goes on, unless the next word likes to begin one.
_BEFORE_NAME = frozenset(
    "St st Jr Sr al Ph.D EE.UU Univ Hl ibid Biol Chem Phys Proc Natl Acad Sci Soc".split()
)

_STARTERS = frozenset(
    (
        "A After Although An And As At Because Before But For From He Her Here His How However I "
        "If In It Its My Of On Our She Since So Such That The Their Then There These They This "
        "Those To Under We What When Where While Who Why With You "
        "Der Die Das Dies Diese Ein Eine Er Es Sie Wir Aber Auch Doch Le La Les Il Elle El Los Las"
    ).split()
)
# What a German ordinal number stands before.
_COUNTED = frozenset(
    (
        "Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember "
        "Jahrhundert Jahrhunderts Klasse Auflage"
    ).split()
)

_WORD = re.compile(r"[^\W\d_]+")
_NUMERAL = re.compile(
    r"[\"'“„(\[]?(?:\d|(?:[IVXLC]{2,}|[VX])\b|[A-Z]\d|(?:of|and|or|to|through|und|bis|et)\b)"
)
_ENUMERATOR = re.compile(
    r"[\s>#*+\-–•(\[|]*+(?:\d{1,3}(?:\.\d{1,3}){0,9}|[A-Za-z]|[ivxIVX]{1,5})\Z"
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?){0,9}[^\W\d_]\Z")
_ROMAN = re.compile(r"[IVXLC]{2,8}\Z")
_PAIR = re.compile(r"(?<!\w)[^\W\d_]\.\s?[^\W\d_]\Z")

_OPENERS = "\"'“”„‘’‚«»‹›([{*_`~<¿¡"
_FARTHEST = 20
"""Characters before the full stop that are looked at."""
_FIRST_CASELESS = "\u0590"
_FIRST_IDEOGRAPHIC = "\u2e80"


def abbreviates(text: str, start: int, stop: int, following: int) -> bool:
    """Whether the full stop at `stop` belongs to the word before it and ends no sentence.

    `start` is where the sentence may begin, `following` where the text goes on after white space.
    """
    tail = text[max(start, stop - _FARTHEST) : stop]
    words = tail.rsplit(None, 1)
    if not words:
        return False
    word = words[-1].lstrip(_OPENERS)
    rule = _RULES.get(word)
    if rule is not None:
        return rule(text, following) or _is_enumerator(text, start, stop)
    if len(word) > 2 and word.isalpha() and word[0] not in "ivxIVXLC":  # most of them
        return False
    if _is_enumerator(text, start, stop):
        return True
    if word in (".", ".."):  # a spaced ellipsis
        return starts_lower(text, following)
    if (word.isdecimal() and len(word) < 3) or _ROMAN.match(word):
        return _is_counted(text, following)
    return _INITIALS.match(word) is not None and _is_initial(tail, word, text, following)


def starts_lower(text: str, position: int) -> bool:
    """Whether a small letter stands at `position`, or there behind one opening sign."""
    char = text[position : position + 1]
    if char in _OPENERS:
        char = text[position + 1 : position + 2]
    return char.islower()


def _always(text: str, following: int) -> bool:
    return True


def _before_number(text: str, following: int) -> bool:
    return _NUMERAL.match(text, following) is not None


def _in_lower_case(text: str, following: int) -> bool:
    return text[following] in "([0123456789" or starts_lower(text, following)


def _before_name(text: str, following: int) -> bool:
    word = _WORD.match(text, following)
    return word is None or word.group() not in _STARTERS


_RULES = {
    word: rule
    for words, rule in (
        (_IN_LOWER_CASE, _in_lower_case),
        (_BEFORE_NAME, _before_name),
        (_BEFORE_NUMBER, _before_number),
        (_NEVER, _always),
    )
    for word in words
}


def _is_enumerator(text: str, start: int, stop: int) -> bool:
    """A number or letter that a line or sentence begins with, as "1." or "b." in a list."""
    begin = max(start, stop - _FARTHEST)
    newline = max(text.rfind("\n", begin, stop), text.rfind("\r", begin, stop))
    if newline < 0 and begin > start:
        return False
    return _ENUMERATOR.match(text[max(begin, newline + 1) : stop]) is not None


def _is_counted(text: str, following: int) -> bool:
    """An ordinal number, as in "3. Mai" or "21. století", or a king as in "Ludwig XIV. war"."""
    word = _WORD.match(text, following)
    return word is not None and (word.group()[0].islower() or word.group() in _COUNTED)


def _is_initial(tail: str, word: str, text: str, following: int) -> bool:
    """Single letters with full stops: "J. Smith", "U.S. Navy", "e.g. this", "z. B. Haus"."""
    last = word[-1]
    if last >= _FIRST_CASELESS and not last.islower() and not last.isupper():
        return last < _FIRST_IDEOGRAPHIC  # a title in Arabic
    pair = _PAIR.search(tail)
    if pair is not None and pair.group()[0].islower():
        rule = _RULES.get("".join(pair.group().split()), _always)
        return rule(text, following)
    if last.isupper():
        return _before_name(text, following)
    return "." in word or _goes_on_after_letter(text, following)


def _goes_on_after_letter(text: str, following: int) -> bool:
    """After a single small letter: a number, a small letter, or the letter of "z. B."."""
    if starts_lower(text, following) or _NUMERAL.match(text, following):
        return True
    return text[following].isalpha() and text[following + 1 : following + 2] == "."
