"""Attribute clustering and the inclusion dependencies that follow from clusters."""
