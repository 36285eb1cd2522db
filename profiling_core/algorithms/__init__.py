"""The mathematics, on NumPy arrays, Arrow columns and Numba kernels; knows neither Spark nor files."""
