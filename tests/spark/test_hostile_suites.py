"""A suite over hostile names and values, run both ways: every answer, its pages, and the audit."""

import pyarrow as pa
import pytest
from helpers.contracts import expected
from helpers.hostile import NAMINGS, PLAIN, Named
from helpers.validators import WAYS, tables_by

from profiling_core.emit.suites import SuiteRequest, emit_suites
from profiling_core.model.change import Change, ChangeSet, Transition
from profiling_core.validate.audit import audit
from profiling_core.validate.checkpoint import validate_changes

pytestmark = pytest.mark.spark
# Of each kind of trouble a little, in one table.
MIXED = (
    "<script>alert(1)</script>$name",
    "{{ 1/0 }}`'\"\r\n",
    ":p %s ${env:HOME} {batch}",
    "\x1b[31m\\ \u202e.名",
    "Select",
)


@pytest.fixture(scope="module", params=WAYS)
def tables_from(request):
    with tables_by(request.param, request) as make:
        yield make


def rows_of(named):
    types = (pa.string(), pa.int64(), pa.int64(), pa.float64(), pa.string(), pa.int64())
    found = {}
    for table, schema in named.schemas.items():
        rows = named.rows[table]
        fields = [pa.field(*field) for field in zip(schema.names, types, strict=False)]
        columns = [pa.array(values, f.type) for f, values in zip(fields, zip(*rows, strict=True), strict=True)]
        ids = pa.array(range(len(rows)), pa.int64())
        found[table] = pa.Table.from_arrays([*columns, ids], schema=pa.schema([*fields, ("_row_id", pa.int64())]))
    return found


def changed(named):
    """All constraints as broken, so that all are executed."""
    made = tuple(
        Change(Transition.BROKE, named.own, None, record.measured, rank=rank)
        for rank, record in enumerate(named.tracked, start=1)
    )
    return ChangeSet(named.dataset, 1, "run", {}, made)


@pytest.mark.parametrize("naming", ["aliases", "parts"])
def test_columns_that_are_called_as_rows_are_in_queries_are_told_from_them(tables_from, tmp_path, naming):
    named = Named(NAMINGS[naming])
    changes = changed(named)
    request = SuiteRequest("nyc", 1, named.tracked, changes, named.schemas, named.config, most_changes=99)
    emitted = emit_suites(tmp_path, request)
    summary = validate_changes(tables_from(rows_of(named)), emitted, changes, named.tracked, tmp_path)
    assert not summary.broken_checks
    plain = [len(expected(constraint)) for constraint in Named().constraints.values()]
    assert sorted(check.rows for check in summary.checks) == sorted(plain)


def test_each_check_finds_the_rows_that_it_finds_under_plain_names(tables_from, tmp_path):
    named = Named(MIXED, own="own {batch}` <b>", other="other'\"")
    tables = tables_from(rows_of(named))
    changes = changed(named)
    emitted = emit_suites(
        tmp_path, SuiteRequest("nyc", 1, named.tracked, changes, named.schemas, named.config, most_changes=99)
    )
    summary = validate_changes(tables, emitted, changes, named.tracked, tmp_path)
    assert not summary.broken_checks
    plain = [len(expected(constraint)) for constraint in Named().constraints.values()]
    texts = [constraint.text for constraint in named.constraints.values()]
    assert {check.constraint: check.rows for check in summary.checks} == dict(zip(texts, plain, strict=True))
    pages = [p.read_text("utf-8") for p in (tmp_path / "nyc" / "gx" / "data_docs").rglob("*.html")]
    assert all("<script>alert" not in page for page in pages)
    assert any("&lt;script&gt;alert" in page for page in pages)
    assert not any(acting in page for page in pages for acting in "\x1b\u202e")
    assert any("\\u202e" in page for page in pages)


def test_the_audit_counts_the_same_under_any_names(request, tables_from, tmp_path):
    counted = []
    # Spark is asked where names differ in their case alone
    case = [NAMINGS["case"]] if "spark" in request.node.callspec.id else []
    for columns in (PLAIN, MIXED, NAMINGS["aliases"], NAMINGS["parts"], *case):
        named = Named(columns)
        emitted = emit_suites(tmp_path, SuiteRequest("nyc", 1, [], changed(named), named.schemas, named.config))
        found = audit(tables_from(rows_of(named)), emitted, named.tracked, named.schemas, tmp_path, config=named.config)
        counted.append([recount.counted for recount in found.recounts])
    assert counted[0] == counted[1] == counted[-1]
    assert None not in counted[0]
    assert sum(figure > 0 for figure in counted[0]) > len(counted[0]) // 2
