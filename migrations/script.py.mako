"""${message}"""

from replay import replay, undo

revision = "${up_revision}"
down_revision = ${'"%s"' % down_revision if down_revision else None}


def upgrade() -> None:
    """Run up.sql, then the frozen files."""
    replay(revision)


def downgrade() -> None:
    """Run down.sql, then the older copies of the frozen files."""
    undo(revision)
