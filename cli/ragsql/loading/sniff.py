"""Telling text from binary content by its bytes, whatever the file is called."""

import re

# Signatures of files that are met under a text extension. Those made of letters only are
# listed with the bytes that follow, so that a text which merely names the format stays a text.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (rb"\x89PNG\r\n\x1a\n", "PNG image"),
    (rb"\xff\xd8\xff", "JPEG image"),
    (rb"GIF8[79]a.{0,8}[\x00\x80-\xff]", "GIF image"),
    (rb"RIFF.{4}WEBP", "WebP image"),
    (rb"%PDF-\d\.\d", "PDF document"),
    (rb"\{\\rtf1", "RTF document"),
    (rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", "ZIP archive (also docx, xlsx, epub)"),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office document"),
    (rb"\x1f\x8b\x08", "gzip archive"),
    (rb"BZh[1-9]1AY&SY", "bzip2 archive"),
    (rb"\xfd7zXZ\x00", "xz archive"),
    (rb"\x28\xb5\x2f\xfd", "zstd archive"),
    (rb"7z\xbc\xaf\x27\x1c", "7z archive"),
    (rb"Rar!\x1a\x07", "RAR archive"),
    (rb"\x7fELF", "program"),
    (rb"MZ.{1,62}\x00\x00", "program"),
    (rb"SQLite format 3\x00", "SQLite database"),
    (rb"OggS\x00", "Ogg audio"),
    (rb"ID3[\x02-\x04]\x00", "MP3 audio"),
    (rb".{4}ftyp", "MP4 video"),
)
_SIGNATURE = re.compile(b"|".join(b"(%s)" % pattern for pattern, _ in _SIGNATURES), re.DOTALL)
# Control characters that text does not hold; tab, newlines, form feed, backspace (man pages)
# and escape (terminal output, ISO-2022) do occur.
_CONTROLS = bytes(code for code in range(0x20) if code not in b"\t\n\r\f\v\b\x1b") + b"\x7f"


def signature(data: bytes) -> str | None:
    """Name the binary format that the first bytes show, or None."""
    match = _SIGNATURE.match(data[:128])
    return _SIGNATURES[(match.lastindex or 1) - 1][1] if match else None


def has_binary_controls(data: bytes, *, unicode: bool) -> bool:
    """Say whether there are more control characters than a damaged text would have.

    A stray NUL in a text is repaired, not refused. Bytes that are not UTF-8 are judged more
    strictly: random bytes hold about a tenth of control characters, legacy text none.
    """
    controls = len(data) - len(data.translate(None, _CONTROLS))
    share = controls / max(len(data), 1)
    return share > 0.3 or (controls > 3 and share > (0.1 if unicode else 0.02))


def utf16_without_bom(data: bytes) -> str | None:
    """Name the byte order where NUL in every other place shows UTF-16 of mostly Latin text."""
    if len(data) < 4 or len(data) % 2:
        return None
    half = len(data) // 2
    even, odd = data[::2].count(0), data[1::2].count(0)
    if odd > 0.5 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.5 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None
