"""Exact and approximate FDs and UCCs of tall tables by position list indexes (Pyro, Kruse and Naumann, VLDB 2018)."""
