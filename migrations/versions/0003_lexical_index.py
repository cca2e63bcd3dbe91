"""lexical_index: exact BM25 over postings, typo correction, one analyzer for identifiers and scripts"""

from replay import replay, undo

revision = "0003_lexical_index"
down_revision = "0002_chunking"


def upgrade() -> None:
    """Run up.sql, then the frozen files."""
    replay(revision)


def downgrade() -> None:
    """Run down.sql, then the older copies of the frozen files."""
    undo(revision)
