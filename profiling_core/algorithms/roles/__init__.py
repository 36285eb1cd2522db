"""What columns are for, from their values, names and types."""
