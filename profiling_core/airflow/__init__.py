"""Holdfast inside Airflow: the DAGs of a directory of dataset files, the gate, the notifier, the plugin.

One short file in Airflow's dags folder makes a DAG of each dataset file::

    from profiling_core.airflow import dags

    dags("datasets")

Of all the library, this package alone imports Airflow; nothing else imports this package.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from profiling_core.airflow.dataset_dags import check_dags, dags
    from profiling_core.airflow.gate import HoldfastGate
    from profiling_core.airflow.notifier import HoldfastNotifier

__all__ = ["HoldfastGate", "HoldfastNotifier", "check_dags", "dags"]

_PLACES = {"dags": "dataset_dags", "check_dags": "dataset_dags", "HoldfastGate": "gate", "HoldfastNotifier": "notifier"}


def __getattr__(name: str) -> Any:
    """Imports what is asked for: each process of Airflow loads the plugin, and with it this package."""
    from importlib import import_module

    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
