"""What is proposed for one table, from a look at its rows: key, null values, columns that look personal."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.roles.names import words
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.schema.discovery import find_schema, likely
from profiling_core.ingest.coming_again import come_again, distinct
from profiling_core.ingest.found_marks import are_marked, ways
from profiling_core.ingest.infer import schema_of
from profiling_core.ingest.rows import OPERATION
from profiling_core.model.delta import OPERATION_WORDS, Operation

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
_KEY_COLUMNS = 5
# Rows in which a key is looked for first, and the seconds that this may take: a person waits.
_KEY_ROWS, _KEY_SECONDS = 20_000, 5.0
_CALLED_OPERATION = re.compile("(^|_)(op|operation|dml|change_type|change_flag)$")
_MOST_EMAILS = 0.5
_DAY_NUMBER = "^(19|20)[0-9]{2}((0[1-9]|1[0-2])([0-2][0-9]|3[01])?)?$"
_DAY_TEXT = (
    _DAY_NUMBER.removesuffix("$")
    + "($|[ T])|^[0-9]{4}[-/.][0-9]{1,2}\\b|^[0-9]{1,2}[-/.]([0-9]{1,2}[-/.])?[0-9]{2,4}\\b"
)


@dataclass(frozen=True)
class TableProposal:
    """A table as it is to be configured.

    Attributes:
        table: its name; source: the fields of its source.
        key: the columns of its key, where some make one.
        redacted: columns that look personal, each with why.
        notes: by field what a person should check.
        first: a file that is to be copied as the first delta, and where to.
        nulls: by column the texts that mean null there.
        doubtful: a CSV file that may be read otherwise, too.
    """

    table: str
    source: dict[str, Any]
    key: tuple[str, ...] = ()
    redacted: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    first: tuple[Path, Path] | None = None
    nulls: Mapping[str, Sequence[str]] = field(default_factory=dict)
    doubtful: Path | None = None


def key_of(*files: pa.Table) -> tuple[str, ...]:
    """The columns that tell the rows of each file apart, as `discover` chooses them; of few rows a column or a pair.

    None: nothing does. A column or pair is best by its name.
    """
    first = files[0]
    if first.num_rows < 2:  # noqa: PLR2004 -- one row is told from no other
        return ()
    names = [name for name in first.column_names if all(name in rows.column_names for rows in files)]
    usable = [name for name in names if name != OPERATION and all(_may_be_key(rows[name]) for rows in files)]
    if not usable:
        return ()
    named = sorted(usable, key=lambda name: not _KEY_NAME.search(name))  # stable: else as the table has them
    few = (some for size in (1, 2) for some in combinations(named[:_KEY_COLUMNS], size))
    found = chain(_chosen_keys(first.select(usable).slice(0, _KEY_ROWS)), few)
    return next((some for some in found if all(_are_apart(rows, some) for rows in files)), ())


def _chosen_keys(rows: pa.Table) -> Iterator[tuple[str, ...]]:
    """The keys that ``discover`` would choose, the primary one first."""
    schema = schema_of("", rows.schema, "")
    coded = CodedTable.of(rows, schema, infer_roles(rows, schema))
    found = find_schema({coded.name: coded}, Budget.of(_KEY_SECONDS)).keys[coded.name]
    yield from (key.constraint.columns for key in likely(found))


def _are_apart(rows: pa.Table, names: Sequence[str]) -> bool:
    return bool(distinct(rows, names).num_rows == rows.num_rows)


def _may_be_key(column: pa.ChunkedArray) -> bool:
    numbers = pa.types.is_floating(column.type) or pa.types.is_boolean(column.type) or pa.types.is_nested(column.type)
    return not numbers and column.null_count == 0


def personal(rows: pa.Table, table: str) -> dict[str, str]:
    """The columns that look personal, by name or by values."""
    found = dict.fromkeys(personal_names(rows.column_names, table), "its name")
    for name in rows.column_names:
        if name not in found and (pa.types.is_string(rows[name].type) or pa.types.is_large_string(rows[name].type)):
            share = pc.mean(pc.match_substring_regex(rows[name], _EMAIL).cast(pa.float64())).as_py()
            if share is not None and share >= _MOST_EMAILS:
                found[name] = "its values look like addresses"
    return found


def personal_names(names: Iterable[str], table: str) -> list[str]:
    """The names of columns that look personal; ``name`` is, in a table of people."""
    of_people = _TABLE_OF_PEOPLE.search("_".join(words(table))) is not None
    called = {name: "_".join(words(name)) for name in names}
    return [
        name
        for name, said in called.items()
        if _PERSONAL_NAMES.search(said) or _NAMED_PEOPLE.search(said) or (of_people and said == "name")
    ]


def odd_texts(rows: pa.Table) -> str:
    """What a person should know of a file's texts: numbers that stay text."""
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


@dataclass(frozen=True)
class Speaking:
    """How files speak of change: the source's ``kind``, the ``key`` that goes with it, and what to check.

    ``operation`` is the column that says what becomes of a row; empty: none does.
    """

    kind: str
    key: tuple[str, ...]
    note: str = ""
    operation: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """What the source says of it."""
        return {"kind": self.kind} | ({"operation": self.operation} if self.operation else {})

    @property
    def notes(self) -> dict[str, str]:
        """What to check, by the field of the source that it is about."""
        return {"operation" if self.operation else "kind": self.note} if self.note else {}


