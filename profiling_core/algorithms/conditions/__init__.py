"""Conditional rules: rules that hold where a column has certain values, found and counted (docs/semantics.md)."""
