"""Evidence multisets of predicate spaces, built from pairs of rows."""
