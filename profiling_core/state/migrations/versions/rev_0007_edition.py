"""The number of changes to a dataset, noted beside its files as well; and the checksums of the documents there."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds them; a null is no value, so that no seal changes."""
    op.add_column("datasets", sa.Column("edition", sa.Integer()))
    for table in ("datasets", "versions"):
        op.add_column(table, sa.Column("outcomes", sa.String(64)))


def downgrade() -> None:
    """Forgets them."""
    op.drop_column("datasets", "edition")
    for table in ("datasets", "versions"):
        op.drop_column(table, "outcomes")
