"""No folder's modules import each other in a circle, not even for types alone, which the import contract leaves out."""

import grimp
import pytest

PACKAGE = "profiling_core"


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(PACKAGE, exclude_type_checking_imports=False, cache_dir=None)


def test_no_folder_has_modules_that_import_each_other_in_a_circle(graph: grimp.ImportGraph):
    folders = [module for module in graph.modules if graph.find_children(module)]
    assert PACKAGE in folders
    assert not {folder: breakers for folder in folders if (breakers := graph.nominate_cycle_breakers(folder))}


def test_a_circle_would_be_seen(graph: grimp.ImportGraph):
    graph.add_import(importer=f"{PACKAGE}.model.errors", imported=f"{PACKAGE}.model.types")
    graph.add_import(importer=f"{PACKAGE}.model.types", imported=f"{PACKAGE}.model.errors")
    assert graph.nominate_cycle_breakers(f"{PACKAGE}.model")
