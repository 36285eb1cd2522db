"""The questions that the five papers ask of their systems, asked of ours: ``make bench-papers`` writes a page each."""
