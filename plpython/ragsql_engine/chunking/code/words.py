"""Text for heading paths and contexts: one line, no control characters, a bounded length."""


def one_line(text: str, most: int) -> str:
    """`text` on one line, with an ellipsis where it is longer than `most` characters."""
    words = " ".join(text[: 8 * most].split())
    line = "".join(char for char in words if char.isprintable())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
