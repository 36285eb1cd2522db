"""Agree sets of one table under inserts and deletes, and the FDs and UCCs that follow from them (DynASt)."""
