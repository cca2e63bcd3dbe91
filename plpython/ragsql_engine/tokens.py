"""Counting a model's tokens, and fitting text into its window without cutting it off."""

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path

from tokenizers import Encoding, Tokenizer

from ragsql_engine.errors import ModelMissing
from ragsql_engine.files import DAMAGED, require_files
from ragsql_engine.model import SMALLEST_WINDOW, Model

# floor(text, start, position): the last good place to end a passage that begins at `start`,
# at or before `position`, and always after `start`.
Floor = Callable[[str, int, int], int]

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")

# A first guess at how much text fills a window; longer text is approached by doubling.
_CHARACTERS_PER_TOKEN = 6


class TokenWindow:
    """The window of one model: exact token counts, never truncated.

    `capacity` is the number of tokens left for prefix and text once the model's special
    tokens are set aside.
    """

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self.max_tokens = max_tokens
        self.special_tokens = tokenizer.num_special_tokens_to_add(False)
        self.capacity = max_tokens - self.special_tokens

    def count(self, text: str) -> int:
        """Tokens of `text` alone, without special tokens."""
        return len(self._encode(text))

    def token_starts(self, text: str) -> list[int]:
        """Where the tokens of `text` begin, in rising order."""
        return [start for start, _ in self._encode(text).offsets]

    def narrowed(self, capacity: int) -> "TokenWindow":
        """A window of the same model that holds at most `capacity` tokens."""
        narrow = copy.copy(self)
        narrow.capacity = min(self.capacity, capacity)
        return narrow

    def fit(
        self,
        text: str,
        start: int,
        end: int,
        floor: Floor,
        prefix: str = "",
        probe: int | None = None,
    ) -> tuple[int, int]:
        """The largest allowed end, at most `end`, such that prefix + text[start:end] fits.

        Returns that end and the number of tokens, of prefix and text, without special tokens.
        Text beyond `probe` characters is looked at only when so much fits: time grows with the
        length of what fits, not with the length asked for.
        """
        reach = start + (probe or self.capacity * _CHARACTERS_PER_TOKEN)
        while reach < end:
            tried = floor(text, start, reach)
            fitting = self._shrink(text, start, tried, floor, prefix)
            if fitting[0] < tried:
                return fitting
            reach = start + 2 * (reach - start)
        return self._shrink(text, start, end, floor, prefix)

    def _shrink(
        self, text: str, start: int, end: int, floor: Floor, prefix: str
    ) -> tuple[int, int]:
        while True:
            encoding = self._encode(prefix + text[start:end])
            if len(encoding) <= self.capacity or end - start <= 1:
                return end, len(encoding)
            overflow = start - len(prefix) + encoding.offsets[self.capacity][0]
            end = floor(text, start, min(max(overflow, start + 1), end - 1))

    def _encode(self, text: str) -> Encoding:
        return self._tokenizer.encode(text, add_special_tokens=False)


def load_window(model: Model, directory: Path) -> TokenWindow:
    """Read the tokenizer of a model from its directory.

    The window is the smaller of the registry's max_tokens and the tokenizer's own limit, since
    the provider truncates at the latter.
    """
    require_files(model, directory, TOKENIZER_FILES)
    file = directory / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare Exception
        raise ModelMissing(
            f"the tokenizer of model {model.name} cannot be read",
            detail=f"Its file {file.name}: {error}",
            hint=DAMAGED,
        ) from error
    limits = [limit for limit in (model.max_tokens, _own_limit(directory)) if limit]
    if not limits:
        raise ModelMissing(
            f"the window of model {model.name} is not known",
            detail="Its tokenizer_config.json has no model_max_length.",
            hint="Set max_tokens of the model with rag.add_model.",
        )
    return TokenWindow(tokenizer, min(limits))


def _own_limit(directory: Path) -> int | None:
    """`model_max_length` of tokenizer_config.json; some models write 1e30 for "unknown"."""
    try:
        config = json.loads((directory / "tokenizer_config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    limit = config.get("model_max_length")
    usable = isinstance(limit, int) and SMALLEST_WINDOW <= limit <= sys.maxsize
    return limit if usable else None
