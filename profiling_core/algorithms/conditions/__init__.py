"""Conditional rules: what holds where a column has certain values, found and counted (docs/semantics.md)."""
