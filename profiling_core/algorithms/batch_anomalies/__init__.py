"""Deltas as loads: the figures of a delta as a whole, compared with the loads before it, and its anomalies."""
