"""Incidents."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table of incidents."""
    op.create_table(
        "incidents",
        sa.Column("dataset", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.String(40), nullable=False),
        sa.Column("seal", sa.String(32)),
        sa.PrimaryKeyConstraint("dataset", "number", name="pk_incidents"),
    )


def downgrade() -> None:
    """Forgets them."""
    op.drop_table("incidents")
