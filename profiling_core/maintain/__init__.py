"""The state of one version and a delta become the staged state of the next."""
