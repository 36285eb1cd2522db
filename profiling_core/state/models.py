"""The catalog's tables.

What a version consists of is kept without repetition, because datasets get a version a day for years: a table's schema
and predicate space are stored once per distinct content (``definitions``), a file once with the versions from which
(``added_in``) and until which (``removed_in``, exclusive) it is part, and a constraint's definition once. The standing
of tracked constraints, a short row each, is stored for every version, so that any version's list and any constraint's
history are one plain query. The tables are created and changed by the migrations alone.

Each row carries its checksum (``state/row_checksums.py``). Tables of ``JOURNAL_OF_VERSIONS`` and
``JOURNAL_OF_DATASETS`` are also written beside the files, whenever a row of theirs changes (``state/journal.py``): a
new table belongs to one of them.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    UniqueConstraint,
)

from profiling_core.state.columns import Json, SafeText
from profiling_core.state.row_checksums import SEAL

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _of_dataset() -> Column[str]:
    return Column("dataset", SafeText, ForeignKey("datasets.name", ondelete="CASCADE"), nullable=False)


def _of_version(column: str = "number") -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["dataset", column], ["versions.dataset", "versions.number"], ondelete="CASCADE")


def _text(name: str) -> Column[str]:
    return Column(name, SafeText, nullable=False)


def _number(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


def _count(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def _seal() -> Column[str]:
    return Column(SEAL, String(32))


def _instant(name: str) -> Column[str]:
    return Column(name, String(40), nullable=False)


datasets = Table(
    "datasets",
    metadata,
    Column("name", SafeText, primary_key=True),
    _instant("created_at"),
    Column("kept_from", Integer, nullable=False, server_default="1"),
    Column("edition", Integer),
    Column("outcomes", String(64)),
    _seal(),
)

versions = Table(
    "versions",
    metadata,
    _of_dataset(),
    _number("number"),
    _text("run_id"),
    _text("label"),
    Column("content", String(64), nullable=False),
    Column("rebuild", Boolean, nullable=False),
    Column("arrivals", Json, nullable=False),
    _instant("created_at"),
    Column("tracked_at", String(40)),
    Column("published_at", String(40)),
    Column("manifest", String(64)),
    Column("outcomes", String(64)),
    _seal(),
    PrimaryKeyConstraint("dataset", "number"),
    UniqueConstraint("dataset", "run_id"),
)

definitions = Table(
    "definitions",
    metadata,
    _of_dataset(),
    Column("digest", String(64), nullable=False),
    Column("schema", Json, nullable=False),
    Column("space", Json, nullable=False),
    _seal(),
    PrimaryKeyConstraint("dataset", "digest"),
)

version_tables = Table(
    "version_tables",
    metadata,
    _text("dataset"),
    _number("number"),
    _number("position"),
    _text("table_name"),
    Column("definition", String(64), nullable=False),
    _count("rows"),
    _count("next_row_id"),
    _seal(),
    PrimaryKeyConstraint("dataset", "number", "table_name"),
    _of_version(),
    ForeignKeyConstraint(["dataset", "definition"], ["definitions.dataset", "definitions.digest"], ondelete="CASCADE"),
)

files = Table(
    "files",
    metadata,
    _text("dataset"),
    _number("added_in"),
    _number("position"),
    Column("removed_in", Integer),
    _text("table_name"),
    _text("role"),
    _text("path"),
    Column("sha256", String(64), nullable=False),
    _count("size"),
    _seal(),
    PrimaryKeyConstraint("dataset", "added_in", "position"),
    _of_version("added_in"),
)

applied_deltas = Table(
    "applied_deltas",
    metadata,
    _text("dataset"),
    _text("table_name"),
    _text("delta_id"),
    _number("number"),
    _seal(),
    PrimaryKeyConstraint("dataset", "table_name", "delta_id"),
    _of_version(),
)

constraints = Table(
    "constraints",
    metadata,
    _of_dataset(),
    Column("fingerprint", String(64), nullable=False),
    Column("definition", Json, nullable=False),
    _seal(),
    PrimaryKeyConstraint("dataset", "fingerprint"),
)

tracked = Table(
    "tracked",
    metadata,
    _text("dataset"),
    _number("number"),
    Column("fingerprint", String(64), nullable=False),
    _number("position"),
    _text("table_name"),
    Column("state", String(20), nullable=False),
    _text("since"),
    _number("held_deltas"),
    Column("rank", Integer),
    Column("score", Float, nullable=False),
    Column("threshold", Float, nullable=False),
    _count("violations"),
    _count("population"),
    _count("support"),
    Column("row_coverage", Float),
    Column("ancestor", String(64), nullable=False, server_default=""),
    Column("age", Integer),
    Column("breaks", Integer),
    Column("broken_rows", Json),
    _seal(),
    PrimaryKeyConstraint("dataset", "number", "fingerprint"),
    _of_version(),
    ForeignKeyConstraint(
        ["dataset", "fingerprint"], ["constraints.dataset", "constraints.fingerprint"], ondelete="CASCADE"
    ),
    Index(None, "dataset", "fingerprint"),
    # All that the list of rules filters, counts and sorts by: rows lie scattered, and only a page of them is fetched.
    Index("ix_tracked_list", "dataset", "number", "position", "state", "table_name", "violations", "rank", "since"),
)

decisions = Table(
    "decisions",
    metadata,
    _of_dataset(),
    _number("number"),
    Column("body", Json, nullable=False),
    _instant("created_at"),
    _seal(),
    PrimaryKeyConstraint("dataset", "number"),
)

change_sets = Table(
    "change_sets",
    metadata,
    _text("dataset"),
    _number("number"),
    Column("body", Json, nullable=False),
    _instant("created_at"),
    _seal(),
    PrimaryKeyConstraint("dataset", "number"),
    _of_version(),
)

validations = Table(
    "validations",
    metadata,
    _text("dataset"),
    _number("number"),
    _text("table_name"),
    Column("body", Json, nullable=False),
    _instant("created_at"),
    _seal(),
    PrimaryKeyConstraint("dataset", "number", "table_name"),
    _of_version(),
)

messages = Table(
    "messages",
    metadata,
    # No reference to datasets: of a delta that is refused people hear before there is a version.
    _text("dataset"),
    _text("key"),
    _number("number"),
    _text("table_name"),
    Column("body", Json, nullable=False),
    _instant("created_at"),
    _seal(),
    PrimaryKeyConstraint("dataset", "key"),
)

incidents = Table(
    "incidents",
    metadata,
    _text("dataset"),
    _number("number"),
    Column("status", String(20), nullable=False),
    Column("body", Json, nullable=False),
    _instant("updated_at"),
    _seal(),
    PrimaryKeyConstraint("dataset", "number"),
)

deliveries = Table(
    "deliveries",
    metadata,
    _text("dataset"),
    _text("key"),
    _text("channel"),
    Column("status", String(20), nullable=False),
    _number("attempts"),
    _instant("waiting_since"),
    _instant("due_at"),
    Column("lease", String(40), nullable=False),
    _instant("leased_until"),
    _text("said"),
    _seal(),
    PrimaryKeyConstraint("dataset", "key", "channel"),
    ForeignKeyConstraint(["dataset", "key"], ["messages.dataset", "messages.key"], ondelete="CASCADE"),
    Index(None, "dataset", "status"),
)

JOURNAL_OF_VERSIONS = (tracked, change_sets, validations, messages)
JOURNAL_OF_DATASETS = (decisions, incidents)
