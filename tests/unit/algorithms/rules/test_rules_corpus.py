"""The rules of one corpus: tables that are kept in ``corpus/tables.zip``, and what ``corpus/rules.csv`` says of each.

A line of the list has a folder of tables, one of them (none: all together), what is claimed, a text, and why. Several
texts have a bar between them. A claim of the rules that are shown stands alone; before one of what a single search
finds stands the name of the search. In place of a table, rules ``along`` references have the references, and those
between a row and the ``previous`` one the table's key. Another folder is added with ``helpers.found.keep``.
"""

import csv
from collections.abc import Callable, Iterable, Mapping
from functools import cache

import pyarrow as pa
import pytest
from helpers.found import (
    CORPUS,
    along_in,
    coded_tables,
    conditions_in,
    equations_in,
    equations_told,
    found,
    kept_tables,
    previous_in,
    texts,
)

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.rules.discovery import TableRules
from profiling_core.algorithms.rules.lines import words_of
from profiling_core.algorithms.rules.schema.discovery import find_schema
from profiling_core.algorithms.rules.words import in_words
from profiling_core.model.role import Role

with (CORPUS / "rules.csv").open(encoding="utf-8", newline="") as file:
    LINES = list(csv.DictReader(file))
# What is claimed of rules (t), by the texts that the line has (given) and what follows the claim.
OF_RULES: Mapping[str, Callable[[list[str], list[str], list[str]], bool]] = {
    "are": lambda t, given, _: {*t} == {*given},
    "first": lambda t, given, _: t[: len(given)] == given,
    "told": lambda t, given, _: {*given} <= {*t},
    "any": lambda t, given, _: bool({*given} & {*t}),
    "one": lambda t, given, _: len({*given} & {*t}) == 1,
    "some": lambda t, given, _: all(any(part in text for text in t) for part in given),
    "none": lambda t, given, _: not any(part in text for part in given for text in t),
    "number": lambda t, given, words: sum(given[0] in text for text in t) == int(words[0]),
    "within": lambda t, given, signs: {text for text in t if all(sign in text for sign in signs)} <= {*given},
    "only": lambda t, given, signs: {text for text in t if any(sign in text for sign in signs)} == {*given},
}
OF_TABLES: Mapping[str, Callable[[TableRules, list[str]], bool]] = {
    "key": lambda one, given: one.key == tuple(given),
    "words": lambda one, given: {*given} <= {in_words(rule.constraint, one.roles) for rule in one.rules.shown},
    "implied": lambda one, given: {*given} <= {rule.constraint.text for rule in one.rules.implied},
    "sentences": lambda one, given: {*given} <= {words_of(line, one.roles) for line in one.rules.lines},
    "quantity": lambda one, given: all(one.roles[name].role is Role.QUANTITY for name in given),
    "unmeasured": lambda one, given: all(one.roles[name].role is not Role.QUANTITY for name in given),
    "code": lambda one, given: all(one.roles[name].role is Role.CODE for name in given),
}
# What a single search finds. Plain equations are found without the roles that names and values tell.
SEARCHES: Mapping[str, Callable[[dict[str, pa.Table], str], Iterable[str]]] = {
    "equations": lambda tables, name: equations_told(tables[name]),
    "plain": lambda tables, name: equations_in(tables[name]),
    "conditions": lambda tables, name: conditions_in(tables[name]),
    "along": lambda tables, references: along_in(tables, *references.split(" | ")),
    "previous": lambda tables, key: previous_in(*tables.values(), *key[len("unique {") : -1].split(", ")),
    "keys": lambda tables, name: [c.constraint.text for c in find_schema(coded_tables(**tables), ENDLESS).keys[name]],
    "references": lambda tables, _: [
        c.constraint.text for c in find_schema(coded_tables(**tables), ENDLESS).references
    ],
}


@cache
def rules_of(folder: str) -> dict[str, TableRules]:
    return found(**kept_tables(folder))


def holds(says: str, folder: str, table: str, given: list[str]) -> bool:
    """Whether a claim of a table is true."""
    claim, *words = says.split()
    if claim in SEARCHES:
        return OF_RULES[words[0]]([*SEARCHES[claim](kept_tables(folder), table)], given, words[1:])
    rules = rules_of(folder)
    if claim in OF_TABLES:
        return OF_TABLES[claim](rules[table], given)
    shown = [text for name, one in rules.items() if table in ("", name) for text in texts(one)]
    return OF_RULES[claim](shown, given, words)


@pytest.mark.parametrize("line", LINES, ids=[f"{line['tables']}-{line['says']}" for line in LINES])
def test_what_is_claimed_of_a_table_is_so(line: dict[str, str]) -> None:
    given = line["text"].split(" | ") if line["text"] else []
    assert holds(line["says"], line["tables"], line["table"], given), line["why"]
