"""Rules of single columns: figures of a delta, what its history teaches, and rows that break learnt rules."""
