"""Covers: the minimal FDs and UCCs that agree sets or frontiers have, with figures, as arrays."""
