"""Which lines that look like the beginning of a clause are one: those whose numbers go on.

A number is taken for that of a clause where it follows the one before (after 4.2: 4.2.1, 4.3, 5
or 5.1), where it is the first in an article or annex just begun (5.1 in Article 5, or 1), where
it starts again at 1, or where its successor is among the next few, so that a document may begin in
the middle and leave out what was deleted. A list that begins at 1 inside a clause is no row of
clauses if the clauses go on after it. Tables of contents are left out.
"""

from collections.abc import Iterator, Sequence

from ragsql_engine.chunking.clauses.heads import DECIMAL, HEADING, Head, as_heading
from ragsql_engine.chunking.clauses.labels import MIDDLE, PART, POINT

_NEAR = 8  # candidates among which a successor is looked for
_FAR = 64  # candidates among which the end of a list is looked for
_WIDEST_GAP = 3  # articles that may be missing
_SHORTEST_CONTENTS = 3  # entries
_LONGEST_SPACE = 200  # characters between entries

Numbers = tuple[int, ...]


def clauses_among(heads: Sequence[Head], text: str) -> list[Head]:
    """The heads of clauses in order, and those of Markdown headings that are none."""
    candidates = list(_without_contents(heads, text))
    sequence = _Sequence(candidates)
    taken = []
    for index, head in enumerate(candidates):
        if head.division == HEADING or sequence.takes(index):
            taken.append(head)
        elif head.atx:
            taken.append(as_heading(head, text))
    return taken


class _Sequence:
    """Follows the numbers of a document. To be asked for each head in order."""

    def __init__(self, heads: Sequence[Head]) -> None:
        self._heads = heads
        self._of_division: dict[str, list[int]] = {}
        self._places: list[int] = []
        for index, head in enumerate(heads):
            indexes = self._of_division.setdefault(head.division, [])
            self._places.append(len(indexes))
            indexes.append(index)
        self._last: dict[str, Head] = {}
        self._begun_anew: set[str] = set()
        self._middle: list[str] = []
        self._base: Numbers = ()
        self._inside_until = 0

    def takes(self, index: int) -> bool:
        """Whether a head is that of a clause; gives it the one number it means, and its rank."""
        head = self._heads[index]
        if head.division == DECIMAL:
            number = head.numbers if self._takes_decimal(index) else None
        else:
            number = self._number_of_division(index)
        if number is None:
            return False
        head.numbers = number
        if MIDDLE <= head.rank < POINT:
            if head.division not in self._middle:
                self._middle.append(head.division)
            head.rank = min(MIDDLE + self._middle.index(head.division), POINT - 1)
        if head.division != DECIMAL:
            self._base = number
        self._last[head.division] = head
        self._begun_anew.discard(head.division)
        self._begun_anew |= {name for name, last in self._last.items() if last.rank > head.rank}
        return True

    def _number_of_division(self, index: int) -> Numbers | None:
        """Which of the numbers that a head may have is its, as (5,) of Article 5; None of none."""
        head = self._heads[index]
        last = self._last.get(head.division)
        if last is None:
            alone = len(self._of_division[head.division]) == 1
            if 1 in head.numbers:
                return (1,)
            near = self._value_with_successor(index)
            if near is not None:
                return (near,)
            return (head.numbers[0],) if alone or head.rank <= PART else None
        (before,) = last.numbers
        for value in head.numbers:
            if value == before + 1 or (value == before and head.variant):
                return (value,)
        if 1 in head.numbers and (
            head.division in self._begun_anew or 2 in self._values_near(index)
        ):
            return (1,)
        near = self._value_with_successor(index)
        if near is not None and near > before:
            return (near,)
        nearby = (value for value in head.numbers if before < value <= before + _WIDEST_GAP)
        return next(((value,) for value in nearby), None)

    def _value_with_successor(self, index: int) -> int | None:
        near = self._values_near(index)
        return next((value for value in self._heads[index].numbers if value + 1 in near), None)

    def _values_near(self, index: int) -> set[int]:
        return {value for head in self._after(index, _NEAR) for value in head.numbers}

    def _takes_decimal(self, index: int) -> bool:
        if index < self._inside_until:
            return False
        head = self._heads[index]
        numbers, last = head.numbers, self._last.get(DECIMAL)
        is_first = last is None or DECIMAL in self._begun_anew
        if is_first and numbers in ((1,), (1, 1), (1, 0), (*self._base, 1)):
            return True
        if last is not None and follows(last.numbers, numbers):
            return True
        if numbers == (1,) and last is not None:
            self._inside_until = self._end_of_list(index, last)
            return self._inside_until == 0
        if last is not None and numbers < last.numbers:
            return False
        return any(follows(numbers, other.numbers) for other in self._after(index, _NEAR))

    def _end_of_list(self, index: int, last: Head) -> int:
        """The head that goes on after `last` behind a list that begins at `index`; 0 without."""
        numbers: Numbers = (1,)
        for offset, head in enumerate(self._after(index, _FAR)):
            if head.numbers == (1,) or follows(numbers, head.numbers):
                numbers = head.numbers
            elif follows(last.numbers, head.numbers):
                return self._of_division[DECIMAL][self._places[index] + 1 + offset]
        return 0

    def _after(self, index: int, count: int) -> Iterator[Head]:
        """The next `count` candidates of the same division."""
        indexes = self._of_division[self._heads[index].division]
        first = self._places[index] + 1
        return (self._heads[other] for other in indexes[first : first + count])


