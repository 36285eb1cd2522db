"""The rules that a person would sign: short constraints, found quickly, held against chance, and chosen by kind."""
