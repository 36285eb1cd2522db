"""Findings travel as JSON, keep their identity, and lose the values of redacted columns."""

import json
from dataclasses import replace

from profiling_core.diff.redaction import HIDDEN, redacted_finding
from profiling_core.model.change import ChangeSet
from profiling_core.model.finding import Evidence, Finding, row_identity

ROW = Evidence(
    {"order": "o1", "amount": "4200", "note": None}, ("amount",), {"amount": "42"}, {"amount": "41"}, "a.csv"
)
SCALE = Finding("scale", "orders", "17", "all 84 orders have 100 times their usual amount", ("amount",), rows=(ROW,))


def test_a_finding_survives_json_within_its_change_set():
    made = ChangeSet("shop", 2, "run", {}, (), (SCALE,))
    assert ChangeSet.from_json(json.loads(json.dumps(made.to_json()))) == made


def test_a_row_is_the_same_row_once_its_table_has_a_column_more():
    before = row_identity("readings", {"sensor": "T04", "celsius": "75.9"})
    assert row_identity("readings", {"sensor": "T04", "celsius": "75.9", "firmware": None}) == before
    assert row_identity("readings", {"sensor": "T04", "celsius": "75.9", "firmware": "2.1"}) != before


def test_change_sets_of_before_have_no_findings():
    body = ChangeSet("shop", 2, "run", {}, ()).to_json()
    del body["findings"]
    assert ChangeSet.from_json(body).findings == ()


def test_the_same_again_has_the_same_signature_and_anything_else_another():
    assert replace(SCALE, delta="18", headline="all 90 orders", rows=(), count=90).signature == SCALE.signature
    others = (replace(SCALE, **change) for change in ({"kind": "x"}, {"columns": ("vat",)}, {"subject": "shop 7"}))
    assert SCALE.signature not in {other.signature for other in others}


def test_redacted_columns_are_hidden_in_all_of_its_rows():
    (row,) = redacted_finding(SCALE, {"amount", "note"}).rows
    assert row == Evidence(
        {"order": "o1", "amount": HIDDEN, "note": None}, ("amount",), {"amount": HIDDEN}, {"amount": HIDDEN}, "a.csv"
    )
