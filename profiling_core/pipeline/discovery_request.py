"""What one-shot discovery is asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from profiling_core.model.constraint import Kind
from profiling_core.model.dialect import PLAIN_DIALECT, CsvDialect
from profiling_core.model.number_marks import PLAIN, Marks
from profiling_core.model.types import NullSemantics

Progress = Callable[[str], None]


@dataclass(frozen=True)
class DiscoveryRequest:
    """What to discover, and in what sense. ``max_predicates`` None: no bound; for FDs it counts the left side plus one.

    ``max_error`` is g1 for DCs, FDs and UCCs, and 1 − coverage for INDs. ``cross`` says whether predicates may compare
    two different columns; ``reduced`` whether DCs that others imply are left out, and INDs that follow from longer
    ones. ``engine`` says whether exact DCs come from the evidence of all pairs or by Hydra; both give the same.
    ``max_arity`` is the most columns of an IND (None: no bound). ``empty_values`` says whether empty CSV cells
    are nulls or values of INDs (a column of nothing else has none), ``empty_columns`` whether columns without values
    are included in all others. ``spark`` says whether Spark's tasks read the files for INDs, or this process's threads.
    ``dialect`` None: CSV files are looked at for how they are written, but for the ``delimiter`` where that is given.
    ``null_values`` None: what usually means that a value is missing is looked for (only of rules).
    ``ranked`` says whether row constraints come in the order in which people see them, the best first.
    """

    kind: Kind = Kind.DC
    nulls: NullSemantics = NullSemantics.SQL
    cross: bool = True
    reduced: bool = True
    max_predicates: int | None = 4
    max_error: float = 0.0
    max_arity: int | None = 1
    empty_values: Literal["null", "value"] = "null"
    empty_columns: Literal["left-out", "included"] = "left-out"
    engine: Literal["auto", "pairs", "hydra"] = "auto"
    values: Literal["typed", "text"] = "typed"
    typed_header: bool = False
    null_values: tuple[str, ...] | None = ("",)
    dialect: CsvDialect | None = PLAIN_DIALECT
    delimiter: str | None = None
    marks: Marks = PLAIN
    spark: bool = False
    ranked: bool = True

    def dialect_of(self, path: Path) -> CsvDialect:
        """How a CSV file is written."""
        if self.dialect:
            return self.dialect
        from profiling_core.ingest.sniffing.sniffer import sniffed

        return sniffed(path, self.delimiter).dialect
