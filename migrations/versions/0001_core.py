"""core: schemas, roles, tables, row-level security, and the functions on them"""

from replay import replay, undo

revision = "0001_core"
down_revision = None


def upgrade() -> None:
    """Run up.sql, then the frozen files."""
    replay(revision)


def downgrade() -> None:
    """Run down.sql, which drops everything."""
    undo(revision)
