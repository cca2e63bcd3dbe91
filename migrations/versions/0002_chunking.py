"""chunking: every strategy, front matter, value and quality of passages"""

from replay import replay, undo

revision = "0002_chunking"
down_revision = "0001_core"


def upgrade() -> None:
    """Run up.sql, then the frozen files."""
    replay(revision)


def downgrade() -> None:
    """Run down.sql, then the older copies of the frozen files."""
    undo(revision)
