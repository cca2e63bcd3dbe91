"""What to ask next: names that stand in what was found."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ragsql_engine.lexical.question import parse
from ragsql_engine.understanding.shapes import is_code, is_file

_ADDRESS = re.compile(r"(?<!\w)\w+://\S*")
_NAME = re.compile(r"(?<![\w@])[A-Za-z_]\w*(?:(?:::|[.:/\\-])\w+)*")
_READ = 20_000  # characters of a text
_SHORTEST, _LONGEST = 3, 60


def follow_up_terms(query: str, texts: Sequence[str], limit: int) -> list[str]:
    """Identifiers, types and files in the texts that the query does not name.

    Those in more texts come first, then those in earlier ones, in order of writing.
    """
    known = set(re.findall(r"\w+", query.lower())) | set(query.lower().split())
    question = parse(query)
    excluded = " ".join([*question.excluded, *question.excluded_phrases]).lower()
    unwanted = set(re.findall(r"\w+", excluded))
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}
    for text in texts:
        seen: set[str] = set()
        for name in _names(text[:_READ]):
            key = name.lower()
            if key in known or key in seen or unwanted & set(re.findall(r"\w+", key)):
                continue
            seen.add(key)
            written.setdefault(key, name)
        counts.update(seen)
    order = list(written)
    best = sorted(order, key=lambda key: -counts[key])  # stable: earlier first
    return [written[key] for key in best[:limit]]


def _names(text: str) -> Iterator[str]:
    for match in _NAME.finditer(_ADDRESS.sub(" ", text)):
        name = match[0]
        if _SHORTEST <= len(name) <= _LONGEST and _tells(name):
            yield name


def _tells(name: str) -> bool:
    """Whether it is worth asking for: no number, no two words with a sign between them."""
    if not is_code(name):
        return False
    if re.search(r"[.:/\\-]", name) is None:
        return True
    has_sign_of_code = "_" in name or "::" in name or any(map(str.isdigit, name))
    has_hump = re.search(r"[a-z0-9][A-Z]", name) is not None
    return is_file(name) or has_sign_of_code or has_hump
