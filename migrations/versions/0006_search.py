"""search"""

from replay import replay, undo

revision = "0006_search"
down_revision = "0005_access"


def upgrade() -> None:
    """Run up.sql, then the frozen files."""
    replay(revision)


def downgrade() -> None:
    """Run down.sql, then the older copies of the frozen files."""
    undo(revision)
