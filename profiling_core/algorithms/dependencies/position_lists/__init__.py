"""Pyro: position list indexes, and the counts of agreeing pairs that they give."""
