"""Holdfast: discovers the constraints that tables live by, and keeps them current from each delta."""
