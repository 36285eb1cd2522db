"""What data contracts and suites say becomes rules; what cannot be followed is named with the reason."""

import pytest

from profiling_core.pipeline.contracts import odcs, suite

CONTRACT = {
    "kind": "DataContract",
    "apiVersion": "v3.1.0",
    "schema": [
        {
            "name": "orders",
            "properties": [
                {"name": "id", "primaryKey": True},
                {"name": "customer", "required": True},
                {"name": "total", "logicalTypeOptions": {"minimum": 0, "maximum": 99.5}},
                {
                    "name": "state",
                    "logicalTypeOptions": {"maxLength": 9},
                    "quality": [
                        {
                            "metric": "invalidValues",
                            "arguments": {"validValues": ["paid", "open"]},
                            "mustBe": 0,
                            "severity": "warning",
                        },
                        {"metric": "nullValues", "mustBeLessThan": 5},
                    ],
                },
            ],
            "relationships": [{"type": "foreignKey", "from": "orders.customer", "to": "customers.id"}],
            "quality": [{"name": "odd", "type": "sql", "query": "SELECT 1", "mustBe": 0}],
        }
    ],
}


def test_a_contract_becomes_rules_with_their_severity():
    found = odcs.read(CONTRACT)
    assert {rule.constraint.text: rule.severity for rule in found.rules} == {
        "unique {id}": "",
        "id not null": "",
        "customer not null": "",
        "0 ≤ total ≤ 99.5": "",
        "length of state ≤ 9": "",
        "state ∈ {open, paid}": "warning",
        "orders.customer ⊆ customers.id": "",
    }


def test_what_a_contract_asks_beyond_rules_is_named_with_the_reason():
    reasons = dict(odcs.read(CONTRACT).left_out)
    assert "is a query" in reasons["schema orders, quality odd"]
    assert "must be 0" in reasons["schema orders, property state, quality 2"]


def test_a_check_that_was_written_here_is_known_by_its_id():
    ours = {"id": "abc", "type": "sql", "severity": "error", "customProperties": [{"property": "constraint"}]}
    (rule,) = odcs.read({"schema": [{"name": "orders", "quality": [ours]}]}).rules
    assert (rule.known, rule.severity) == ("abc", "critical")


def expectation(kind, **given):
    return {"type": f"expect_{kind}", "kwargs": given, "severity": "info"}


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (expectation("column_values_to_not_be_null", column="a"), "a not null"),
        (expectation("column_values_to_be_unique", column="a", mostly=1.0), "unique {a}"),
        (expectation("compound_columns_to_be_unique", column_list=["a", "b"]), "unique {a, b}"),
        (expectation("column_values_to_be_in_set", column="a", value_set=[2, 1]), "a ∈ {1, 2}"),
        (expectation("column_values_to_be_between", column="a", min_value=1.0), "1 ≤ a"),
        (expectation("column_value_lengths_to_equal", column="a", value=3), "length of a = 3"),
        (expectation("column_pair_values_a_to_be_greater_than_b", column_A="a", column_B="b", or_equal=True), "b ≤ a"),
    ],
)
def test_an_expectation_becomes_a_rule(entry, text):
    (rule,) = suite.read({"expectations": [entry]}, "t").rules
    assert rule.constraint.text == text
    assert rule.severity == "info"


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (expectation("column_values_to_not_be_null", column="a", mostly=0.9), "tolerates"),
        (expectation("column_values_to_not_be_null", column="a", row_condition="b > 1"), "some rows only"),
        (expectation("column_values_to_be_between", column="a", min_value=1, strict_min=True), "exclusive"),
        (expectation("column_values_to_be_between", column="a"), "no bound"),
        (expectation("column_values_to_be_in_set", column="a", value_set=[None]), "no value of a column"),
        (expectation("column_median_to_be_between", column="a", min_value=1), "no rule of that kind"),
    ],
)
def test_what_is_no_rule_here_is_left_out_with_the_reason(entry, why):
    found = suite.read({"expectations": [entry]}, "t")
    assert not found.rules
    assert why in found.left_out[0][1]
