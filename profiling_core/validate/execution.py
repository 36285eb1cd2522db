"""A suite run over a Spark DataFrame by a real Great Expectations checkpoint.

The context lives in memory: suites come from our files, results go back to us, and GX, which writes its stores in
place, has no file to leave half-written. Ids that its stores hand out are replaced by the stored suite's.

A suite runs in parts. Built-in expectations never list more rows than are kept, which GX's complete results do without
a limit; queries show rows in complete results alone, at most 200 of them. A key carries the batch through its sort,
so its batch has the key's columns alone.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from profiling_core.emit.gx import great_expectations
from profiling_core.emit.loading import load_suite
from profiling_core.model.delta import ROW_ID
from profiling_core.model.errors import StateError
from profiling_core.validate.cached_plans import QUERY, computed_once, key_columns
from profiling_core.validate.context import context_in_memory

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SUBSTITUTION = "spark.sql.variable.substitute"


def execute_suite(path: Path, table: str, frames: Mapping[str, "DataFrame"], *, max_rows: int) -> list[dict[str, Any]]:
    """The results of every expectation in a suite file, in the file's order, as plain JSON data.

    Args:
        path: the suite.
        table: its table; the DataFrame of that name is the batch.
        frames: per table a DataFrame with ``_row_id``; tables that an expectation names become temporary views.
        max_rows: the most unexpected rows that are kept of each.

    Raises:
        StateError: stored, loaded and evaluated expectations are not the same.
    """
    from profiling_core.spark.moments import by_the_clock

    stored = json.loads(path.read_bytes())["expectations"]
    suite = load_suite(path)
    needed = {view for e in stored for view in e["meta"]["needs_views"]}
    frames = {name: by_the_clock(frame) for name, frame in frames.items()}
    with literal_sql(frames[table]), views(needed, frames):
        raw = _run_checkpoints(suite, _parts(stored, frames[table], max_rows))
    by_fingerprint = {r["expectation_config"]["meta"]["fingerprint"]: r for r in raw}
    evaluated = [by_fingerprint.get(e["meta"]["fingerprint"]) for e in stored]
    if len(raw) != len(stored) or None in evaluated:
        raise StateError(
            f"Great Expectations evaluated {len(raw)} of the {len(stored)} expectations stored",
            where=str(path),
            remedy="run the step again; if it stays so, the suite does not suit the installed version",
        )
    return [_kept(result, e, max_rows) for result, e in zip(evaluated, stored, strict=True) if result]


@contextmanager
def literal_sql(frame: "DataFrame") -> Iterator[None]:
    """Keeps Spark from replacing ``${…}`` in SQL, which may be part of a column's name."""
    settings = frame.sparkSession.conf
    before = settings.get(_SUBSTITUTION)
    settings.set(_SUBSTITUTION, "false")
    try:
        yield
    finally:
        settings.set(_SUBSTITUTION, before)


@contextmanager
def views(tables: set[str], frames: Mapping[str, "DataFrame"]) -> Iterator[None]:
    """Makes tables readable by their names while a suite runs. A table that is not there is left to break its check."""
    present = [frames[table] for table in tables if table in frames]
    quoted = {table: _quoted(table) for table in tables if table in frames}
    for table, view in quoted.items():
        frames[table].createOrReplaceTempView(view)
    try:
        yield
    finally:
        for frame, table in zip(present, quoted, strict=True):
            frame.sparkSession.catalog.dropTempView(table)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class _Part:
    """Expectations of a suite that one checkpoint runs, what it runs over, and how much it tells."""

    expectations: Sequence[Mapping[str, Any]]
    frame: "DataFrame"
    told: Mapping[str, Any]


def _parts(stored: list[dict[str, Any]], frame: "DataFrame", max_rows: int) -> Iterator[_Part]:
    complete = {"result_format": "COMPLETE"}
    summary = {
        "result_format": "SUMMARY",
        "partial_unexpected_count": max_rows,
        "unexpected_index_column_names": [ROW_ID],
    }
    queries = [e for e in stored if e["type"] == QUERY]
    keys = [e for e in stored if key_columns(e)]
    others = [e for e in stored if e not in queries and e not in keys]
    for expectations, told in ((queries, complete), (others, summary)):
        if expectations:
            yield _Part(expectations, frame, told)
    for key in keys:
        yield _Part([key], _only(frame, key_columns(key)), summary)


def _only(frame: "DataFrame", columns: tuple[str, ...]) -> "DataFrame":
    """A key's columns and the row identity; those of several sorted, as GX sorts them far more slowly by a struct."""
    wanted = {*columns, ROW_ID}
    narrow = frame.select(*(_quoted(c) for c in frame.columns if c in wanted))
    there = [_quoted(c) for c in columns if c in frame.columns]
    return narrow.sortWithinPartitions(*there) if len(there) > 1 else narrow


def _run_checkpoints(suite: Any, parts: Iterable[_Part]) -> list[dict[str, Any]]:
    context = context_in_memory()
    source = context.data_sources.add_spark("spark", persist=False)
    by_id = {expectation.id: expectation.configuration for expectation in suite.expectations}
    results: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        expectations = [by_id[e["id"]] for e in part.expectations]
        with computed_once(part.frame, part.expectations):
            results += _run_checkpoint(context, source, f"{suite.name}.{number}", expectations, part)
    return results


def _run_checkpoint(context: Any, source: Any, name: str, expectations: list[Any], part: _Part) -> list[dict[str, Any]]:
    gx = great_expectations()
    batch = source.add_dataframe_asset(name).add_batch_definition_whole_dataframe("whole")
    suite = context.suites.add(gx.ExpectationSuite(name=name, expectations=expectations))
    definition = gx.ValidationDefinition(name=name, data=batch, suite=suite)
    checkpoint = gx.Checkpoint(
        name=name,
        validation_definitions=[context.validation_definitions.add(definition)],
        result_format=part.told,
    )
    # the batch is not kept in memory: a check reads the few columns that it needs from the files sooner
    outcome = context.checkpoints.add(checkpoint).run(batch_parameters={"dataframe": part.frame})
    return [result for run in outcome.run_results.values() for result in run.to_json_dict()["results"]]


def _kept(result: dict[str, Any], expectation: Mapping[str, Any], max_rows: int) -> dict[str, Any]:
    """The result under the stored expectation, with no more rows than asked for."""
    found = result.get("result") or {}
    details = found.get("details") or {}
    if "unexpected_rows" in details:
        details["unexpected_rows"] = details["unexpected_rows"][:max_rows]
    for name, value in found.items():
        if isinstance(value, list):
            found[name] = value[:max_rows]
    return {**_plain(result), "expectation_config": dict(expectation)}


def _plain(value: Any) -> Any:
    """The value with infinities and NaN as text, which JSON has no numbers for."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
