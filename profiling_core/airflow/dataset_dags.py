"""What a file in Airflow's dags folder calls: a DAG of each dataset file, and an import error for those that are wrong.

Two calls, best in two files, because Airflow takes all DAGs of a file that fails out of service: so the good datasets'
DAGs run on while a bad one waits to be mended.
"""

import logging
import sys
from pathlib import Path

from airflow.sdk import DAG, get_parsing_context

from profiling_core.airflow.flow import DAG_PREFIX, build_dag
from profiling_core.airflow.places import datasets_dir
from profiling_core.model.errors import ConfigurationError
from profiling_core.pipeline.configuration import load_dataset

_log = logging.getLogger(__name__)


def dags(directory: str | Path | None = None) -> list[DAG]:
    """Makes the DAG of each dataset file; Airflow takes them for DAGs of the file that calls.

    A file that is wrong gets no DAG, and keeps none of the others from theirs: the log says what is wrong with it, and
    :func:`check_dags` shows it in the UI. While Airflow runs a task it asks for that one DAG: only its file is read
    then.

    Args:
        directory: where the dataset files are, relative to the file that calls. By default what HOLDFAST_DATASETS or
            the Airflow variable ``holdfast_datasets`` says, else ``dags/datasets`` below the project's root.

    Raises:
        ConfigurationError: there is no such directory.
    """
    place = _existing(datasets_dir(directory, _caller()))
    wanted = (get_parsing_context().dag_id or "").removeprefix(DAG_PREFIX)
    made: dict[str, DAG] = {}
    for path in sorted(place.glob("*.yaml"), key=lambda path: (path.stem != wanted, path)):
        try:
            config = load_dataset(path)
        except ConfigurationError as error:
            _log.warning("%s", error)
            continue
        if config.dataset not in made:
            made[config.dataset] = build_dag(config, place)
        if config.dataset == wanted:
            break
    return list(made.values())


def check_dags(directory: str | Path | None = None) -> None:
    """Shows wrong dataset files as an Airflow import error: file, line and field of each.

    Its name has the word by which Airflow knows files that it is to read.

    Args:
        directory: as :func:`dags` takes it.

    Raises:
        ConfigurationError: a file is wrong, or there is no such directory.
    """
    place = _existing(datasets_dir(directory, _caller()))
    if found := _problems(place):
        raise ConfigurationError(f"{len(found)} dataset file(s) have no DAG:\n" + "\n".join(found))


def _existing(place: Path) -> Path:
    if place.is_dir():
        return place
    raise ConfigurationError(
        "the directory of dataset files does not exist",
        where=str(place),
        remedy="create it and put one YAML file per dataset into it, such as `holdfast init` writes",
    )


def _problems(place: Path) -> list[str]:
    found: list[str] = []
    owners: dict[str, str] = {}
    for path in sorted(place.glob("*.yaml")):
        try:
            dataset = load_dataset(path).dataset
        except ConfigurationError as error:
            found.append(str(error))
            continue
        if dataset in owners:
            found.append(f"dataset {dataset!r} is in two files\n  where: {path}\n  what to do: keep {owners[dataset]}")
        owners.setdefault(dataset, path.name)
    return found


def _caller() -> str:
    """The file that called the function that calls this."""
    return str(sys._getframe(2).f_globals["__file__"])  # noqa: SLF001 -- what it is for
