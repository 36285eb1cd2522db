"""The right sides of equations, one module for each sort of value that they compute."""
