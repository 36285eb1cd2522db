"""A dataset's first configuration, proposed from what its tables look like."""
