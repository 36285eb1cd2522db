"""A DAG whose runs are made while the database is locked; nothing executes it."""

from datetime import UTC, datetime

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG

with DAG("lockable", schedule=None, start_date=datetime(2024, 1, 1, tzinfo=UTC)):
    EmptyOperator(task_id="first") >> EmptyOperator(task_id="second")
