"""Dataset files: YAML in ``dags/datasets/`` to :class:`DatasetConfig`, with errors that name file, line and field.

Airflow parses the DAG factory every few seconds, and with it all dataset files: so this imports YAML, pydantic and the
model alone. YAML is read as version 1.2 has it: ``on``, ``no`` and ``2013-01-01`` are text, not truth values and dates.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from pydantic import ValidationError

from profiling_core.model.dataset import DatasetConfig
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.schema import TableSchema
from profiling_core.pipeline import configuration_errors as problems
from profiling_core.pipeline.yaml_document import Document, parse

SUFFIX = ".yaml"
_OTHER_SUFFIX = ".yml"


def dataset_files(directory: Path) -> list[Path]:
    """The dataset files of a directory, sorted by name.

    Raises:
        ConfigurationError: there is no such directory, or a file in it would be overlooked for its ending.
    """
    if not directory.is_dir():
        raise ConfigurationError(
            "the directory of dataset files does not exist",
            where=str(directory),
            remedy="create it and put one YAML file per dataset into it",
        )
    paths = sorted(path for path in directory.iterdir() if path.is_file() or _is_misplaced(path))
    for path in paths:
        if path.suffix == _OTHER_SUFFIX:
            raise ConfigurationError(
                f"dataset files end in {SUFFIX}", where=str(path), remedy=f"rename it to {path.stem}{SUFFIX}"
            )
    return [path for path in paths if path.suffix == SUFFIX]


def _is_misplaced(path: Path) -> bool:
    """Whether a path has the name of a dataset file and is none; editors leave hidden links beside what they edit."""
    return path.suffix in (SUFFIX, _OTHER_SUFFIX) and not path.name.startswith(".")


def load_dataset(path: Path) -> DatasetConfig:
    """The dataset that a file configures.

    Raises:
        ConfigurationError: the file cannot be read, is no YAML, or says something that no dataset can have.
    """
    return _validate(parse(path))


def load_datasets(directory: Path) -> list[tuple[Path, DatasetConfig]]:
    """All datasets of a directory with their files, sorted by file name.

    Raises:
        ConfigurationError: a file is wrong, or two files configure one dataset.
    """
    loaded = [(path, load_dataset(path)) for path in dataset_files(directory)]
    _check_names(loaded)
    return loaded


def _check_names(loaded: Sequence[tuple[Path, DatasetConfig]]) -> None:
    files: defaultdict[str, list[Path]] = defaultdict(list)
    for path, config in loaded:
        files[config.dataset].append(path)
    for name, paths in files.items():
        if len(paths) > 1:
            raise problems.duplicate_dataset(name, [(path, parse(path).line(("dataset",))) for path in paths])


def find_dataset(directory: Path, name: str) -> DatasetConfig:
    """The dataset of that name; files that are wrong do not stand in the way of another file's dataset.

    Raises:
        ConfigurationError: no file configures it (the message names the nearest one, and a file that is wrong, since
            that may be it), or several do.
    """
    found: list[tuple[Path, DatasetConfig]] = []
    wrong: list[ConfigurationError] = []
    for path in dataset_files(directory):
        try:
            found.append((path, load_dataset(path)))
        except ConfigurationError as error:
            wrong.append(error)
    _check_names(found)
    for _, config in found:
        if config.dataset == name:
            return config
    if wrong:
        raise wrong[0]
    begun = "begin it with holdfast init WHAT, or with apply(rows) of the library's Dataset"
    remedy = problems.suggestion(name, [config.dataset for _, config in found], "datasets") if found else begun
    raise ConfigurationError(f"there is no dataset {name!r}", where=str(directory), remedy=remedy)


def resolve(config: DatasetConfig, root: Path) -> DatasetConfig:
    """The configuration with its source paths absolute; relative ones are taken from the project root."""
    tables = {
        name: table.model_copy(
            update={"source": table.source.model_copy(update={"path": str(root / table.source.path)})}
        )
        for name, table in config.tables.items()
    }
    return config.model_copy(update={"tables": tables})


def check_columns(config: DatasetConfig, schemas: Mapping[str, TableSchema], path: Path | None = None) -> None:
    """Holds the columns that the configuration names (``key``, ``leave_out``, ``columns``) to those that there are.

    ``schemas`` may cover some of the tables. With ``path``, the dataset's file, the message names the line.

    Raises:
        ConfigurationError: a column is missing; the message names the nearest one.
    """
    for name, schema in schemas.items():
        table = config.tables[name]
        named: tuple[tuple[str, Sequence[str], bool], ...] = (
            ("key", table.key, True),
            ("leave_out", table.leave_out, True),
            ("columns", tuple(table.columns), False),
        )
        for field, columns, by_position in named:
            for position, column in enumerate(columns):
                if column not in schema.names:
                    loc = ("tables", name, field, position if by_position else column)
                    raise problems.missing_column(column, schema, loc, parse(path) if path else None)


def _validate(document: Document) -> DatasetConfig:
    if not isinstance(document.data, dict):
        raise problems.not_a_mapping(document)
    try:
        config = DatasetConfig.model_validate(document.data)
    except ValidationError as error:
        raise problems.invalid(document, error.errors(include_url=False)) from None
    _check_dates(document, config)
    _check_columns_once(document, config)
    _check_routes(document, config)
    return config


def _check_dates(document: Document, config: DatasetConfig) -> None:
    days: dict[str, date] = {}
    for field in ("start_date", "end_date"):
        text = getattr(config, field)
        if text is None:
            continue
        try:
            days[field] = date.fromisoformat(text)
        except ValueError:
            raise problems.at(
                document, (field,), f"{text!r} is not a date", "write the day as YYYY-MM-DD, such as 2024-01-01"
            ) from None
    if "end_date" in days and days["end_date"] < days["start_date"]:
        what = f"the end date {config.end_date} lies before the start date {config.start_date}"
        raise problems.at(document, ("end_date",), what, "give an end_date on or after start_date, or none")


def _check_columns_once(document: Document, config: DatasetConfig) -> None:
    for name, table in config.tables.items():
        for field in ("key", "leave_out"):
            columns: tuple[str, ...] = getattr(table, field)
            for position, column in enumerate(columns):
                if column in columns[:position]:
                    place = ("tables", name, field, position)
                    raise problems.at(document, place, f"column {column!r} stands here twice", "name each column once")
        for column, options in table.columns.items():
            if (options.scale or 0) > (options.precision if options.precision is not None else 38):
                loc = ("tables", name, "columns", column, "scale")
                what = f"the scale {options.scale} is larger than the precision {options.precision}"
                raise problems.at(document, loc, what, "the precision counts all digits, those of the scale among them")


def _check_routes(document: Document, config: DatasetConfig) -> None:
    for number, route in enumerate(config.alerts.routes):
        for position, table in enumerate(route.tables):
            if table not in config.tables:
                raise problems.at(
                    document,
                    ("alerts", "routes", number, "tables", position),
                    f"there is no table {table!r}",
                    problems.suggestion(table, list(config.tables), "tables"),
                )
