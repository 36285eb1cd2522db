"""Agree sets, and functional dependencies and unique column combinations from them."""
