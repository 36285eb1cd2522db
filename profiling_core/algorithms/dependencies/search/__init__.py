"""Minimal FDs and UCCs, exact and approximate, from counts of agreeing pairs."""
