"""Data Docs of what a run executed: Great Expectations' own pages, built from an escaped copy of the results.

GX puts column names, failing values and queries into its HTML as they are, so that a value ``<script>…`` would run in
the reader's browser, and a mark that turns the direction of writing turn what stands after it. What the pages are
built from is therefore escaped first, in a store of their own below ``<artifacts>/<dataset>/gx``; the results for
programs stay as they were found. The pages load styles from outside, and are an extra: our own report shows the same
without them.
"""

import datetime as dt
import html
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from profiling_core.emit.loading import suite_from
from profiling_core.emit.suites import EmittedSuites
from profiling_core.model.texts import written_out
from profiling_core.state.atomic import for_owner_alone, shut
from profiling_core.validate.context import DOCS, DOCS_SITE, VALIDATIONS, context_for_docs
from profiling_core.validate.maintained import suite_result

DOCS_HOME = "gx"


def build_data_docs(artifacts_dir: Path, emitted: EmittedSuites, executed: Mapping[str, list[dict[str, Any]]]) -> str:
    """Adds the run's pages to the dataset's Data Docs; returns the index page relative to the artifacts directory."""
    home = artifacts_dir / emitted.dataset / DOCS_HOME
    with for_owner_alone():
        context = context_for_docs(home)
        identifiers: list[Any] = []
        for suite in emitted.changes:
            stored = json.loads((artifacts_dir / suite.path).read_bytes())
            if executed.get(suite.table):
                identifiers += _store(context, home, _escaped(stored), executed[suite.table], emitted)
        if identifiers:
            context.build_data_docs(site_names=[DOCS_SITE], resource_identifiers=identifiers)
    for copied in (home / DOCS / "static").rglob("*"):  # with the rights that these had in GX's package
        shut(copied)
    index = home / DOCS / "index.html"
    return str(index.relative_to(artifacts_dir)) if index.is_file() else ""


def _store(
    context: Any, home: Path, suite: dict[str, Any], results: list[dict[str, Any]], emitted: EmittedSuites
) -> list[Any]:
    """Puts the suite and its results into the Docs' stores; a repeated run replaces what it stored before."""
    from great_expectations.core.expectation_validation_result import expectationSuiteValidationResultSchema
    from great_expectations.core.run_identifier import RunIdentifier
    from great_expectations.data_context.types.resource_identifiers import (
        ExpectationSuiteIdentifier,
        ValidationResultIdentifier,
    )

    name, run_name = suite["name"], f"version-{emitted.version}"
    for folder in (VALIDATIONS, f"{DOCS}/{VALIDATIONS}"):
        # GX makes a folder of each part of a suite's name
        shutil.rmtree(Path(home, folder, *name.split("."), run_name), ignore_errors=True)
    run_id = RunIdentifier(run_name=run_name, run_time=dt.datetime.now(dt.UTC))
    key = ExpectationSuiteIdentifier(name=name)
    result = suite_result(suite, _escaped(results), {"version": emitted.version})
    result["meta"] |= {
        "run_id": run_id.to_json_dict(),
        "active_batch_definition": {"datasource_name": "spark", "data_asset_name": suite["meta"]["holdfast"]["table"]},
    }
    identifier = ValidationResultIdentifier(key, run_id, f"version-{emitted.version}")
    content = json.dumps(suite).encode()
    context.expectations_store.add_or_update(key, suite_from(content, name))
    context.validation_results_store.set(identifier, expectationSuiteValidationResultSchema.load(result))
    return [key, identifier]


def _escaped(value: Any, within: str = "") -> Any:
    """The value with every text and key safe to stand in HTML; descriptions are escaped when they are emitted."""
    if isinstance(value, Mapping):
        return {_shown(str(key)): _escaped(item, str(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_escaped(item, within) for item in value]
    if not isinstance(value, str):
        return value
    # GX fills "$name" in texts from its own parameters
    return written_out(value, but="\n") if within == "description" else _shown(value)


def _shown(text: str) -> str:
    return html.escape(written_out(text, but="\n"))
