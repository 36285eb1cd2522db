"""How the names of landed files end: by their format, and behind it by how they are compressed."""

from profiling_core.model.source import SourceFormat

EXTENSIONS = {
    SourceFormat.CSV: (".csv", ".tsv"),
    SourceFormat.JSONL: (".jsonl",),
    SourceFormat.PARQUET: (".parquet",),
    SourceFormat.DEBEZIUM: (".jsonl",),
}
COMPRESSED = (".gz", ".bz2", ".xz", ".zip")
"""Endings of files of one text each, which are unfolded before they are read; Parquet compresses by itself."""


def plain_name(name: str) -> str:
    """A file's name without the ending that says how it is compressed."""
    ending = next((ending for ending in COMPRESSED if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


def stem_of(name: str, of: SourceFormat) -> str | None:
    """A file's name without its endings, in capitals or not; None: it does not end as files of the format do."""
    plain = name if of is SourceFormat.PARQUET else plain_name(name)
    extension = next((extension for extension in EXTENSIONS[of] if plain.lower().endswith(extension)), "")
    return plain[: -len(extension)] if extension else None


def format_of(name: str) -> SourceFormat | None:
    """The format that a file's name tells; None: it tells none."""
    formats = (SourceFormat.CSV, SourceFormat.JSONL, SourceFormat.PARQUET)
    return next((of for of in formats if stem_of(name, of) is not None), None)
