"""The steps that a delta walks, for Airflow, the command line and the tests alike."""
