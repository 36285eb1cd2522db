"""Rules that a person would sign: short constraints, found quickly, tested against chance, and chosen by kind."""
