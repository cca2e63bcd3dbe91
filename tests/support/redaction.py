"""A collection with redaction rules: who owns it, who reads it, and what each of them gets."""

from __future__ import annotations

from typing import Any, NamedTuple

import psycopg
from psycopg.rows import dict_row

from support.assertions import as_role

Connection = psycopg.Connection[Any]
Row = dict[str, Any]

ADD_RULE = "select rag.add_redaction_rule('docs', %s, pattern => %s, replacement => %s)"


class House(NamedTuple):
    """conn: a superuser's session. owner: of the collection docs. reader: may read it."""

    conn: Connection
    owner: str
    reader: str

    def tell(self, content: str, source: str = "a.md", **given: Any) -> str:
        """Ingests a document as the owner; its id."""
        arguments = "".join(f", {name} => %({name})s" for name in given)
        with as_role(self.conn, self.owner):
            row = self.conn.execute(
                f"select document_id from rag.ingest('docs', %(content)s, %(source)s{arguments})",
                {"content": content, "source": source, **given},
            ).fetchone()
        assert row is not None
        return str(row[0])

    def rule(self, name: str, pattern: str, replacement: str = "[redacted]") -> None:
        """Adds a rule to docs as the owner."""
        with as_role(self.conn, self.owner):
            self.conn.execute(ADD_RULE, [name, pattern, replacement])

    def rows(self, role: str, query: str, params: Any = None) -> list[Row]:
        """What `role` gets."""
        with as_role(self.conn, role), self.conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query.encode(), params).fetchall()

    def document(self, role: str, document: str) -> Row:
        """What rag.get_document gives `role`."""
        (row,) = self.rows(role, "select * from rag.get_document(%s)", [document])
        return row
