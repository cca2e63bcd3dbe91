"""Small things that every reader of structure does with strings."""

LONGEST_NAME = 300  # characters of a context, or of an element of a heading path


def one_line(text: str, limit: int = LONGEST_NAME) -> str:
    """`text` as a context or an element of a heading path: printable, on one line, bounded."""
    line = " ".join(text[: 8 * limit].split())
    if not line.isprintable():
        line = "".join(char for char in line if char.isprintable() or char.isspace())
        line = " ".join(line.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """`start`..`end` without white space at its ends; empty where there is nothing else."""
    start = after_space(text, start, end)
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def after_space(text: str, position: int, end: int) -> int:
    """The first character from `position` on that is no white space; `end` where there is none."""
    while position < end and text[position].isspace():
        position += 1
    return position
