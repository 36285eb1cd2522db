"""The pages and the API that Holdfast adds to Airflow: datasets, their constraints, and what each run changed."""