def speaking(files: Sequence[pa.Table]) -> Speaking:
    """How files speak of change, from some of them in their order; the first two follow one another.

    A file is a period of its own where times of one file come in no other one, and most rows differ in more than those:
    then its rows are new, and its key holds over all files. Where most rows come again, each file is the table.
    """
    first = files[0]
    if OPERATION in first.column_names:
        return Speaking("changes", key_of(first))
    for name in first.column_names:
        if changes := _changes(files, name):
            return changes
    if len(files) == 1:
        # Where that is wrong, rows come again and are rejected, which is told; a wrong snapshot would delete rows.
        note = "A guess from one file: append (each file has new rows alone). If each is the whole table: snapshot."
        days = [name for name in first.column_names if _is_time(first[name]) and len(pc.unique(first[name])) == 1]
        return Speaking("append", _key_of_periods([first], days), note)
    alike = _of_the_same_types(files)
    moving = _moving(alike)
    if moving and not come_again(alike[0], alike[1], [name for name in alike[0].column_names if name not in moving])[0]:
        note = f"No {moving[0]} of one file is in another: each file has rows of its own."
        return Speaking("append", _key_of_periods(alike, moving), note)
    key = key_of(*alike)
    again, said = come_again(alike[0], alike[1], key or alike[0].column_names)
    return Speaking("snapshot" if again else "append", key if again else key_of(pa.concat_tables(alike)), f"{said}.")


def _changes(files: Sequence[pa.Table], name: str) -> Speaking | None:
    """How files speak of change if a column says what becomes of each row; else None.

    All its values are words of operations. And the column is called so, or at least half of the rows that later files
    update or delete have the key of an inserted row, which tells the inserted rows of all files apart.
    """
    if not all(name in rows.column_names and _are_operations(rows[name]) for rows in files):
        return None
    inserted = [rows.filter(_is_insert(rows[name])).drop_columns([name]) for rows in files]
    later = [rows.filter(pc.invert(_is_insert(rows[name]))) for rows in files[1:]]
    every = _of_one_shape(inserted)
    key = key_of(every)
    again = bool(key and sum(map(len, later))) and come_again(distinct(_of_one_shape(later), key), every, key)[0]
    if not again and not _CALLED_OPERATION.search("_".join(words(name))):
        return None
    values = sorted(set().union(*(pc.unique(rows[name]).to_pylist() for rows in files)))
    note = f"{name} says what becomes of a row: {', '.join(values)}."
    return Speaking("changes", key, note if key else f"{note} Name the key: updates find their row by it.", name)


def _are_operations(column: pa.ChunkedArray) -> bool:
    """Whether each value is a word of an operation."""
    if not pa.types.is_string(column.type) or column.null_count or not len(column):
        return False
    return all(text.strip().lower() in OPERATION_WORDS for text in pc.unique(column).to_pylist())


def _is_insert(column: pa.ChunkedArray) -> pa.Array:
    """Which rows are inserted, by words of operations."""
    is_insert = [OPERATION_WORDS[text.strip().lower()] is Operation.INSERT for text in column.to_pylist()]
    return pa.array(is_insert, pa.bool_())


def _of_one_shape(files: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(files, promote_options="permissive")


def _key_of_periods(files: Sequence[pa.Table], times: Sequence[str]) -> tuple[str, ...]:
    """What tells rows of one file apart, with the file's time: hours come again each day, orders' numbers never."""
    key = key_of(*files)
    is_number = any(_KEY_NAME.search(name) for name in key) and _are_apart(pa.concat_tables(files), key)
    return key if not key or not times or is_number or times[0] in key else (times[0], *key)


def _of_the_same_types(files: Sequence[pa.Table]) -> list[pa.Table]:
    """The columns that all files have, as texts where files read them otherwise: 12/03 may be one of two days."""
    names = [name for name in files[0].column_names if all(name in rows.column_names for rows in files)]
    same = {name for name in names if len({rows[name].type for rows in files}) == 1}
    return [
        pa.table({name: rows[name] if name in same else rows[name].cast(pa.string()) for name in names})
        for rows in files
    ]


def _moving(files: Sequence[pa.Table]) -> list[str]:
    """The columns of times in which no two files share a value."""
    found = []
    for name in files[0].column_names:
        if all(_is_time(rows[name]) for rows in files):
            values = [set(pc.unique(rows[name]).to_pylist()) for rows in files]
            if sum(map(len, values)) == len(set().union(*values)):
                found.append(name)
    return found


def _is_time(column: pa.ChunkedArray) -> bool:
    """Whether all values are times, or read as days, months or years."""
    kind = column.type
    if column.null_count or not len(column) or pa.types.is_temporal(kind):
        return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))
    if not (pa.types.is_integer(kind) or pa.types.is_string(kind)):
        return False
    pattern = _DAY_NUMBER if pa.types.is_integer(kind) else _DAY_TEXT
    return bool(pc.all(pc.match_substring_regex(pc.unique(column).cast(pa.string()), pattern)).as_py())
