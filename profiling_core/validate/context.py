"""Great Expectations contexts: never a project on disk, always the stores that are named here and no others.

GX's own ephemeral context would leave a temporary directory behind in every run.
"""

from pathlib import Path
from typing import Any

from profiling_core.emit.gx import great_expectations

DOCS_SITE = "local_site"
DOCS, EXPECTATIONS, VALIDATIONS = "data_docs", "expectations", "validations"
_SECTIONS = (EXPECTATIONS, VALIDATIONS, "profiling")


def context_in_memory() -> Any:
    """A context that keeps nothing: what it finds is handed back."""
    return _context(_memory("ExpectationsStore"), _memory("ValidationResultsStore"), {})


def context_for_docs(home: Path) -> Any:
    """A context that keeps expectations, results and Data Docs as files below ``home``."""
    site = {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "store_backend": _files(home / DOCS),
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder", "view": _view("DocsIndex")},
        "site_section_builders": {section: {"view": _view("DocsPage")} for section in _SECTIONS},
    }
    return _context(
        {"class_name": "ExpectationsStore", "store_backend": _files(home / EXPECTATIONS)},
        {"class_name": "ValidationResultsStore", "store_backend": _files(home / VALIDATIONS)},
        {DOCS_SITE: site},
    )


def _view(name: str) -> dict[str, str]:
    return {"module_name": "profiling_core.validate.docs_views", "class_name": name}


def _files(folder: Path) -> dict[str, Any]:
    return {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(folder)}


def _memory(store: str) -> dict[str, Any]:
    return {"class_name": store, "store_backend": {"class_name": "InMemoryStoreBackend"}}


def _context(expectations: dict[str, Any], validations: dict[str, Any], sites: dict[str, Any]) -> Any:
    gx = great_expectations()
    from great_expectations.data_context.types.base import DataContextConfig, ProgressBarsConfig

    config = DataContextConfig(
        stores={
            "expectations_store": expectations,
            "validation_results_store": validations,
            "checkpoint_store": _memory("CheckpointStore"),
            "validation_definition_store": _memory("ValidationDefinitionStore"),
        },
        expectations_store_name="expectations_store",
        validation_results_store_name="validation_results_store",
        checkpoint_store_name="checkpoint_store",
        data_docs_sites=sites,
        progress_bars=ProgressBarsConfig(globally=False, metric_calculations=False),
        analytics_enabled=False,
    )
    return gx.get_context(mode="ephemeral", project_config=config)
