"""The catalog and the immutable files that its versions name."""
