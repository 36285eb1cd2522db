"""Shows wrong dataset files as an Airflow import error: file, line and field of each.

Stands apart from ``holdfast_datasets.py`` because Airflow takes all DAGs of a file that fails out of service. This
file has none, so the good files' DAGs run on while a bad one waits to be mended.
"""

from profiling_core.model.errors import ConfigurationError
from profiling_core.pipeline.configuration import load_dataset
from profiling_core.state.settings import Settings


def _problems() -> list[str]:
    found: list[str] = []
    owners: dict[str, str] = {}
    for path in sorted(Settings.discover().datasets_dir.glob("*.yaml")):
        try:
            dataset = load_dataset(path).dataset
        except ConfigurationError as error:
            found.append(str(error))
            continue
        if dataset in owners:
            found.append(f"dataset {dataset!r} is in two files\n  where: {path}\n  what to do: keep {owners[dataset]}")
        owners.setdefault(dataset, path.name)
    return found


if _found := _problems():
    raise ConfigurationError(f"{len(_found)} dataset file(s) have no DAG:\n" + "\n".join(_found))
