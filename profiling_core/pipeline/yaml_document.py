"""YAML with the place of every value: plain data for validation, lines for messages.

Stricter than the YAML library: a key that stands twice in one mapping is an error (it keeps the last one silently).
Plain words resolve as in YAML 1.2's core schema, so that ``on``, ``no``, ``012`` and ``2013-01-01`` stay text.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import yaml

from profiling_core.model.errors import ConfigurationError

Location = tuple[int | str, ...]
# Ten times what thousands of columns need; aliases of aliases pass it after a few lines.
_MOST_VALUES = 200_000
_TEXT = "tag:yaml.org,2002:str"
_MERGE = "tag:yaml.org,2002:merge"
_CORE_SCHEMA = (
    ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ("~", "n", "N", "")),
    ("tag:yaml.org,2002:int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("tag:yaml.org,2002:float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    (_MERGE, r"<<", "<"),
)


class _Loader(yaml.CSafeLoader):
    """The C parser with YAML 1.2's plain words."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[Any]]] = {}  # type: ignore[misc] # as the library itself shares it


for _tag, _pattern, _first in _CORE_SCHEMA:
    _Loader.add_implicit_resolver(_tag, re.compile(f"^(?:{_pattern})$"), list(_first))


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: ``data`` as plain Python values, ``node`` the YAML tree that knows the lines."""

    path: Path
    data: Any
    node: yaml.Node | None

    def line(self, loc: Sequence[int | str]) -> int:
        """The line (from 1) of the field at a location, or of the innermost part of it that there is."""
        node, line = self.node, 1
        for step in loc:
            found = _child(node, step)
            if found is None:
                break
            key, node = found
            line = key.start_mark.line + 1
        return line


def parse(path: Path) -> Document:
    """Reads a YAML file.

    Raises:
        ConfigurationError: the file cannot be read or is not UTF-8, no valid YAML, or has a key twice.
    """
    loader = _Loader(_read(path))
    try:
        node = loader.get_single_node()
        if node is None:
            return Document(path, None, None)
        _check_keys(path, node, itertools.count(1))
        return Document(path, loader.construct_document(node), node)
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(path, error) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"not a YAML file: {error}", where=str(path), remedy="correct the file") from None
    finally:
        loader.dispose()


def _read(path: Path) -> str:
    if not path.is_file():  # whoever opens a pipe waits for ever
        raise ConfigurationError(
            "the dataset file cannot be read: it is no file, or a link to none",
            where=str(path),
            remedy="put the file there, or remove it",
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigurationError(
            f"the dataset file cannot be read: {error.strerror}", where=str(path), remedy="check its path and rights"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigurationError(
            "the dataset file is not UTF-8", where=f"{path}, line {line}", remedy="save the file as UTF-8"
        ) from None


def _syntax_error(path: Path, error: yaml.MarkedYAMLError) -> ConfigurationError:
    mark = error.problem_mark or error.context_mark
    place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    text = " ".join(part for part in (error.context, error.problem) if part)
    return ConfigurationError(
        f"not valid YAML: {text}",
        where=f"{path}{place}",
        remedy="check indentation, colons and quotes there; quote text that has a special character",
    )


def _check_keys(path: Path, node: yaml.Node, seen: Iterator[int], ancestors: tuple[yaml.Node, ...] = ()) -> None:
    """Raises for a key that stands twice, and for aliases without or nearly without end; makes every plain key text."""
    if next(seen) > _MOST_VALUES:
        raise ConfigurationError(
            f"with its aliases written out, the file has more than {_MOST_VALUES:,} values",
            where=f"{path}, line {node.start_mark.line + 1}",
            remedy="write values out in place of aliases that have aliases within",
        )
    if any(node is ancestor for ancestor in ancestors):
        raise ConfigurationError(
            "an alias refers to what it is part of",
            where=f"{path}, line {node.start_mark.line + 1}",
            remedy="write the value out in place of the alias",
        )
    inside = (*ancestors, node)
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check_keys(path, item, seen, inside)
    elif isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, value in node.value:
            _check_key(path, key, first)
            _check_keys(path, value, seen, inside)


def _check_key(path: Path, key: yaml.Node, first: dict[str, int]) -> None:
    line = key.start_mark.line + 1
    if not isinstance(key, yaml.ScalarNode):
        raise ConfigurationError("a name is not text", where=f"{path}, line {line}", remedy="use plain names")
    if key.tag == _MERGE:
        return
    key.tag = _TEXT
    if key.value in first:
        raise ConfigurationError(
            f"{key.value!r} stands twice, first on line {first[key.value]}",
            where=f"{path}, line {line}",
            remedy="keep one of the two",
        )
    first[key.value] = line


def _child(node: yaml.Node | None, step: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        item: yaml.Node = node.value[step]
        return item, item
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == step:
                return key, value
    return None
