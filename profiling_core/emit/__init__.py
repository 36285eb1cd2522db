"""Active constraints become Great Expectations suites; changes become the change suite."""
