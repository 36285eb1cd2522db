"""FDs and UCCs of tall tables under deltas, by counts of agreeing pairs that the rows of a delta change."""
