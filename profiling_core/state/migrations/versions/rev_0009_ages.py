"""In how many deltas a constraint held, and how often it broke: its age does not begin anew with a break."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_COUNTS = ("age", "breaks")


def upgrade() -> None:
    """Adds them; a null is no value, so that no seal changes."""
    for name in _COUNTS:
        op.add_column("tracked", sa.Column(name, sa.Integer()))


def downgrade() -> None:
    """Forgets them."""
    for name in _COUNTS:
        op.drop_column("tracked", name)
