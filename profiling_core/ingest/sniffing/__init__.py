"""How a file of delimited text is written, found by looking at it: for ``discover`` and ``init``, never for a run."""
