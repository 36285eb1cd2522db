"""No function exceeds the limits on lines, parameters and branches."""

import ast
from functools import cache

import pytest
from stack.files import REPOSITORY as ROOT

MOST_LINES, MOST_PARAMETERS, MOST_COMPLEXITY = 60, 7, 15


@cache
def functions():
    return list(_functions())


def _functions():
    for folder in ("profiling_core", "dags", "plugins"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node


def complexity(function: ast.AST) -> int:
    """One, and one more for each branch, loop, handler, further operand of ``and`` and ``or``, and condition within."""
    branches = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.match_case)
    return 1 + sum(
        isinstance(node, branches)
        + (len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0)
        + (1 + len(node.ifs) if isinstance(node, ast.comprehension) else 0)
        for node in ast.walk(function)
    )


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = function.args
    named = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in named if name not in {"self", "cls"}])


@pytest.mark.parametrize(
    ("measure", "most"),
    [
        (lambda function: function.end_lineno - function.lineno + 1, MOST_LINES),
        (parameters, MOST_PARAMETERS),
        (complexity, MOST_COMPLEXITY),
    ],
    ids=["lines", "parameters", "complexity"],
)
def test_no_function_is_larger_than_one_can_see_through(measure, most):
    found = {name: size for name, node in functions() if (size := measure(node)) > most}

    assert found == {}


def test_the_measure_counts_each_way_through_a_function():
    source = "def f(a, b):\n    if a and b:\n        return [x for x in a if x]\n    return 1 if a else 2"

    assert complexity(ast.parse(source)) == 1 + 1 + 1 + 1 + 1 + 1
