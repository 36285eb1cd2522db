"""Hydra: denial constraints from sampled evidence, completed by checking (Bleifuß et al., PVLDB 2017)."""
