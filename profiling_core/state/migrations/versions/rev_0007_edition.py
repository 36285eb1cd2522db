"""The number of changes to a dataset, which is noted beside its files as well."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the count; none is as good as 0, so that no seal changes."""
    op.add_column("datasets", sa.Column("edition", sa.Integer()))


def downgrade() -> None:
    """Forgets it."""
    op.drop_column("datasets", "edition")
