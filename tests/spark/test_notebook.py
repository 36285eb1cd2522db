"""The notebook of the documentation runs from its first cell to its last, and shows what it says."""

import ast
import json

import pytest
from stack.files import REPOSITORY

pytestmark = [pytest.mark.spark, pytest.mark.slow]
CELLS = json.loads((REPOSITORY / "docs" / "notebook.ipynb").read_text("utf-8"))["cells"]


def run(source, names):
    """What a cell shows: the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def test_every_cell_shows_what_the_text_says(spark):
    names = {}
    shown = [run("".join(cell["source"]), names) for cell in CELLS if cell["cell_type"] == "code"]
    _, rules, texts, constraints, changes, broken, explained, recovered = shown
    assert {"unique {parcel}", "{depot} → city"} <= set(texts)
    for table in (rules, constraints, changes, explained):
        assert "<table>" in table._repr_html_()
    assert ("{depot} → city", "61") in broken
    assert "{depot} → city" in recovered


def test_nothing_of_a_run_is_kept_in_the_notebook():
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in CELLS if cell["cell_type"] == "code")
