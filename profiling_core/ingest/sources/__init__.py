"""Where deltas come from: one protocol, one module per source, and a registry that knows them by their format."""
