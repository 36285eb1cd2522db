"""One module per kind that is checked between rows: which rows of a break stand out, and the least repair."""
