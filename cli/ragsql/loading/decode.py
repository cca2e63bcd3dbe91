"""From the bytes of a file to text, with nothing lost in silence."""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from ragsql.loading.sniff import has_binary_controls, signature, utf16_without_bom

# UTF-32 before UTF-16: the little-endian mark of the one begins with that of the other.
_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SAMPLE = 1 << 16
# Any bytes of even length are UTF-16 of some script; without a mark it is known by its NULs.
_NEVER_GUESSED = ["utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be", "utf_7"]

# A guess at these languages is believed over cp1252, which shares most of their letters.
_OTHER_LATIN = frozenset(
    "Polish Czech Slovak Hungarian Romanian Croatian Slovene Turkish Lithuanian Latvian Estonian"
    " Vietnamese".split()
)
_SIGN = "¡¢£¤¥¦§¨©«¬®¯±²³´¶¸¹»¼½¾¿×÷‚„…†‡ˆ‰‹›“”•˜™€"
_ACCENTED = "A-Za-zÀ-ÖØ-öø-ÿŠšŒœŽžŸƒªº"
_NOT_WESTERN = re.compile(
    # a sign inside a word; a capital in the middle of a word that has small letters
    f"[{_ACCENTED}][{_SIGN}]+[{_ACCENTED}]|[a-zß-öø-ÿšœž][À-ÖØ-ÞŠŒŽŸ]"
)


class BinaryContent(ValueError):
    """The content is not text; the message names the format where it is known."""


class Undecodable(ValueError):
    """The content cannot be read as text in any encoding that may be assumed."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text as it is stored.

    ``encoding`` is the codec used, ``guessed`` says that nothing but statistics spoke for it.
    ``replaced`` counts NUL characters and lone surrogates that became U+FFFD, one for one.
    """

    text: str
    encoding: str
    guessed: bool
    nul_replaced: int
    surrogates_replaced: int


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode a file: byte order mark, then ``encoding`` or strict UTF-8, then a guess.

    Raises:
        BinaryContent: the bytes are no text.
        Undecodable: they are text in no encoding that fits, or not in the one asked for.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            text = _decode_unicode(data[len(mark) :], name)
            if text is not None:
                return _clean(text, name, guessed=False)
    if kind := signature(data):
        raise BinaryContent(kind)
    if encoding is not None:
        return _clean(_decode_as(data, encoding), encoding, guessed=False)
    if wide := utf16_without_bom(data):
        text = _decode_unicode(data, wide)
        if text is not None:
            return _clean(text, wide, guessed=True)
    text = _decode_unicode(data, "utf-8")
    if has_binary_controls(data, unicode=text is not None):
        raise BinaryContent("control characters")
    if text is not None:
        return _clean(text, "utf-8", guessed=False)
    _refuse_damaged_utf8(data)
    return _guess(data)


def _clean(text: str, encoding: str, *, guessed: bool) -> Decoded:
    nul = text.count("\0")
    surrogates = len(_UNSTORABLE.findall(text)) - nul
    if nul or surrogates:
        text = _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    return Decoded(text, encoding, guessed, nul, surrogates)


def _decode_unicode(data: bytes, encoding: str) -> str | None:
    """Decode Unicode strictly, but keep surrogates: pairs are joined, lone ones counted later."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode(encoding, "surrogatepass")
    except UnicodeDecodeError:
        return None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeError, ValueError) as error:
        where = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        raise Undecodable(f"not valid {encoding}{where}") from None


def _refuse_damaged_utf8(data: bytes) -> None:
    """Raise where most non-ASCII characters are good UTF-8: a guess would garble all of them."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\N{REPLACEMENT CHARACTER}")
    good = sum(1 for _ in re.finditer("[^\x00-\x7f\ufffd]", text))
    if good > broken:
        first = len(text.partition("\N{REPLACEMENT CHARACTER}")[0].encode())
        line = data.count(b"\n", 0, first) + 1
        raise Undecodable(f"damaged UTF-8 in line {line}, at byte {first}")


def _guess(data: bytes) -> Decoded:
    sample = _telling_lines(data)
    best = from_bytes(sample, cp_exclusion=_NEVER_GUESSED).best()
    candidates = [] if best is None else [best.encoding]
    language = "" if best is None else best.language
    if language not in _OTHER_LATIN and _looks_western(sample):
        candidates.insert(0, "cp1252")
    for name in candidates:
        try:
            text = data.decode(name)
        except (UnicodeError, LookupError):
            continue
        if not re.search("[\x80-\x84\x86-\x9f]", text):  # C1 controls: the wrong code page
            return _clean(text, name, guessed=True)
    raise Undecodable("neither UTF-8 nor any encoding that fits; --encoding names one")


def _telling_lines(data: bytes) -> bytes:
    """Return lines that are not plain ASCII, enough of them to judge by."""
    kept: list[bytes] = []
    size = 0
    for match in re.finditer(rb"[^\r\n]*[\x80-\xff][^\r\n]*", data):
        kept.append(match[0])
        size += len(match[0])
        if size >= _SAMPLE:
            break
    return b"\n".join(kept)[: 4 * _SAMPLE]


def _looks_western(sample: bytes) -> bool:
    """Say whether bytes read as Windows-1252 look like Western European text."""
    try:
        text = sample.decode("cp1252")
    except UnicodeDecodeError:
        return False
    letters = sum(char.isalpha() for char in text)
    accented = sum(char.isalpha() and char > "\x7f" for char in text)
    return accented <= 0.35 * letters + 2 and not _NOT_WESTERN.search(text)
