"""Passages of a fixed number of characters."""

from ragsql_engine.chunking import clusters


class CharacterRuler:
    """Measures in code points; never cuts a cluster that fits the size.

    White space at the two ends of the text belongs to no passage.
    """

    def __init__(self, text: str, size: int, overlap: int) -> None:
        self.begin, self.end = len(text) - len(text.lstrip()), len(text.rstrip())
        self._text, self._size, self._overlap = text, size, overlap

    def far_end(self, start: int) -> int:
        return clusters.floor(self._text, start, min(start + self._size, self.end))

    def floor(self, text: str, start: int, position: int) -> int:
        return clusters.floor(text, start, position)

    def start_before(self, position: int) -> int:
        return clusters.floor(self._text, max(position - self._size, -1), max(position, 0))

    def resume(self, end: int) -> int:
        return end

    def next_start(self, start: int, end: int) -> int:
        # A passage that the model's window made smaller keeps the share of its overlap.
        overlap = self._overlap * (end - start) // self._size
        return clusters.ceil(self._text, max(end - overlap, start + 1), end)
