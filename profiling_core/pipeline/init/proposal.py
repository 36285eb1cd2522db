"""What is proposed for one table, from a look at its rows: key, null values, columns that look personal."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.roles.names import words
from profiling_core.ingest.rows import OPERATION
from profiling_core.pipeline.init.marks import are_marked, ways

_PERSONAL_NAMES = re.compile(
    "(^|_)(e_?mail|(tele)?phone|mobile|fax|ssn|iban|passport|birth_?(day|date)?|dob|surname|street|address|"
    "(first|last|full|given|family|maiden)_?name)(_|$)"
)
_PEOPLE = (
    "client|contact|customer|donor|employee|guest|member|passenger|patient|people|person|pupil|student|subscriber|"
    "teacher|tenant|user"
)
_NAMED_PEOPLE = re.compile(f"(^|_)({_PEOPLE})s?_name(_|$)|^user_?name$")
_TABLE_OF_PEOPLE = re.compile(f"(^|_)({_PEOPLE}|staff)s?$")
_EMAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"
_KEY_NAME = re.compile(r"(^|_)(id|key|code|number|no|nr)$", re.IGNORECASE)
_NUMBER = r"^[+-]?[0-9][0-9.]*(,[0-9]+)?$"
_KEY_COLUMNS = 5
_MOST_EMAILS = 0.5


@dataclass(frozen=True)
class TableProposal:
    """A table as it is to be configured.

    Attributes:
        table: its name; source: the fields of its source.
        key: the columns of its key, where some make one.
        redacted: columns that look personal, each with why.
        notes: by field what a person should check.
        first: a file that is to be copied as the first delta, and where to.
    """

    table: str
    source: dict[str, Any]
    key: tuple[str, ...] = ()
    redacted: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    first: tuple[Path, Path] | None = None


def key_of(rows: pa.Table) -> tuple[str, ...]:
    """The column, or pair of columns, that tells the rows apart, best by its name; none where nothing does."""
    if rows.num_rows < 2:  # noqa: PLR2004 -- one row is told from no other
        return ()
    usable = [name for name in rows.column_names if name != OPERATION and _may_be_key(rows[name])]
    usable.sort(key=lambda name: not _KEY_NAME.search(name))  # stable: else as the table has them
    for size in (1, 2):
        for names in combinations(usable[:_KEY_COLUMNS], size):
            if rows.select(list(names)).group_by(list(names)).aggregate([]).num_rows == rows.num_rows:
                return names
    return ()


def _may_be_key(column: pa.ChunkedArray) -> bool:
    numbers = pa.types.is_floating(column.type) or pa.types.is_boolean(column.type) or pa.types.is_nested(column.type)
    return not numbers and column.null_count == 0


def personal(rows: pa.Table, table: str) -> dict[str, str]:
    """The columns that look personal, by name or by values; ``name`` is, in a table of people."""
    of_people = _TABLE_OF_PEOPLE.search("_".join(words(table))) is not None
    called = {name: "_".join(words(name)) for name in rows.column_names}
    found = {
        name: "its name"
        for name, said in called.items()
        if _PERSONAL_NAMES.search(said) or _NAMED_PEOPLE.search(said) or (of_people and said == "name")
    }
    for name in rows.column_names:
        if name not in found and (pa.types.is_string(rows[name].type) or pa.types.is_large_string(rows[name].type)):
            share = pc.mean(pc.match_substring_regex(rows[name], _EMAIL).cast(pa.float64())).as_py()
            if share is not None and share >= _MOST_EMAILS:
                found[name] = "its values look like addresses"
    return found


def odd_texts(rows: pa.Table) -> str:
    """What a person should know of a file's texts: names that look like values, numbers that stay text."""
    if all(re.match(_NUMBER, name) for name in rows.column_names):
        return "The first line is taken for the columns' names, and looks like values: write a line of names above it."
    texts = {
        name: pc.drop_null(pc.unique(rows[name])) for name in rows.column_names if pa.types.is_string(rows[name].type)
    }
    marked = [name for name, values in texts.items() if are_marked(values) and ways(values)]
    if not marked:
        return ""
    return (
        f"Numbers with marks ({', '.join(marked)}) are text, and nothing is computed with them: what their marks mean "
        'is in doubt. Set decimal: "," where a comma begins the fraction, and thousands to what parts thousands: '
        "one of , . ' or a blank."
    )


def kind_of(first: pa.Table, second: pa.Table | None, key: Sequence[str]) -> tuple[str, str]:
    """How files speak of change, from two that follow one another, and what to check."""
    if OPERATION in first.column_names:
        return "changes", ""
    if second is None:
        # Where that is wrong, rows come again and are rejected, which is told; a wrong snapshot would delete rows.
        return "append", "append: each file has new rows alone. snapshot: each file is the whole table."
    names = list(key) or [name for name in first.column_names if name in second.column_names]
    shared = first.select(names).group_by(names).aggregate([])
    again = shared.join(second.select(names).group_by(names).aggregate([]), names, join_type="inner").num_rows
    kind = "snapshot" if 2 * again >= shared.num_rows else "append"
    return kind, f"{again} of {shared.num_rows} rows of the first file are in the next one."
