"""Landing files and a project around them, for tests of ingest."""
