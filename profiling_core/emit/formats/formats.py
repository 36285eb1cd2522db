"""The list of formats: one entry per file of this folder."""

from collections.abc import Callable, Mapping
from enum import StrEnum

from profiling_core.emit.formats import dbt, odcs, openlineage, ruleset, sql
from profiling_core.emit.formats.contract import Contract, Export


class Format(StrEnum):
    """A format that other tools read."""

    ODCS = "odcs"
    DBT = "dbt"
    RULESET = "ruleset"
    OPENLINEAGE = "openlineage"
    SQL = "sql"


EXPORTS: Mapping[Format, Callable[[Contract], Export]] = {
    Format.ODCS: odcs.export,
    Format.DBT: dbt.export,
    Format.RULESET: ruleset.export,
    Format.OPENLINEAGE: openlineage.export,
    Format.SQL: sql.export,
}
