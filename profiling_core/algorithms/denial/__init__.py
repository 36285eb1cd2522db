"""Denial constraints from evidence: inversion, covers, errors, violations, ranking."""
