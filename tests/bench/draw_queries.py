"""Draws the queries of the lexical benchmark out of its corpus, and prints them one a line.

A query is made of one to eight different words of one passage, in their order there. Words are
drawn as often as they occur, so common ones are common in queries too; stop words and what is not
a word in Latin letters are left out. What was drawn is committed as lexical_queries.txt: the
corpus changes with the versions of its packages, the queries do not.
"""

import argparse
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from bench import corpus

COUNT = 70
SEED = 7
WORDS = {1: 4, 2: 12, 3: 16, 4: 14, 5: 10, 6: 6, 7: 4, 8: 4}
"""How many of the queries have so many words."""
_WORD = re.compile(r"(?<![\w.'/-])[A-Za-z]{3,18}(?![\w'/-])")
_STOP = frozenset(
    """about above after again all also and any are because been before being below between both
    but can cannot could did does doing down during each few for from further had has have having
    her here hers him his how into its itself just may more most must nor not now off once only
    other our out over own same shall she should some such than that the their them then there
    these they this those through too under until very was were what when where which while who
    whom why will with would you your""".split()
)


def draw(passages: list[str], lengths: list[int], seed: int) -> list[str]:
    """A query of each of the `lengths`, every one from another passage."""
    chance = random.Random(seed)
    queries: list[str] = []
    while len(queries) < len(lengths):
        wanted = lengths[len(queries)]
        words = [word.lower() for word in _WORD.findall(chance.choice(passages))]
        places: dict[str, int] = {}
        for place in chance.sample(range(len(words)), len(words)):
            if words[place] not in _STOP and len(places) < wanted:
                places.setdefault(words[place], place)
        query = " ".join(sorted(places, key=lambda word: places[word]))
        if len(places) == wanted and query not in queries:
            queries.append(query)
    return queries


def main() -> None:
    """Prints the queries."""
    parser = argparse.ArgumentParser(description="Draws the queries of the lexical benchmark.")
    parser.add_argument("--cache", type=Path, required=True, help="folder of the corpus")
    parser.add_argument("--passages", type=int, default=200_000, help="that they are drawn from")
    options = parser.parse_args()
    documents = corpus.load(options.cache, options.passages)
    passages = [passage for document in documents for passage in document.passages]
    lengths = [length for length, times in WORDS.items() for _ in range(times)]
    random.Random(SEED).shuffle(lengths)
    print(*draw(passages, lengths, SEED), sep="\n")


if __name__ == "__main__":
    main()
