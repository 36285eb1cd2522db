"""Scripts that are measured: each does one thing, in a process of its own, and reports one line of JSON."""
