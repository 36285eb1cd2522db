"""Covers of FDs and UCCs that are kept from delta to delta."""
