"""embedding: models of every provider, a queue, switching models, vectors in step with their text"""

from replay import replay, undo

revision = "0004_embedding"
down_revision = "0003_lexical_index"


def upgrade() -> None:
    """Run up.sql, then the frozen files."""
    replay(revision)


def downgrade() -> None:
    """Run down.sql, then the older copies of the frozen files."""
    undo(revision)
