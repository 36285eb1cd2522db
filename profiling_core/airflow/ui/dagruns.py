"""From an Airflow run to the dataset version that it made: the result of its ``commit`` task says it."""

from profiling_core.airflow.ui.access import DAG_PREFIX


def dataset_of(dag_id: str) -> str | None:
    """The dataset of one of Holdfast's DAGs; None for other DAGs."""
    return dag_id.removeprefix(DAG_PREFIX) if dag_id.startswith(DAG_PREFIX) else None


def version_of(dag_id: str, run_id: str) -> int | None:
    """The number of the version that the run committed; None when it has not, or not yet."""
    from airflow.models.xcom import XComModel
    from airflow.utils.session import create_session

    query = XComModel.get_many(run_id=run_id, key="return_value", task_ids="commit", dag_ids=dag_id, limit=1)
    with create_session() as session:
        row = session.scalars(query).first()
        result = XComModel.deserialize_value(row) if row is not None else None
    return result.get("version") if isinstance(result, dict) else None
