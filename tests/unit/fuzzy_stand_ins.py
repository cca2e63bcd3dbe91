"""A vocabulary, an analyzer and parts made of plain texts, for tests of the fuzzy leg."""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ragsql_engine.lexical.codec import Posting
from ragsql_engine.lexical.documents import FOREVER, NEVER, Documents
from ragsql_engine.lexical.parts import Visible

STOP_WORDS = frozenset("a and be for in is not of on or the to with".split())
_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+")
_HAN_OR_KANA = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]+")


def forms_of(text: str) -> list[str]:
    """Words in lower case, identifiers whole, bigrams of scripts without blanks."""
    found: dict[str, None] = {}
    for chunk in (match[0].strip(".,:;!?()\"'") for match in _CHUNK.finditer(text.lower())):
        words = _WORD.findall(chunk)
        if words and not chunk.isalnum():
            found[chunk] = None
        for word in words:
            if run := _HAN_OR_KANA.fullmatch(word):
                found |= dict.fromkeys(run[0][at : at + 2] for at in range(max(1, len(word) - 1)))
            else:
                found[word] = None
    return list(found)


def forms(texts: Sequence[str]) -> list[list[str]]:
    """`forms_of` each text."""
    return [forms_of(text) for text in texts]


def is_stop(words: Sequence[str]) -> list[bool]:
    """Which words an English configuration leaves out."""
    return [word in STOP_WORDS for word in words]


@dataclass
class TextVocabulary:
    """Counts the words of visible texts; its dictionary has those of hidden ones too."""

    counts: Counter[str]
    hidden: frozenset[str] = frozenset()
    asked: list[int] = field(default_factory=list)
    looked_near: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, texts: Iterable[str], hidden: Iterable[str] = ()) -> "TextVocabulary":
        counts = Counter(word for text in texts for word in forms_of(text))
        return cls(counts, frozenset(hidden))

    def frequencies(self, words: Sequence[str]) -> list[int]:
        self.asked.append(len(words))
        return [self.counts[word] for word in words]

    def near(self, word: str, max_distance: int) -> list[str]:
        self.looked_near.append(word)
        return [*self.hidden, *filter(self.counts.__getitem__, self.counts)]


class TextPart:
    """A part of documents: for each, its id, the index of its first passage, and its passages."""

    def __init__(
        self,
        documents: Sequence[tuple[uuid.UUID, int, Sequence[str]]],
        mask: NDArray[np.bool_] | None = None,
    ) -> None:
        passages = [text for _, _, texts in documents for text in texts]
        sizes = [len(texts) for _, _, texts in documents]
        ids = b"".join(document_id.bytes for document_id, _, _ in documents)
        nothing = np.zeros(len(documents), np.int64)
        self.documents = Documents(
            entry_ids=np.arange(len(documents)),
            document_ids=np.frombuffer(ids, ">u8").astype(np.uint64).reshape(-1, 2),
            collection_ids=nothing,
            acl_ids=nothing,
            first_passages=(np.cumsum(sizes) - sizes).astype(np.uint32),
            first_indexes=np.array([first for _, first, _ in documents], np.uint32),
            valid_from=nothing + NEVER,
            valid_until=nothing + FOREVER,
            passages=len(passages),
        )
        self.lengths = np.array([len(text.split()) for text in passages], np.uint32)
        self.visible = Visible.of(self.lengths, mask)
        self._postings: dict[str, list[int]] = {}
        for ordinal, text in enumerate(passages):
            for word in forms_of(text):
                self._postings.setdefault(word, []).append(ordinal)

    def posting(self, kind: str, term: str) -> Posting | None:
        assert kind == "s"
        ordinals = self._postings.get(term)
        return None if ordinals is None else Posting(np.array(ordinals, np.uint16), None)

    def starting_with(self, kind: str, prefix: str) -> Posting | None:
        raise AssertionError("the fuzzy leg asks for whole words")
