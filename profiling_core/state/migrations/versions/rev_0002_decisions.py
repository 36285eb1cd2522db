"""Decisions of people about constraints, and the constraint that a tracked one has come from."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table of decisions and the ancestors."""
    op.create_table(
        "decisions",
        sa.Column("dataset", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("dataset", "number", name="pk_decisions"),
        sa.ForeignKeyConstraint(["dataset"], ["datasets.name"], name="fk_decisions_datasets", ondelete="CASCADE"),
    )
    op.add_column("tracked", sa.Column("ancestor", sa.String(64), nullable=False, server_default=""))


def downgrade() -> None:
    """Forgets both."""
    op.drop_table("decisions")
    op.drop_column("tracked", "ancestor")
