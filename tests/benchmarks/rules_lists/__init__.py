"""What tables live by, written down before they were run, and the businesses that were made up for it."""
