"""Running a grammar on a text within bounds of memory and time."""

import contextlib
import importlib
import os
import resource
import signal
import threading
import time
from collections.abc import Callable

from tree_sitter import Language as Grammar
from tree_sitter import Node as Syntax
from tree_sitter import Parser, Tree

from ragsql_engine.chunking.code.languages import Language

LARGEST = 10_000_000  # bytes; a tree takes 10 to 50 times as much
# What the parser does for a text, in steps of its own: 1 a byte is usual, 3 are many. A step
# takes about 50 bytes of memory, so this bounds the tree where a text is nothing but tokens.
MOST_STEPS = 10_000_000
_MOST_MEMORY = 1_000_000_000  # bytes; deep nesting takes several times as much a step
_STEPS_PER_CALL = 100
_CALLS_PER_PAUSE = 100
# What a scanner reads, as a multiple of the text: some look ahead to its end at every token.
_MOST_READ = 40
_PIECE = 2048
# Bytes; a smaller text cannot take much, whatever it says.
_SMALL = 2_000
_NAP = 0.002  # seconds
# Seconds of this thread: ten times what is usual. Text in the wrong language makes some grammars
# try so many ways out that a megabyte takes a quarter of a minute.
_SECONDS, _SECONDS_PER_MEGABYTE = 2.0, 2.0


_WHOLE = ("statement", "declaration", "definition", "specifier", "item", "comment")
_WHOLE_TYPES = frozenset({"method", "class", "module", "call", "assignment"})  # of Ruby


class NotParsedError(Exception):
    """Why a text has no tree, in words that go before `: cut at ... blocks`."""


def parse_tree(language: Language, text: str, data: bytes, pause: Callable[[], None]) -> Tree:
    """The syntax tree of `data`, which is `text` in UTF-8; raises NotParsedError."""
    if len(data) > LARGEST:
        raise NotParsedError(f"the text is larger than {LARGEST // 1_000_000} MB")
    try:
        parser = Parser(_grammar(language, text))
    except ImportError:
        raise NotParsedError(f"the grammar for {language.name} is not installed") from None
    except (AttributeError, ValueError, TypeError):
        raise NotParsedError(f"the grammar for {language.name} does not fit tree-sitter") from None
    if len(data) > _SMALL and not _survives(parser, data, pause):
        raise NotParsedError(f"parsing as {language.name} takes too much")
    guard = _Guard(data, pause)
    try:
        tree = parser.parse(guard.read, encoding="utf8", progress_callback=guard.must_stop)
    except ValueError:
        tree = None
    if tree is None or guard.is_exhausted:
        raise NotParsedError(f"parsing as {language.name} takes too much")
    return tree


def _survives(parser: Parser, data: bytes, pause: Callable[[], None]) -> bool:
    """Whether a child process can parse `data` within bounds.

    On text that is not in its language a parser's error recovery can take gigabytes within one of
    its steps, and then ends the process: that must not be the server's.
    """
    child = os.fork()
    if child == 0:
        try:
            _parse_in_child(parser, data)
        finally:
            os._exit(1)
    try:
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status == 0
            time.sleep(_NAP)
            pause()
    except BaseException:
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        raise


def _parse_in_child(parser: Parser, data: bytes) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)  # the server's handlers are not for this process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = _resident(0) + _MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    seconds = 2 + int(_SECONDS + _SECONDS_PER_MEGABYTE * len(data) / 1e6)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    guard = _Guard(data, lambda: None)
    tree = parser.parse(guard.read, encoding="utf8", progress_callback=guard.must_stop)
    os._exit(0 if tree is not None and not guard.is_exhausted else 1)


def _grammar(language: Language, text: str) -> Grammar:
    module = importlib.import_module(language.module)
    function = language.function
    if language.name == "php" and "<?" not in text:
        function = "language_php_only"
    return Grammar(getattr(module, function)())


class _Buffer(threading.local):
    """Pieces of text for the parser to read, one at a time.

    tree-sitter 0.26 never lets go of an object that it was handed, so it is handed the same few
    for ever: one for each length, over bytes that change. A parser looks at a piece only until it
    reads the next one.
    """

    def __init__(self) -> None:
        self._bytes = bytearray(_PIECE)
        self._views: dict[int, memoryview] = {}

    def filled(self, piece: memoryview) -> memoryview:
        """A view of a copy of `piece`, which is no longer than a piece."""
        length = len(piece)
        self._bytes[:length] = piece
        if length not in self._views:
            self._views[length] = memoryview(self._bytes)[:length]
        return self._views[length]


_BUFFER = _Buffer()


class _Guard:
    """Hands the text to the parser, and stops it."""

    def __init__(self, data: bytes, pause: Callable[[], None]) -> None:
        self._data = memoryview(data)
        self._pause = pause
        self._calls = self._read = 0
        self._most_read = _MOST_READ * len(data) + 1000 * _PIECE
        self._most_resident = _resident() + _MOST_MEMORY
        self._until = time.thread_time() + _SECONDS + _SECONDS_PER_MEGABYTE * len(data) / 1e6

    @property
    def is_exhausted(self) -> bool:
        """Whether the text was cut short."""
        return self._read > self._most_read

    def read(self, byte: int, point: object) -> memoryview:
        """The text from `byte` on; nothing once too much was read, since a scanner that looks
        ahead cannot be stopped in any other way.
        """
        piece = self._data[byte : byte + _PIECE]
        self._read += len(piece)
        return _BUFFER.filled(self._data[:0] if self.is_exhausted else piece)

    def must_stop(self, byte: int, has_error: bool) -> bool:
        """Asked now and then by the parser."""
        self._calls += 1
        if self._calls % _CALLS_PER_PAUSE == 0:
            self._pause()
            if _resident() > self._most_resident:
                return True
        return (
            self._calls * _STEPS_PER_CALL > MOST_STEPS
            or self.is_exhausted
            or time.thread_time() > self._until
        )


def _resident(column: int = 1) -> int:
    """The bytes of memory that this process has (column 0: of address space); 0 if unknown."""
    try:
        with open("/proc/self/statm") as numbers:
            return int(numbers.read().split()[column]) * resource.getpagesize()
    except OSError:
        return 0


def damage(root: Syntax) -> float:
    """The share of a tree's bytes that did not parse, from 0 to 1; whole statements count as
    parsed wherever they stand.
    """
    lost, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        if not node.has_error:
            continue
        children = node.children
        if node.is_error:
            children = [child for child in children if _is_whole(child)]
            lost += node.end_byte - node.start_byte
            lost -= sum(child.end_byte - child.start_byte for child in children)
        waiting.extend(children)
    return lost / max(1, root.end_byte - root.start_byte)


def _is_whole(node: Syntax) -> bool:
    kind = node.type
    return not node.is_error and (
        kind in _WHOLE_TYPES or kind.endswith(_WHOLE) or kind.startswith("preproc_")
    )
