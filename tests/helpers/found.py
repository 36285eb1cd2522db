"""What discovery finds in tables that a test writes, as texts. The oracle judges equations and conditional rules."""

import datetime as dt
import zipfile
from collections.abc import Mapping
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from oracle import conditionals, equations
from oracle import references as oracle_of_references

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.conditions.discovery import find_conditionals
from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.along_references import find_references
from profiling_core.algorithms.rules.candidate import LEAST, Candidate, Family
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.discovery import Rows, TableRules, find_rules
from profiling_core.algorithms.rules.previous_rows import find_previous
from profiling_core.ingest.infer import schema_of
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured, UniqueColumnCombination

START = dt.date(2024, 1, 1)
CORPUS = Path(__file__).parents[1] / "unit" / "algorithms" / "rules" / "corpus"
Columns = dict[str, list[object]]


def equations_in(table: pa.Table, roles=None) -> set[str]:
    """The equations of a table that chance makes less than once."""
    found = find_equations(table, schema_of("t", table.schema, "here"), roles or {})
    measured = [one.measured for one in found if one.evidence >= 0]
    rows = table.to_pylist()
    for one in measured:
        assert (one.population, one.violations) == equations.figures(one.constraint, rows)
        assert one.holds
    return {one.constraint.text for one in measured}


def conditions_in(table: pa.Table) -> set[str]:
    """The conditional rules of a table that chance makes less than once."""
    schema = schema_of("t", table.schema, "here")
    found = find_conditionals(table, schema, infer_roles(table, schema))
    measured = [one.measured for one in found if one.evidence >= 0]
    rows = table.to_pylist()
    for one in measured:
        assert (one.population, one.violations, one.support) == conditionals.figures(one.constraint, rows)
        assert one.holds
    return {one.constraint.text for one in measured}


def along_in(tables: Mapping[str, pa.Table], *references: str, least: float = LEAST) -> set[str]:
    """The rules along references, which are given as texts, that chance makes less than ten times."""
    schemas = {name: schema_of(name, table.schema, "here") for name, table in tables.items()}
    roles = {name: infer_roles(table, schemas[name]) for name, table in tables.items()}
    sides = [[side.split(".") for side in text.split(" ⊆ ")] for text in references]
    keys = [InclusionDependency(*(ColumnList(table, (column,)) for table, column in pair)) for pair in sides]
    found = find_references(tables, schemas, roles, [(key,) for key in keys])
    measured = [one.measured for one in found if one.strength >= -1 and one.worth >= least]
    for one in measured:
        rows = [tables[side.table].slice(0, 60).to_pylist() for side in (one.constraint.child, one.constraint.parent)]
        assert one.holds
        if hasattr(one.constraint.relation, "op"):
            assert oracle_of_references.figures(one.constraint, *rows)[1] == 0
    return {one.constraint.text for one in measured}


def previous_in(table: pa.Table, *key: str) -> set[str]:
    """The rules between a row and the one before it, where ``key`` is the key of the table."""
    coded = coded_tables(t=table)["t"]
    named = UniqueColumnCombination(ColumnList("t", key))
    keys = [Candidate(Measured(named, 0, len(table), len(table)), Family.KEY, 0.0)]
    return {one.constraint.text for one in find_previous(coded, keys, ENDLESS)}


def coded_tables(**tables: Columns | pa.Table) -> dict[str, CodedTable]:
    """Tables as the search for keys and references takes them."""
    given = {}
    for name, columns in tables.items():
        rows = columns if isinstance(columns, pa.Table) else pa.table(columns)
        schema = schema_of(name, rows.schema, "here")
        given[name] = CodedTable.of(rows, schema, infer_roles(rows, schema))
    return given


def cents(values) -> pa.Array:
    """Amounts as decimals of two digits."""
    return pa.array([Decimal(round(v * 100)).scaleb(-2) for v in values], pa.decimal128(12, 2))


def found(**tables: Columns | pa.Table) -> dict[str, TableRules]:
    """What discovery says of tables."""
    rows = {name: t if isinstance(t, pa.Table) else pa.table(t) for name, t in tables.items()}
    given = [Rows(schema_of(name, t.schema, "here"), t) for name, t in rows.items()]
    return {table.name: table for table in find_rules(given, ENDLESS)}


def texts(table: TableRules) -> list[str]:
    """The rules that are shown of a table."""
    return [rule.constraint.text for rule in table.rules.shown]


def shown(**tables: Columns) -> dict[str, list[str]]:
    """Per table the rules that are shown."""
    return {name: texts(table) for name, table in found(**tables).items()}


def listed(columns: Columns) -> list[str]:
    """The rules that are shown of one table."""
    return texts(found(t=columns)["t"])


def equations_told(columns: Columns | pa.Table) -> set[str]:
    """The equations of a table whose columns have the roles that their names and values tell."""
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    roles = infer_roles(table, schema_of("t", table.schema, "here"))
    return equations_in(table, roles)


def keep(folder: str, **tables: Columns) -> None:
    """Adds tables to the corpus; what is claimed of them goes into its list."""
    with zipfile.ZipFile(CORPUS / "tables.zip", "a", zipfile.ZIP_DEFLATED) as archive:
        for name, columns in tables.items():
            pq.write_table(pa.table(columns), made := BytesIO(), compression="zstd")
            archive.writestr(f"{folder}/{name}.parquet", made.getvalue())


def kept_tables(folder: str) -> dict[str, pa.Table]:
    """Tables of the corpus by name, in the order in which they were added."""
    with zipfile.ZipFile(CORPUS / "tables.zip") as archive:
        paths = [Path(name) for name in archive.namelist() if name.startswith(f"{folder}/")]
        return {path.stem: pq.read_table(BytesIO(archive.read(str(path)))) for path in paths}
