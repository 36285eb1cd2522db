"""How surprising a denial constraint is, and what follows from others."""
