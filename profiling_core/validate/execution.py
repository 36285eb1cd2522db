"""A suite run over tables by a real Great Expectations checkpoint.

The context lives in memory: suites come from our files, results go back to us, and GX, which writes its stores in
place, has no file to leave half-written. Ids that its stores hand out are replaced by the stored suite's.
"""

import json
import math
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from profiling_core.emit.gx import great_expectations
from profiling_core.emit.loading import load_suite
from profiling_core.model.errors import StateError
from profiling_core.validate.context import context_in_memory
from profiling_core.validate.tables import SuitePart, Tables


def execute_suite(path: Path, table: str, tables: Tables, *, max_rows: int) -> list[dict[str, Any]]:
    """The results of every expectation in a suite file, in the file's order, as plain JSON data.

    Args:
        path: the suite.
        table: its table, the batch.
        tables: the batch, and the tables that expectations name.
        max_rows: the most unexpected rows that are kept of each.

    Raises:
        StateError: stored, loaded and evaluated expectations are not the same.
    """
    stored = json.loads(path.read_bytes())["expectations"]
    suite = load_suite(path)
    with tables.readable({view for e in stored for view in e["meta"]["needs_views"]}):
        raw = _run_checkpoints(suite, tables.add_source, tables.parts(stored, table, max_rows))
    by_fingerprint = {r["expectation_config"]["meta"]["fingerprint"]: r for r in raw}
    evaluated = [by_fingerprint.get(e["meta"]["fingerprint"]) for e in stored]
    if len(raw) != len(stored) or None in evaluated:
        raise StateError(
            f"Great Expectations evaluated {len(raw)} of the {len(stored)} expectations stored",
            where=str(path),
            remedy="run the step again; if it stays so, the suite does not suit the installed version",
        )
    return [_kept(result, e, max_rows) for result, e in zip(evaluated, stored, strict=True) if result]


def _run_checkpoints(suite: Any, add_source: Callable[[Any], Any], parts: Generator[SuitePart]) -> list[dict[str, Any]]:
    context = context_in_memory()
    source = add_source(context)
    by_id = {expectation.id: expectation.configuration for expectation in suite.expectations}
    results: list[dict[str, Any]] = []
    with closing(parts):
        for number, part in enumerate(parts):
            expectations = [_configured(by_id[e["id"]], e) for e in part.expectations]
            results += _run_checkpoint(context, source, f"{suite.name}.{number}", expectations, part)
    return results


def _configured(loaded: Any, expectation: Mapping[str, Any]) -> Any:
    """The expectation as it was loaded, with the arguments that its part gives it."""
    loaded.kwargs |= expectation["kwargs"]
    return loaded


def _run_checkpoint(
    context: Any, source: Any, name: str, expectations: list[Any], part: SuitePart
) -> list[dict[str, Any]]:
    gx = great_expectations()
    batch = source.add_dataframe_asset(name).add_batch_definition_whole_dataframe("whole")
    suite = context.suites.add(gx.ExpectationSuite(name=name, expectations=expectations))
    definition = gx.ValidationDefinition(name=name, data=batch, suite=suite)
    checkpoint = gx.Checkpoint(
        name=name, validation_definitions=[context.validation_definitions.add(definition)], result_format=part.told
    )
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
