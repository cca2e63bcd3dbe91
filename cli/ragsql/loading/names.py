"""File names as printable text that can be turned back into the name."""

import os
import re

# What would break a line of a log or change how a terminal shows the rest of it: C0, DEL, C1,
# line and paragraph separators, and the controls of writing direction. A backslash is doubled,
# so that the written form names one file only.
_SPECIAL = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\udc80-\udcff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char == "\\":
        return "\\\\"
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as os.fsdecode keeps it
        code -= 0xDC00
        return f"\\x{code:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"


def printable_name(name: str) -> str:
    r"""Write a name from the file system so that it can be stored, printed and reversed.

    Bytes that are not UTF-8 become ``\xNN``, control characters ``\xNN`` or ``\uNNNN``, a
    backslash two. All other characters stay as they are.
    """
    return _SPECIAL.sub(_escape, name)


def source_name(path: str, root: str) -> str:
    """Return the source of a file: its path below ``root``, with '/' between the parts."""
    relative = os.path.relpath(path, root)
    return "/".join(printable_name(part) for part in relative.split(os.sep))


def one_line(text: str, limit: int = 200) -> str:
    """Return the first line of a message without control characters, at most ``limit`` long."""
    lines = text.strip().splitlines()
    line = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", lines[0]) if lines else ""
    return line if len(line) <= limit else line[: limit - 1] + "…"


def without_controls(text: str) -> str:
    """Replace what a terminal would obey instead of showing; tabs and newlines stay."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
