"""Steps of constraints' lifecycles, made by hand."""