def follows(before: Numbers, numbers: Numbers) -> bool:
    """Whether `numbers` may come right after `before` in a document.

    They may go one level down (4.2: 4.2.1), or count on at any level (4.2: 4.3, 5), and then one
    down (5.1), which begins at 1 or at 0.
    """
    level = len(numbers) - 1
    if numbers[level] in (0, 1) and level and _counts_on(before, numbers[:level]):
        return True
    return (numbers[:-1] == before and numbers[-1] == 1) or _counts_on(before, numbers)


def _counts_on(before: Numbers, numbers: Numbers) -> bool:
    level = len(numbers) - 1
    return (
        level < len(before)
        and numbers[level] == before[level] + 1
        and numbers[:level] == before[:level]
    )


def _without_contents(heads: Sequence[Head], text: str) -> Iterator[Head]:
    """Heads without the entries of a table of contents that stand line by line.

    These end with the numbers of pages, or stand again further down.
    """
    keys = [
        (head.division, head.numbers, head.name.casefold() if head.division == DECIMAL else "")
        for head in heads
    ]
    last_place = {key: place for place, key in enumerate(keys)}
    start = 0
    while start < len(heads):
        stop = start + 1
        while stop < len(heads) and _adjoin(heads[stop - 1], heads[stop], text):
            stop += 1
        run = heads[start:stop]
        again = [last_place[keys[place]] > place for place in range(start, stop)]
        entries = _on_pages(run) | _repeated(run, again)
        yield from (head for place, head in enumerate(run) if place not in entries)
        start = stop


def _adjoin(before: Head, after: Head, text: str) -> bool:
    end = max(before.end, before.stop)
    return after.start - end <= _LONGEST_SPACE and not text[end : after.start].strip()


def _on_pages(run: Sequence[Head]) -> set[int]:
    """The places of heads that end with page numbers, three and more, none falling."""
    found: set[int] = set()
    first = 0
    for place in range(1, len(run) + 1):
        before = run[place - 1].page
        page = run[place].page if place < len(run) else None
        if before is not None and page is not None and page >= before:
            continue
        if before is not None and place - first >= _SHORTEST_CONTENTS:
            found |= set(range(first, place))
        first = place
    return found


def _repeated(run: Sequence[Head], again: Sequence[bool]) -> set[int]:
    """The places of three and more heads in a row that stand again; two of articles, annexes."""
    found: set[int] = set()
    first = 0
    for place in range(len(run) + 1):
        if place < len(run) and again[place] and run[place].division != HEADING:
            continue
        divisions = {head.division for head in run[first:place]}
        same = len(divisions) == 1 and DECIMAL not in divisions
        if place - first >= _SHORTEST_CONTENTS - same:
            found |= set(range(first, place))
        first = place + 1
    return found
