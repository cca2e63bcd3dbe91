"""psql transcripts in a document, and the same input typed into a real psql on a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import termios
import time
from pathlib import Path

PROMPT = re.compile(r"^ragsql[=\-'(][>#] ?")
WAITING = re.compile(rb"ragsql[=\-'(][>#] $")
BLOCK = re.compile(
    r"^```text\n(?:\$ [^\n]*\n)?(?P<shown>ragsql=.*?)^```$", re.MULTILINE | re.DOTALL
)
SECONDS = 60

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SAME_UUID = "d0c00000-0000-4000-8000-000000000000"


def transcripts(text: str) -> list[str]:
    """The psql transcripts of a Markdown text, in order."""
    return [block["shown"] for block in BLOCK.finditer(text)]


def typed(transcript: str) -> list[str]:
    """What a person typed: the lines after a prompt."""
    return [PROMPT.sub("", line) for line in transcript.splitlines() if PROMPT.match(line)]


def normalised(transcript: str) -> str:
    """A transcript without what differs from run to run: document ids."""
    return UUID.sub(SAME_UUID, transcript)


def replay(psql: Path, dsn: str, database: str, lines: list[str]) -> str:
    """What psql shows on a terminal while `lines` are typed one after another.

    The database is shown as "ragsql", whatever its name; blanks at the ends of lines are dropped.
    """
    terminal, process = _start(psql, dsn)
    try:
        greeting = _read_to_prompt(terminal)
        shown = greeting[greeting.rindex(b"\n") + 1 :]
        for line in lines:
            os.write(terminal, f"{line}\n".encode())
            shown += _read_to_prompt(terminal)
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
    text = shown.decode().replace("\r\n", "\n")
    text = text[: text.rindex("ragsql")].replace(f'database "{database}"', 'database "ragsql"')
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"


def _start(psql: Path, dsn: str) -> tuple[int, subprocess.Popen[bytes]]:
    terminal, other_end = pty.openpty()
    command = [str(psql), "-X", "--no-readline", "-P", "pager=off", "-d", dsn]
    for name in ("PROMPT1", "PROMPT2"):  # psql's own default, in a database named ragsql
        command += ["-v", f"{name}=ragsql%R%x%# "]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    try:
        termios.tcsetwinsize(other_end, (1000, 1000))
        process = subprocess.Popen(
            command, stdin=other_end, stdout=other_end, stderr=other_end, env=environment
        )
    finally:
        os.close(other_end)
    return terminal, process


def _read_to_prompt(terminal: int) -> bytes:
    read = b""
    deadline = time.monotonic() + SECONDS
    while not WAITING.search(read):
        if not select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise TimeoutError(f"psql shows no prompt: {read.decode(errors='replace')}")
        read += os.read(terminal, 65536)
    return read
