"""Messages about configuration: what is wrong, at which file, line and field, and what to write in its place."""

import types
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.schema import TableSchema
from profiling_core.pipeline.yaml_document import Document, Location

_MOST_NAMES = 30
_KEY = "[key]"
_NAME_RULE = "letters, digits, dots, dashes and underscores, a letter or digit first, 200 at most"


def at(document: Document, loc: Location, what: str, remedy: str) -> ConfigurationError:
    """An error at a field of a file."""
    field = field_path(loc)
    where = f"{document.path}, line {document.line(loc)}" + (f", field {field}" if field else "")
    return ConfigurationError(what, where=where, remedy=remedy)


def field_path(loc: Location) -> str:
    """A location as people write it: ``tables.flights.key[0]``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in loc if step != _KEY)
    return text.removeprefix(".")


def suggestion(name: str, names: Sequence[str], noun: str) -> str:
    """The nearest of the valid names, and all of them."""
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    question = f"did you mean {near[0]!r}? " if near else ""
    shown = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
    return f"{question}{noun} are: {shown}" if names else f"there are no {noun}"


def not_a_mapping(document: Document) -> ConfigurationError:
    """For a file that is empty or holds a list or a single value."""
    found = "is empty" if document.data is None else "does not consist of 'field: value' lines"
    return at(document, (), f"the dataset file {found}", "begin with 'dataset: <name>' and 'tables:'")


def duplicate_dataset(name: str, places: Sequence[tuple[Path, int]]) -> ConfigurationError:
    """For a dataset that several files configure; ``places`` are the files with the lines of the name."""
    where = "; ".join(f"{path}, line {line}" for path, line in places)
    return ConfigurationError(
        f"{len(places)} files configure the dataset {name!r}",
        where=f"{where}, field dataset",
        remedy="give each file a dataset name of its own, or remove one of them",
    )


def missing_column(column: str, schema: TableSchema, loc: Location, document: Document | None) -> ConfigurationError:
    """For a column that the configuration names and the table does not have."""
    what = f"table {schema.table!r} has no column {column!r}"
    remedy = suggestion(column, schema.names, "its columns")
    if document is None:
        return ConfigurationError(what, where=f"field {field_path(loc)}", remedy=remedy)
    return at(document, loc, what, remedy)


def invalid(document: Document, errors: Sequence[ErrorDetails]) -> ConfigurationError:
    """All that pydantic found: the first in full, the others in short."""
    found = sorted((_one(document, error) for error in errors), key=lambda e: e[0])
    _, first = found[0]
    if len(found) == 1:
        return first
    others = "; ".join(f"line {line}: {error.what}" for line, error in found[1:])
    return ConfigurationError(f"{first.what} (and also {others})", where=first.where, remedy=first.remedy)


def _one(document: Document, error: ErrorDetails) -> tuple[int, ConfigurationError]:
    loc = tuple(error["loc"])
    what, remedy = _explain(error, loc)
    return document.line(loc), at(document, loc, what, remedy)


def _explain(error: ErrorDetails, loc: Location) -> tuple[str, str]:
    kind, value, context = error["type"], error.get("input"), error.get("ctx") or {}
    name = str(loc[-1]) if loc else ""
    if kind == "extra_forbidden":
        return f"there is no field {name!r}", suggestion(name, _fields_at(loc[:-1]), "fields here")
    if kind == "missing":
        return f"the field {name!r} is missing", f"add it: {name}: …"
    if kind in ("enum", "literal_error"):
        allowed = str(context.get("expected", ""))
        near = get_close_matches(
            str(value), [word.strip("'") for word in allowed.replace(" or ", ", ").split(", ")], n=1
        )
        question = f"did you mean {near[0]!r}? " if near else ""
        return f"{name!r} cannot be {_shown(value)}", f"{question}allowed are: {allowed}"
    if kind == "string_pattern_mismatch":
        return f"{_shown(value)} cannot be a name", f"use {_NAME_RULE}"
    return _explain_value(kind, value, error["msg"], name)


def _explain_value(kind: str, value: Any, message: str, name: str) -> tuple[str, str]:
    what = f"{name!r} cannot be {_shown(value)}"
    if kind == "string_type" and isinstance(value, int | float | bool):
        return what, f"it takes text: put it in quotes, '{value}'"
    if kind in ("tuple_type", "list_type"):
        return what, "it takes a list: write [a, b], or one '- item' per line"
    if kind in ("dict_type", "model_type", "model_attributes_type"):
        return what, "it takes fields: write one indented 'field: value' per line"
    if kind == "value_error":
        return message.removeprefix("Value error, "), "correct the field"
    return what, message.replace("Input", "it", 1)


def _shown(value: Any) -> str:
    if value is None:
        return "empty"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"  # noqa: PLR2004 - as much as a line of a message has room for


def _fields_at(loc: Location) -> list[str]:
    """The names of the fields that the configuration has at a location."""
    annotation: Any = DatasetConfig
    for step in loc:
        annotation = _inside(_plain(annotation), step)
    model = _plain(annotation)
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []


def _inside(annotation: Any, step: int | str) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation.model_fields[str(step)].annotation
    arguments = get_args(annotation)
    if get_origin(annotation) in (dict, Mapping):
        return arguments[1]
    return arguments[0] if arguments else None


def _plain(annotation: Any) -> Any:
    """The annotation without ``Annotated`` and ``None``."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin in (Union, types.UnionType):
            annotation = next(a for a in get_args(annotation) if a is not type(None))
        else:
            return annotation
