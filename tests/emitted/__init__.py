"""What is emitted as SQL, and what it has to find: for the tests of each dialect."""
