"""The setting of an output: names, types and null semantics of the data, and the dialect of SQL."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from profiling_core.emit.dialects import Dialect
from profiling_core.model.schema import TableSchema
from profiling_core.model.types import NullSemantics


@dataclass(frozen=True, slots=True)
class Setting:
    """The dataset, its schemas, a table's null semantics, and the dialect.

    ``as_text`` says that inclusion dependencies compare the source's text, which typed columns do not keep;
    ``redacted`` are the table's columns whose values no result may show; ``severities`` what people call violations of
    constraints, by fingerprint.
    """

    dataset: str
    schemas: Mapping[str, TableSchema]
    nulls: NullSemantics
    as_text: bool = False
    dialect: Dialect = Dialect.SPARK
    redacted: frozenset[str] = frozenset()
    severities: Mapping[str, str] = field(default_factory=dict)
