"""At which moment documents are judged, and which of them have a newer version by then."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ragsql_engine.lexical.documents import Int64s
from ragsql_engine.lexical.statements import Row, Rows

# a document at a time: as a join it would be planned for many
_NEWER = """
select v.number - 1 as number, n.acl_id
from unnest($1) with ordinality v (document_id, number)
cross join lateral (
    select distinct n.acl_id
    from rag_internal.newer_version n
    where n.document_id = v.document_id and n.status = 'active'
      and (n.valid_from is null or n.valid_from <= coalesce($2, statement_timestamp()))
      and (n.valid_until is null or n.valid_until > coalesce($2, statement_timestamp()))
    offset 0) n
"""


class When(NamedTuple):
    """as_of: the moment, as text; None for now. archived: whether freshness is asked for at all.

    With `archived` nothing is left out for its age: neither archived documents, nor old versions,
    nor what is outside its validity; only what begins after `as_of`.
    """

    as_of: str | None = None
    archived: bool = False

    @classmethod
    def from_scope(cls, scope: Row) -> "When":
        """From a value of rag_internal.scope."""
        return cls(scope["as_of"], bool(scope["include_archived"]))


NOW = When()


class Versions:
    """Tells which documents have a newer version that a reader sees; asked once for each.

    acls: the sharing classes that the reader sees, sorted; None for all.
    """

    def __init__(self, rows: Rows, acls: Int64s | None, when: When) -> None:
        self._rows = rows
        self._acls = acls
        self._when = when
        self._known: dict[str, bool] = {}

    def are_newest(self, documents: Sequence[str]) -> list[bool]:
        """Whether each of the documents, by document_id, is its source's newest version."""
        asked = list(dict.fromkeys(name for name in documents if name not in self._known))
        if asked:
            rows = self._rows(_NEWER, ["uuid[]", "timestamptz"], asked, self._when.as_of)
            self._known |= dict.fromkeys(asked, True)
            self._known |= {asked[row["number"]]: False for row in rows if self._sees(row)}
        return [self._known[name] for name in documents]

    def _sees(self, row: Row) -> bool:
        if self._acls is None:
            return True
        at = int(np.searchsorted(self._acls, row["acl_id"]))
        return at < len(self._acls) and int(self._acls[at]) == row["acl_id"]
