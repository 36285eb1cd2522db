"""Real databases for the tests of the catalog."""
