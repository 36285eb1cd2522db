"""Suites are run over the data, and the results are kept."""
