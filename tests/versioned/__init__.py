"""Datasets that go through versions without the pipeline: what a test of one maintain step needs around it."""
