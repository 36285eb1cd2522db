"""A dataset's file from proposals, with comments that say what to check."""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.texts import listed
from profiling_core.pipeline.configuration import load_dataset
from profiling_core.pipeline.init.proposal import TableProposal
from profiling_core.state.settings import Settings

_PLAIN = re.compile(r"(?!(?i:null|true|false|yes|no|on|off|y|n)$)[A-Za-z/][A-Za-z0-9_./-]*")
_NO_KEY = "No column or pair of columns told the rows apart: rows are compared as wholes."
_HEAD = """\
# Proposed by holdfast init from a look at the tables; read it once, and correct what is wrong.
# Every field: configuration.md in the documentation of Holdfast. The command after a change: holdfast apply {name}
dataset: {name}
tables:
"""


def text_of(name: str, proposals: Sequence[TableProposal]) -> str:
    """The YAML of a dataset."""
    return _HEAD.format(name=name) + "".join(map(_table, proposals))


def _table(made: TableProposal) -> str:
    lines = [f"  {_scalar(made.table)}:", "    source:"]
    for field, value in made.source.items():
        lines += [f"      # {line}" for line in made.notes.get(field, "").splitlines()]
        lines.append(f"      {field}: {_scalar(value)}")
    if made.key:
        lines.append("    # The rows are told apart by it; updates and deletes find theirs so.")
        lines.append(f"    key: {_scalar(list(made.key))}")
    else:
        lines.append(f"    # {made.notes.get('key', _NO_KEY)}")
    return "\n".join([*lines, *_columns(made)]) + "\n"


def _columns(made: TableProposal) -> Iterator[str]:
    """The lines on columns: what looks personal, and what is no value."""
    if made.redacted or made.nulls:
        yield "    columns:"
    if made.redacted:
        yield "      # redacted: looks personal, and is shown in no message, page or result."
    for name in dict.fromkeys((*made.redacted, *made.nulls)):
        said = ["redacted: true"] if name in made.redacted else []
        said += [f"null_values: {_scalar(list(made.nulls[name]))}"] if name in made.nulls else []
        why = made.redacted.get(name, "these stand among values of another type")
        yield f"      {_scalar(name)}: {{{', '.join(said)}}}  # {why}"


def _scalar(value: object) -> str:
    """A value as YAML: plain where that is read as the same text, else as JSON, which YAML is a superset of."""
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def write(settings: Settings, name: str, proposals: Sequence[TableProposal]) -> tuple[Path, DatasetConfig]:
    """Writes a dataset's file, and puts files that are to be first deltas where they land.

    Raises:
        ConfigurationError: the file is there already, or two tables have one name.
    """
    names = [made.table for made in proposals]
    twice = sorted({table for table in names if names.count(table) > 1})
    if twice:
        places = [str(made.first[0] if made.first else made.source.get("path", "")) for made in proposals]
        named = listed([place for made, place in zip(proposals, places, strict=True) if made.table == twice[0]])
        raise ConfigurationError(
            f"two tables would be called {twice[0]!r}, since names of tables have Latin letters, digits and _ alone",
            where=named,
            remedy="rename one of these",
        )
    path = settings.datasets_dir / f"{name}.yaml"
    if path.exists():
        raise ConfigurationError(
            "the dataset's file is there already",
            where=str(path),
            remedy="remove it, or choose another name with --name",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    draft.write_text(text_of(name, proposals), "utf-8")
    config = load_dataset(draft)
    for made in proposals:
        if made.first is not None:
            source, target = made.first[0], settings.root / made.first[1]
            if source.suffix == target.suffix and source.parent.resolve() == target.parent.resolve():
                continue  # it has landed already
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    draft.rename(path)
    return path, config
