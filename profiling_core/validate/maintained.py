"""GX validation results written from the maintained counts: unchanged constraints need no query.

They have the shape that Great Expectations stores, load through its schema, and say in ``meta`` where they come from.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from profiling_core.model.constraint import Measured
from profiling_core.validate.results import OutcomeSource


def maintained_result(expectation: Mapping[str, Any], measured: Measured) -> dict[str, Any]:
    """One expectation's result as the maintained figures give it."""
    tolerance = float(expectation["meta"].get("tolerance", 0.0))
    return {
        "success": measured.error <= tolerance,
        "expectation_config": dict(expectation),
        "result": {
            "observed_value": measured.violations,
            "details": {"error": measured.error, "population": measured.population},
        },
        "meta": {"holdfast": {"source": OutcomeSource.MAINTAINED.value, "violations": measured.violations}},
        "exception_info": {"raised_exception": False, "exception_traceback": None, "exception_message": None},
    }


def suite_result(
    suite: Mapping[str, Any], results: Sequence[Mapping[str, Any]], run: Mapping[str, Any]
) -> dict[str, Any]:
    """A suite's validation result in GX's form, from its expectations' results.

    Args:
        suite: the stored suite.
        results: one per expectation, in the suite's order.
        run: what is kept of the run in ``meta``.
    """
    passed = sum(bool(result["success"]) for result in results)
    return {
        "success": passed == len(results),
        "suite_name": suite["name"],
        "results": list(results),
        "suite_parameters": {},
        "statistics": {
            "evaluated_expectations": len(results),
            "successful_expectations": passed,
            "unsuccessful_expectations": len(results) - passed,
            "success_percent": 100.0 * passed / len(results) if results else None,
        },
        "meta": {
            "great_expectations_version": suite["meta"]["great_expectations_version"],
            "expectation_suite_name": suite["name"],
            "holdfast": dict(run),
        },
        "id": None,
    }
