"""Equations within a row: which columns are computed from others, found and counted (docs/semantics.md)."""
