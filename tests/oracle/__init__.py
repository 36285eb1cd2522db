"""The brute-force oracle: every result computed straight from docs/semantics.md, loads.md and breaks.md, slowly.

Rows are lists of dicts, column name → Python value (None: null), beside a ``TableSchema``. Nothing here is shared with
``profiling_core/algorithms``; of the project only the nouns of ``profiling_core.model`` are used. Meant for tables of
up to a dozen rows and a handful of columns.

- ``predicates``: ``predicate_space(schema, rows, nulls, cross=...)``, ``evidence(rows, space)`` (ordered pairs as a
  Counter of sets of predicate positions), ``masks(evidence, space)`` (the same as arrays),
  ``violations(constraint, rows, space)``.
- ``denial``: ``set_minimal_cover(evidence, space, max_predicates)``,
  ``approximate_cover(evidence, space, max_predicates, max_error)``,
  ``reduced_cover(dcs, space)``, ``is_trivial``, ``mirror``. A DC is an ascending tuple of predicate positions.
- ``dependencies``: ``functional_dependencies(rows, schema, nulls, ...)`` and
  ``unique_column_combinations(rows, schema, nulls, ...)`` as dicts of columns → violating ordered pairs, and the
  error ``g1``.
- ``inclusions``: ``inclusion_dependencies(tables, schemas, min_coverage, text=...)``.
"""
