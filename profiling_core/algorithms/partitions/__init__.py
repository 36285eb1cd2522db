"""FDs and UCCs of tall tables under deltas: counts of agreeing pairs of the frontier, updated by the rows that change."""
