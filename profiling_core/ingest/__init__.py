"""Source files become a normalised delta and a quarantine."""
