"""Passages of a fixed number of a model's tokens."""

from ragsql_engine.chunking.clusters import word_end
from ragsql_engine.chunking.measures import UnitMeasure
from ragsql_engine.chunking.strings import trimmed


class TokenRuler:
    """Measures in tokens; passages begin and end at words, where a word is not too long."""

    def __init__(self, text: str, size: int, overlap: int, measure: UnitMeasure) -> None:
        self.begin, self.end = trimmed(text, 0, len(text))
        self._text, self._size, self._overlap, self._measure = text, size, overlap, measure

    def far_end(self, start: int) -> int:
        reach = min(self._measure.reach(start, self._size), self.end)
        return reach if reach == self.end else word_end(self._text, start, max(reach, start + 1))

    def floor(self, text: str, start: int, position: int) -> int:
        return word_end(text, start, position)

    def start_before(self, position: int) -> int:
        start = max(position, 0)
        while start > 0 and not self._text[start - 1].isspace():
            start -= 1
        return start

    def resume(self, end: int) -> int:
        return trimmed(self._text, end, self.end)[0] if end < self.end else end

    def next_start(self, start: int, end: int) -> int:
        # A passage that the model's window made smaller keeps the share of its overlap.
        overlap = self._overlap * self._measure.count(start, end) // self._size
        if overlap == 0:
            return self.resume(end)
        begin = max(self._measure.back(end, overlap), start + 1)
        while begin < end and not self._text[begin - 1].isspace():
            begin += 1
        return self.resume(begin)
