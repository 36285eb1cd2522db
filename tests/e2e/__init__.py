"""Pages inside a real Airflow, which starts before the first of these tests and ends after the last."""
