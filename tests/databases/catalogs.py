"""The fixture that runs a test on both databases, and the state that such tests put into a catalog."""

import hashlib
import shutil
from pathlib import Path

import pytest

from databases.postgres_server import INSTALL, PostgresServer, binaries
from profiling_core.model.change import Change, ChangeSet, LifecycleState, Transition, Witness
from profiling_core.model.constraint import (
    ColumnList,
    DenialConstraint,
    FunctionalDependency,
    InclusionDependency,
    Measured,
    UniqueColumnCombination,
)
from profiling_core.model.lifecycle import Tracked
from profiling_core.model.predicate import Operand, Operator, Predicate, PredicateGroup, PredicateSpace
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType, NullSemantics
from profiling_core.model.version import Arrival, FileRef, TableState, Version
from profiling_core.state.catalog import Catalog

_SERVER = pytest.StashKey[PostgresServer]()
_MIGRATED_FILE, _MIGRATED_DATABASE = pytest.StashKey[Path](), pytest.StashKey[str]()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def catalog_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty catalog, on each of the two databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'home' / 'catalog.db'}"
    return server(request.config).new_database()


@pytest.fixture
def migrated_url(catalog_url: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a catalog whose tables are made and empty, on each of the two databases: a copy of one of this run."""
    config = request.config
    if catalog_url.startswith("sqlite:///"):
        if _MIGRATED_FILE not in config.stash:
            config.stash[_MIGRATED_FILE] = tmp_path_factory.mktemp("migrated") / "catalog.db"
            Catalog(f"sqlite:///{config.stash[_MIGRATED_FILE]}").migrate()
        path = Path(catalog_url.removeprefix("sqlite:///"))
        path.parent.mkdir(parents=True)
        shutil.copyfile(config.stash[_MIGRATED_FILE], path)
        return catalog_url
    if _MIGRATED_DATABASE not in config.stash:
        Catalog(catalog_url).migrate()
        config.stash[_MIGRATED_DATABASE] = catalog_url
    return server(config).new_database(config.stash[_MIGRATED_DATABASE])


def server(config: pytest.Config) -> PostgresServer:
    """The one server of this test run."""
    if _SERVER not in config.stash:
        programs = binaries()
        if programs is None:
            pytest.skip(INSTALL)
        config.stash[_SERVER] = PostgresServer(programs)
        config.add_cleanup(config.stash[_SERVER].stop)
    return config.stash[_SERVER]


def table_state(table: str = "flights", columns: tuple[str, ...] = ("a", "b"), rows: int = 3) -> TableState:
    """A table of integer columns with a same-column predicate space."""
    schema = TableSchema(table, tuple(Column(c, LogicalType.INTEGER, ordered=True) for c in columns), columns[:1])
    groups = tuple(PredicateGroup(Operand("t", c), Operand("s", c), ordered=True) for c in columns)
    return TableState(schema, PredicateSpace(table, NullSemantics.SQL, groups), rows, rows + 10)


def file_ref(path: str, table: str = "flights", role: str = "rows") -> FileRef:
    """A file that exists in the catalog only."""
    return FileRef(table, role, path, hashlib.sha256(repr(path).encode()).hexdigest(), len(path))


def make_version(number: int = 1, **fields: object) -> Version:
    """A version with one table, one delta (``d<number>``) and one file per version so far, unless said otherwise."""
    defaults: dict[str, object] = {
        "dataset": "nyc",
        "number": number,
        "run_id": f"run-{number}",
        "label": f"2013-01-{number:02}",
        "tables": {"flights": table_state(rows=number)},
        "arrivals": {"flights": Arrival((f"d{number}",), 1, 0, 0, 0, 0)},
        "files": tuple(file_ref(f"rows/{n}") for n in range(1, number + 1)),
    }
    return Version(**(defaults | fields))  # type: ignore[arg-type] # keyword by keyword they fit


def tracked(version: int, *, error: int = 0, column: str = "b") -> list[Tracked]:
    """One tracked constraint of each kind."""
    pair = Predicate(Operand("t", "a"), Operator.LT, Operand("s", "a"))
    other = Predicate(Operand("t", column), Operator.GT, Operand("s", column))
    own, far = ColumnList("flights", ("a",)), ColumnList("airports", ("faa",))
    measured = (
        Measured(FunctionalDependency(own, ColumnList("flights", (column,))), error, 90, 12),
        Measured(UniqueColumnCombination(ColumnList("flights", ("a", column))), error, 90, 3),
        Measured(DenialConstraint("flights", (pair, other)), error, 90, 2**62),
        Measured(InclusionDependency(own, far), error, 7, 6, 0.1 + 0.2),
    )
    return [
        Tracked(m, "flights", LifecycleState.ACTIVE, "2013-01-01", version, None if i == 3 else i + 1, i / 3, version)
        for i, m in enumerate(measured)
    ]


def change_set(version: int, text: str = "EGE") -> ChangeSet:
    """A change set with one broken constraint and its witness."""
    before, after = (tracked(version, error=error)[0].measured for error in (0, 4))
    witness = Witness({"dest": text, "distance": None}, ({"dest": text, "distance": "1726"},))
    change = Change(Transition.BROKE, "flights", before, after, 59, "2013-01-01", 2, 1, True, ("x",), (witness,))
    return ChangeSet("nyc", version, f"run-{version}", {"flights": {"inserts": 958}}, (change,))
