"""What goes before a passage when it is embedded: its heading path and what it lacks."""

from ragsql_engine.chunking import clusters
from ragsql_engine.tokens import TokenWindow

# A context takes at most this share of the model's window; without a model, this many characters.
_SHARE = 4
_CHARACTERS = 1000
_MOST_KEPT = 4096  # contexts; neighbours share theirs

Lines = tuple[str, ...]


class ContextWriter:
    """Writes contexts within their share of the window.

    `prefix` is what the model wants before every passage.
    """

    def __init__(self, window: TokenWindow | None = None, prefix: str = "") -> None:
        self.prefix = prefix
        self._window = window
        self._written: dict[tuple[Lines, Lines], tuple[str, int]] = {}

    def text(self, path: Lines, context: Lines) -> str:
        """The context, a line end after it; '' where there is none. Inner lines are kept first."""
        return self._written_for(path, context)[0] if path or context else ""

    def size(self, path: Lines, context: Lines) -> int:
        """Tokens of `text(path, context)`; 0 without a model."""
        return self._written_for(path, context)[1] if path or context else 0

    def _written_for(self, path: Lines, context: Lines) -> tuple[str, int]:
        key = path, context
        if key not in self._written:
            if len(self._written) >= _MOST_KEPT:
                self._written.clear()
            heading = [" > ".join(name for name in path if name)]
            self._written[key] = self._shorten([line for line in (*heading, *context) if line])
        return self._written[key]

    def _shorten(self, lines: list[str]) -> tuple[str, int]:
        while lines:
            text = "\n".join(lines)
            if self._window is None:
                if len(text) <= _CHARACTERS:
                    return text + "\n", 0
            else:
                tokens = self._window.count(text)
                if tokens <= self._window.capacity // _SHARE:
                    return text + "\n", tokens
            if len(lines) > 1:
                del lines[0]
            else:
                lines = [self._cut(text)]
        return "", 0

    def _cut(self, line: str) -> str:
        if self._window is None:
            return line[:_CHARACTERS]
        narrow = self._window.narrowed(self._window.capacity // _SHARE)
        return line[: narrow.fit(line, 0, len(line), clusters.floor)[0]].rstrip()
