"""One Airflow DAG per dataset file in ``dags/datasets/``.

A file that is wrong gets no DAG here and keeps none of the others from theirs: ``holdfast_file_errors.py`` reports
it. While Airflow runs a task it asks for that one DAG, so only its file is read then.
"""

from airflow.sdk import get_parsing_context
from holdfast_flow import DAG_PREFIX, build_dag

from profiling_core.model.errors import ConfigurationError
from profiling_core.pipeline.configuration import load_dataset
from profiling_core.state.settings import Settings


def _register() -> None:
    wanted = (get_parsing_context().dag_id or "").removeprefix(DAG_PREFIX)
    files = sorted(Settings.discover().datasets_dir.glob("*.yaml"), key=lambda path: path.stem != wanted)
    for path in files:
        try:
            config = load_dataset(path)
        except ConfigurationError:
            continue
        if config.dataset not in _registered:
            _registered.add(config.dataset)
            globals()[config.dataset] = build_dag(config)
        if config.dataset == wanted:
            return


_registered: set[str] = set()
_register()
