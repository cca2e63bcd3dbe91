"""Whether prose is a contract: what the strategy `auto` cuts by clauses."""

import re

_SAMPLE = 65_536  # characters
_HEAD = re.compile(
    r"^[ \t]*+(?:(?:article|section|clause|schedule|annex|exhibit|art\.|artikel|artículo|§§?)"
    r"[ \t]*+[\divxlc]{1,6}\b|\d{1,2}\.\d{1,2}\.?[ \t]++[^\W\d]"
    r"|(?:ال)?مادة[ \t(]*+[\d٠-٩]|第[\d一二三四五六七八九十百]{1,4}[条條章])",
    re.MULTILINE | re.IGNORECASE,
)
_WORDS = re.compile(
    r"\b(?:agreement|part(?:y|ies)|shall|hereby|hereinafter|liab(?:le|ility)|terminat\w+"
    r"|vertrag\w*|kündig\w+|haftung|contrat\w*|contrato)\b|عقد|الطرف|合同|契約|甲方|乙",
    re.IGNORECASE,
)
_FEWEST_HEADS, _FEWEST_WORDS = 4, 3
_LETTERS_A_HEAD = 2_000  # characters: a report that cites an article now and then has more


def reads_like_a_contract(text: str) -> bool:
    """Numbered clauses at the beginning of lines, close together, and words of contracts."""
    sample = text[:_SAMPLE]
    heads = len(_HEAD.findall(sample))
    if heads < _FEWEST_HEADS or len(sample) > heads * _LETTERS_A_HEAD:
        return False
    return len(_WORDS.findall(sample)) >= _FEWEST_WORDS
