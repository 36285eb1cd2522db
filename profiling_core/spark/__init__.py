"""The only place that imports PySpark: the session, and the algorithms run over partitions."""
