"""The first catalog: versions and what they consist of, constraints and their standing, changes, alerts."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = (
    "datasets",
    "versions",
    "definitions",
    "version_tables",
    "files",
    "applied_deltas",
    "constraints",
    "tracked",
    "change_sets",
    "validations",
    "alerts",
)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _digest(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(64), nullable=False)


def _instant(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(40), nullable=False)


def _key(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def _of(table: str, parent: str, columns: tuple[str, ...], referred: tuple[str, ...]) -> sa.ForeignKeyConstraint:
    targets = [f"{parent}.{column}" for column in referred]
    return sa.ForeignKeyConstraint(list(columns), targets, name=f"fk_{table}_{parent}", ondelete="CASCADE")


def _of_dataset(table: str) -> sa.ForeignKeyConstraint:
    return _of(table, "datasets", ("dataset",), ("name",))


def _of_version(table: str, column: str = "number") -> sa.ForeignKeyConstraint:
    return _of(table, "versions", ("dataset", column), ("dataset", "number"))


def upgrade() -> None:
    """To this revision."""
    _create_versions()
    _create_contents()
    _create_constraints()
    for table in ("validations", "alerts"):
        _create_result(table)


def downgrade() -> None:
    """Back from it: to an empty database."""
    for table in reversed(TABLES):
        op.drop_table(table)


def _create_versions() -> None:
    op.create_table("datasets", _text("name"), _instant("created_at"), _key("datasets", "name"))
    op.create_table(
        "versions",
        _text("dataset"),
        _number("number"),
        _text("run_id"),
        _text("label"),
        _digest("content"),
        sa.Column("rebuild", sa.Boolean(), nullable=False),
        _text("arrivals"),
        _instant("created_at"),
        sa.Column("tracked_at", sa.String(40)),
        _key("versions", "dataset", "number"),
        _of_dataset("versions"),
        sa.UniqueConstraint("dataset", "run_id", name="uq_versions_dataset_run_id"),
    )
    op.create_table(
        "definitions",
        _text("dataset"),
        _digest("digest"),
        _text("schema"),
        _text("space"),
        _key("definitions", "dataset", "digest"),
        _of_dataset("definitions"),
    )


def _create_contents() -> None:
    op.create_table(
        "version_tables",
        _text("dataset"),
        _number("number"),
        _number("position"),
        _text("table_name"),
        _digest("definition"),
        _count("rows"),
        _count("next_row_id"),
        _key("version_tables", "dataset", "number", "table_name"),
        _of_version("version_tables"),
        _of("version_tables", "definitions", ("dataset", "definition"), ("dataset", "digest")),
    )
    op.create_table(
        "files",
        _text("dataset"),
        _number("added_in"),
        _number("position"),
        sa.Column("removed_in", sa.Integer()),
        _text("table_name"),
        _text("role"),
        _text("path"),
        _digest("sha256"),
        _count("size"),
        _key("files", "dataset", "added_in", "position"),
        _of_version("files", "added_in"),
    )
    op.create_table(
        "applied_deltas",
        _text("dataset"),
        _text("table_name"),
        _text("delta_id"),
        _number("number"),
        _key("applied_deltas", "dataset", "table_name", "delta_id"),
        _of_version("applied_deltas"),
    )


def _create_constraints() -> None:
    op.create_table(
        "constraints",
        _text("dataset"),
        _digest("fingerprint"),
        _text("definition"),
        _key("constraints", "dataset", "fingerprint"),
        _of_dataset("constraints"),
    )
    op.create_table(
        "tracked",
        _text("dataset"),
        _number("number"),
        _digest("fingerprint"),
        _number("position"),
        _text("table_name"),
        sa.Column("state", sa.String(20), nullable=False),
        _text("since"),
        _number("held_deltas"),
        sa.Column("rank", sa.Integer()),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("threshold", sa.Float(), nullable=False),
        _count("violations"),
        _count("population"),
        _count("support"),
        sa.Column("row_coverage", sa.Float()),
        _key("tracked", "dataset", "number", "fingerprint"),
        _of_version("tracked"),
        _of("tracked", "constraints", ("dataset", "fingerprint"), ("dataset", "fingerprint")),
    )
    op.create_index("ix_tracked_dataset_fingerprint", "tracked", ["dataset", "fingerprint"])
    op.create_table(
        "change_sets",
        _text("dataset"),
        _number("number"),
        _text("body"),
        _instant("created_at"),
        _key("change_sets", "dataset", "number"),
        _of_version("change_sets"),
    )


def _create_result(table: str) -> None:
    payload = (_text("message"), _text("channels")) if table == "alerts" else (_text("body"),)
    op.create_table(
        table,
        _text("dataset"),
        _number("number"),
        _text("table_name"),
        *payload,
        _instant("created_at"),
        _key(table, "dataset", "number", "table_name"),
        _of_version(table),
    )
