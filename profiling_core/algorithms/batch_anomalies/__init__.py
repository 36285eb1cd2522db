"""Deltas as loads: what a delta is as a whole beside those before it, and in what it is not like them."""
