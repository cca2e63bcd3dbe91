"""What is the title of a clause, and what is already its text."""

import re

LONGEST_TITLE = 80  # characters

_SENTENCE_SIGN = re.compile(r"[.!?;:。！？；：؟۔؛](?=\s|\Z)|[。！？；]|,\Z")
_RUN_IN = re.compile(r"([^.:;!?]{1,60})[.:](?=[\s*_]|\Z)")
_IN_BRACKETS = re.compile(r"[(（【〔]([^\x00-\x7f()（）】〕]{2,40})[)）】〕]")
_VERB = re.compile(r"\b(?:shall|must|will|agrees?|is|are|was|were|has|have|means?)\b")
_NEXT_LINE = re.compile(
    r"[^\S\n]*+\n(?:[^\S\n]*+\n)?[^\S\n]*+(?P<line>[^\s#][^\n]{0,99})(?=\n|\Z)"
    r"(?P<apart>(?=\n[^\S\n]*+(?:\n|\Z)|\Z))?"
)
_ITEM = re.compile(r"[(（]\w{1,4}[)）]|\w{1,2}[.)、]|[-*•–]\s")
_DECORATION = "*_ \t\u3000"
_LONGEST_WITHOUT_CAPITALS = 20  # characters
_SMALL = frozenset(
    "a an and as at by for from in into its of on or per the their this to under upon with within "
    "de des der die das du la le les und et y e".split()
)


def split_title(rest: str, continues: bool) -> tuple[str, int]:
    """The title that `rest` of a line begins with, and how much of `rest` it takes.

    `continues` tells that the next line goes on with the same sentence. A title is short and no
    sentence, or stands in brackets, or ends with a stop or a colon after words that begin with
    capitals: "Notice. Any notice shall be in writing."
    """
    line = rest.strip(_DECORATION)
    if bracketed := _IN_BRACKETS.match(line):
        title, taken = bracketed[1], bracketed.end()
    elif not continues and _is_title(line):
        return line, len(rest)
    elif (run_in := _RUN_IN.match(line)) and is_capitalised(run_in[1]):
        title, taken = run_in[1].strip(_DECORATION), run_in.end()
    else:
        return "", 0
    return title, len(rest) if taken == len(line) else rest.index(line) + taken


def _is_title(line: str) -> bool:
    if not line.strip() or len(line) > LONGEST_TITLE or line[0].islower():
        return False
    if _SENTENCE_SIGN.search(line) or _VERB.search(line):
        return False
    return line.split()[-1] not in _SMALL


def is_capitalised(line: str) -> bool:
    """Whether all words but small ones begin with a capital, in a script that has them."""
    words = line.split()
    if not words or len(words) > 10 or words[-1] in _SMALL or words[0][0].islower():
        return False
    capitals = sum(word.strip("\"'“(*_")[:1].isupper() for word in words)
    others = sum(word[0].islower() and word not in _SMALL for word in words)
    return capitals > 0 and others == 0


def title_below(text: str, end: int) -> tuple[str, int, int]:
    """The title on the line after one that ends at `end`, with where it starts and ends.

    Such a line stands by itself or is in capitals; in scripts without them it is short. "" and
    `end` where there is none.
    """
    found = _NEXT_LINE.match(text, end)
    if found is None or not _is_title(line := found["line"].strip(_DECORATION)):
        return "", end, end
    if _ITEM.match(line):
        return "", end, end
    stands_out = line.isupper() or (is_capitalised(line) and found["apart"] is not None)
    if stands_out or (line.lower() == line.upper() and len(line) <= _LONGEST_WITHOUT_CAPITALS):
        start = found.start("line")
        indent = len(found["line"]) - len(found["line"].lstrip(_DECORATION))
        return line, start + indent, end + len(found[0].rstrip())
    return "", end, end
