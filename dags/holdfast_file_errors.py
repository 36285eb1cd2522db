"""Shows the dataset files that are wrong as an Airflow import error; see ``profiling_core.airflow.dataset_dags``."""

from profiling_core.airflow import check_dags

check_dags()
