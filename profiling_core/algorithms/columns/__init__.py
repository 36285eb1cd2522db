"""Rules of single columns: what a delta looks like, what its history teaches, who breaks what was learnt."""
