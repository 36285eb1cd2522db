"""What broke and what recovered becomes one message per table and run."""
