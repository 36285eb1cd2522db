"""Reports for tests to look at."""
