"""Whether given denial constraints hold, and which pairs of rows violate them."""
