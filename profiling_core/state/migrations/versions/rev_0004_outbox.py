"""Messages and their deliveries in place of alerts, and when a version was published."""

import json

import sqlalchemy as sa
from alembic import op

from profiling_core.state.columns import escape, unescape

revision = "0004"
down_revision = "0002"
branch_labels = None
depends_on = None

_NAMES = ("dataset", "number", "table_name", "message", "channels", "created_at")
_ALERTS = sa.table("alerts", *map(sa.column, _NAMES))


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _short(name: str, length: int = 40) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=False)


def upgrade() -> None:
    """Takes the alerts over as they stand: what was not sent then is not sent now."""
    op.create_table(
        "messages",
        _text("dataset"),
        _text("key"),
        sa.Column("number", sa.Integer(), nullable=False),
        _text("table_name"),
        _text("body"),
        _short("created_at"),
        sa.PrimaryKeyConstraint("dataset", "key", name="pk_messages"),
    )
    op.create_table(
        "deliveries",
        _text("dataset"),
        _text("key"),
        _text("channel"),
        _short("status", 20),
        sa.Column("attempts", sa.Integer(), nullable=False),
        _short("waiting_since"),
        _short("due_at"),
        _short("lease"),
        _short("leased_until"),
        _text("said"),
        sa.PrimaryKeyConstraint("dataset", "key", "channel", name="pk_deliveries"),
        sa.ForeignKeyConstraint(
            ["dataset", "key"], ["messages.dataset", "messages.key"], name="fk_deliveries_messages", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_deliveries_dataset_status", "deliveries", ["dataset", "status"])
    _take_over()
    op.drop_table("alerts")
    op.add_column("versions", sa.Column("published_at", sa.String(40)))
    op.execute("UPDATE versions SET published_at = created_at")


def _take_over() -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(_ALERTS)).mappings():
        key, text = f"{row['number']}-{row['table_name']}", unescape(row["message"])
        where = {"dataset": row["dataset"], "key": key}
        body = {"dataset": unescape(row["dataset"]), "version": row["number"], "table": unescape(row["table_name"])}
        body |= {"label": "", "title": text.partition("\n")[0], "text": text, "told": []}
        message = where | {"number": row["number"], "table_name": row["table_name"], "body": json.dumps(body)}
        connection.execute(_full("messages", message | {"created_at": row["created_at"]}))
        for channel, said in json.loads(row["channels"]).items():
            status = "sent" if said == "sent" else "given up"
            moments = {"waiting_since": row["created_at"], "due_at": row["created_at"], "leased_until": ""}
            delivery = where | {"channel": escape(channel), "status": status, "said": escape(said)}
            delivery |= {"attempts": 1, "lease": ""}
            connection.execute(_full("deliveries", delivery | moments))


def _full(table: str, values: dict[str, object]) -> sa.Insert:
    return sa.insert(sa.table(table, *(sa.column(name) for name in values))).values(**values)


def downgrade() -> None:
    """Makes the table of alerts again, empty, and forgets the rest."""
    op.drop_column("versions", "published_at")
    op.drop_table("deliveries")
    op.drop_table("messages")
    op.create_table(
        "alerts",
        _text("dataset"),
        sa.Column("number", sa.Integer(), nullable=False),
        _text("table_name"),
        _text("message"),
        _text("channels"),
        _short("created_at"),
        sa.PrimaryKeyConstraint("dataset", "number", "table_name", name="pk_alerts"),
        sa.ForeignKeyConstraint(
            ["dataset", "number"],
            ["versions.dataset", "versions.number"],
            name="fk_alerts_versions",
            ondelete="CASCADE",
        ),
    )
