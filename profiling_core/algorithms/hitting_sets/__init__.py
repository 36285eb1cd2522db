"""Minimal hitting sets of evidences, from scratch and as evidences come and go: what covers are made of."""
