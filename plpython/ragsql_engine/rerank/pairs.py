"""What a cross-encoder is to read of a question and a passage: both within one window."""

from collections.abc import Iterator
from dataclasses import dataclass

from ragsql_engine.chunking.clusters import word_end
from ragsql_engine.chunking.strings import after_space
from ragsql_engine.errors import InvalidParameter, LimitExceeded
from ragsql_engine.tokens import TokenWindow
from ragsql_engine.visibility import is_visible

LONGEST = 1_000_000
"""Characters of a passage; to score more would take an hour."""

# A pair has up to two special tokens more than a text by itself: <s> question </s></s> passage </s>.
_BETWEEN = 2
# Characters of a text, for each token that fits, which are tokenized in one go.
_COUNTED = 16


@dataclass(frozen=True, slots=True)
class Part:
    """A passage, or a part of one, that fits beside the question; tokens of both together."""

    text: str
    tokens: int


class Pairs:
    """The question, cut to half of the window where it is longer, and what passages fit beside."""

    def __init__(self, query: str | None, window: TokenWindow) -> None:
        """Fails with InvalidParameter for a question without a visible character."""
        if query is None or not is_visible(query):
            raise InvalidParameter(
                f"the query is {'null' if query is None else 'blank'}: nothing can be relevant "
                "to it",
                hint="Give a question in words.",
            )
        capacity = window.capacity - _BETWEEN
        end, tokens = window.narrowed(capacity // 2).fit(query, 0, len(query), word_end)
        self.query = query[:end]
        self._before = tokens + window.special_tokens + _BETWEEN
        self._window = window.narrowed(capacity - tokens)

    def parts(self, passage: str, number: int) -> Iterator[Part]:
        """The passage in parts that fill what the question leaves of the window; none if blank."""
        if len(passage) > LONGEST:
            raise LimitExceeded(
                f"passage {number} has {len(passage)} characters, but at most {LONGEST} are scored",
                hint="Cut it with rag.chunk_text.",
            )
        window = self._window
        if len(passage) <= window.capacity * _COUNTED and is_visible(passage):
            tokens = window.count(passage)
            if tokens <= window.capacity:
                yield Part(passage, self._before + tokens)
                return
        start = after_space(passage, 0, len(passage))
        while start < len(passage):
            end, tokens = window.fit(passage, start, len(passage), word_end)
            if is_visible(passage, start, end):
                yield Part(passage[start:end], self._before + tokens)
            start = after_space(passage, end, len(passage))
