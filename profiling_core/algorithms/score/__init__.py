"""How sure we are of what was found: fitted log-odds, one unit for all evidence."""
