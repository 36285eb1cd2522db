"""An index of what the list of rules filters and sorts by: without it a page of 100,000 rules reads all of them."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_NAME = "ix_tracked_list"
_COLUMNS = ["dataset", "number", "position", "state", "table_name", "violations", "rank", "since"]


def upgrade() -> None:
    """Adds it."""
    op.create_index(_NAME, "tracked", _COLUMNS)


def downgrade() -> None:
    """Drops it."""
    op.drop_index(_NAME, "tracked")
