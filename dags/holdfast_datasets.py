"""One Airflow DAG per dataset file in ``dags/datasets/``."""

from profiling_core.airflow import dags

dags()
