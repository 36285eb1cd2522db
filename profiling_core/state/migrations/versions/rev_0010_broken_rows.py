"""How many rows broke a constraint each time: a break like those that it often has is no news."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds them; a null is no value, so that no seal changes."""
    op.add_column("tracked", sa.Column("broken_rows", sa.Text()))


def downgrade() -> None:
    """Forgets them."""
    op.drop_column("tracked", "broken_rows")
