"""IncDC: a set-minimal cover kept exact under inserts and deletes without visiting all pairs."""
