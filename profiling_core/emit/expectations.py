"""A constraint as a Great Expectations expectation: a built-in one where one says the same, else SQL.

Whatever GX has no expectation for is an ``UnexpectedRowsExpectation``. Either way a suite loads and runs without this
package.
"""

import html
import uuid
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from profiling_core.emit.built_in import built_in
from profiling_core.emit.comparison import InexpressibleError
from profiling_core.emit.dialects import GX_VIEW, Dialect, gx_query
from profiling_core.emit.kinds.registry import form_of
from profiling_core.emit.setting import Setting
from profiling_core.emit.source import without_values
from profiling_core.emit.sql import only_beyond, other_tables, violating_rows
from profiling_core.model.constraint import Constraint

_NAMESPACE = uuid.UUID("6f1f0f0e-7a53-5d5e-9f0a-2f3d8a6b9c41")
_QUERY = "unexpected_rows_expectation"


def stable_id(*parts: str) -> str:
    """A UUID that depends on the parts alone, so that an expectation keeps its id through every version."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(parts)))


def expectation(
    constraint: Constraint, setting: Setting, meta: Mapping[str, Any], *, tolerance: float = 0.0
) -> dict[str, Any]:
    """The expectation's configuration as GX stores it.

    Args:
        constraint: what is to hold.
        setting: names, types and null semantics of the data.
        meta: figures to keep with it; fingerprint, kind and table are added.
        tolerance: error up to which it counts as holding; 0 asks it to hold exactly.

    Raises:
        InexpressibleError: neither a built-in expectation nor SQL says exactly the same.
    """
    # Results of built-in expectations list values.
    hides = not setting.redacted.isdisjoint(constraint.columns)
    known = None if tolerance or hides else built_in(constraint, setting)
    kind, kwargs = known or (_QUERY, {"unexpected_rows_query": _query(constraint, setting, tolerance)})
    return {
        "type": kind,
        "kwargs": kwargs,
        "id": stable_id(setting.dataset, constraint.fingerprint),
        "severity": severity(constraint, tolerance, setting),
        # GX puts descriptions into its HTML as they are
        "description": html.escape(description(constraint, tolerance)),
        "meta": {
            **meta,
            "constraint": constraint.text,
            "fingerprint": constraint.fingerprint,
            "kind": constraint.kind.value,
            "needs_views": list(other_tables(constraint)),
            "nulls": setting.nulls.value,
            "table": constraint.tables[0],
            "tolerance": tolerance,
        },
    }


def severity(constraint: Constraint, tolerance: float, setting: Setting) -> str:
    """What a person called it; else dependencies matter more than rules, tolerated ones least, whatever they rank."""
    if own := setting.severities.get(constraint.fingerprint):
        return own
    if tolerance:
        return "info"
    return form_of(constraint).severity


def description(constraint: Constraint, tolerance: float) -> str:
    """The rule in plain words, names as they are."""
    words = constraint.words
    return f"{words} An error of at most {tolerance:.3g} is tolerated." if tolerance else words


def _query(constraint: Constraint, setting: Setting, tolerance: float) -> str:
    if setting.dialect is Dialect.SPARK and GX_VIEW in other_tables(constraint):
        raise InexpressibleError(
            f"a table called {GX_VIEW} is hidden by the view of that name in which GX puts the batch",
            remedy="rename the table in the dataset's configuration",
        )
    query = without_values(checked_rows(constraint, setting, tolerance), setting.redacted)
    return gx_query(query, constraint, setting.schemas, setting.dialect)


def checked_rows(constraint: Constraint, setting: Setting, tolerance: float) -> exp.Select:
    """The violating rows as a check asks for them: none where the error is tolerated.

    Raises:
        InexpressibleError: SQL has no exact comparison for the columns' values.
    """
    refusal = form_of(constraint).refusal(constraint.familiar, setting)
    if refusal:
        raise InexpressibleError(refusal)
    query = violating_rows(constraint, setting.schemas, setting.nulls)
    return only_beyond(query, tolerance, constraint, setting.schemas, setting.nulls) if tolerance else query
