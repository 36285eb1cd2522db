"""JSON lines, row by row: one object a line, each value kept as its source text so that no digit is lost."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from profiling_core.ingest.rows import (
    DEEPEST,
    LONGEST_ROW,
    RowBuffer,
    RowChunk,
    check_names,
    not_utf8,
    too_long,
    unreadable_file,
)
from profiling_core.model.account import Account


class Number(str):
    """The digits of a JSON number; a class of its own tells them from strings."""

    __slots__ = ()


def columns(path: Path) -> tuple[str, ...]:
    """All keys of the file's objects, in order of appearance; unreadable rows have none.

    Raises:
        InputError: the file is unreadable, not UTF-8, or has keys that a table cannot have as columns.
    """
    seen: dict[str, None] = {}
    for _, _, row in rows(path):
        if isinstance(row, dict):
            seen.update(dict.fromkeys(row))
    return check_names(tuple(seen), path)


def read(path: Path, names: tuple[str, ...], seen: set[str] | None = None) -> Iterator[RowChunk]:
    """The objects as rows with these columns; an absent key is null. Empty lines are no rows.

    Args:
        path: the file.
        names: the columns.
        seen: collects all keys that occur, also others than ``names``.

    Raises:
        InputError: the file is unreadable or not UTF-8.
    """
    buffer, left_out = RowBuffer(names), Counter[str]()
    for line, text, row in rows(path, left_out):
        if isinstance(row, dict):
            buffer.add(line, text, [text_of(row.get(name)) for name in names])
            if seen is not None:
                seen.update(row)
        else:
            buffer.add_unreadable(line, text, row)
        if buffer.is_full:
            yield buffer.take()
    yield buffer.take(Account(len(buffer), 0, left_out))


def kinds(path: Path) -> dict[str, set[str]]:
    """For each key, the JSON kinds of its values in the file: ``string``, ``number``, ``boolean``, ``nested``."""
    found: dict[str, set[str]] = {}
    for _, _, row in rows(path):
        if isinstance(row, dict):
            for name, value in row.items():
                if value is not None:
                    found.setdefault(name, set()).add(kind_of(value))
    return found


def rows(path: Path, left_out: Counter[str] | None = None) -> Iterator[tuple[int, str, dict[str, Any] | str]]:
    """Line, text, and object (or why it is none) of each line that is not empty; ``left_out`` counts the others."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, raw in enumerate(iter(partial(file.readline, LONGEST_ROW), ""), 1):
                if len(raw) == LONGEST_ROW:
                    raise too_long(path, number)
                text = raw.rstrip("\r\n")
                if text.strip():
                    yield number, text, _parse(text)
                elif left_out is not None:
                    left_out["empty"] += 1
    except UnicodeDecodeError as error:
        raise not_utf8(path, is_csv=False) from error
    except OSError as error:
        raise unreadable_file(path, error) from error


def _parse(text: str) -> dict[str, Any] | str:
    try:
        row = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(row, dict):
        return "not a JSON object"
    if text.count("[") + text.count("{") > DEEPEST and _depth(row) > DEEPEST:
        return f"nested more than {DEEPEST} deep"
    if "\\u" in text and not _encodes(row):
        return "half of a surrogate pair, which is no character"
    return row


def _depth(value: Any) -> int:
    """How deep lists and objects are nested in a value, looked at level by level."""
    depth, level = 0, [value]
    while level := [v for v in level if isinstance(v, dict | list)]:
        depth += 1
        level = [inner for v in level for inner in (v.values() if isinstance(v, dict) else v)]
    return depth


def _encodes(row: dict[str, Any]) -> bool:
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise ValueError("a key stands in the object twice")
    return row


# NaN and the infinities are not JSON, but many programs write them; NaN is null.
_CONSTANTS = {"NaN": None, "Infinity": Number("Infinity"), "-Infinity": Number("-Infinity")}
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=Number, parse_int=Number, parse_constant=_CONSTANTS.__getitem__
)


def text_of(value: Any) -> str | None:
    """A value as a cell: texts as they are, numbers with their digits, nested values as compact JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return _nested(value)


def _nested(value: Any) -> str:
    """A list or object as compact JSON with its keys sorted and its numbers' digits as they were."""
    if isinstance(value, dict):
        parts = (f"{json.dumps(k, ensure_ascii=False)}:{_nested(v)}" for k, v in sorted(value.items()))
        return f"{{{','.join(parts)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_nested, value))}]"
    return str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def kind_of(value: Any) -> str:
    """The JSON kind of a value that is not null; see :func:`kinds`."""
    if isinstance(value, Number):
        return "number"
    if isinstance(value, str):
        return "string"
    return "boolean" if isinstance(value, bool) else "nested"
