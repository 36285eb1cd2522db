"""The schema of a dataset as one answer: the primary key of each table, other keys, and the references to them."""
