"""Where deltas come from: one protocol, one module per source, and a registry by format."""
