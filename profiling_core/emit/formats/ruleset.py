"""Rule sets of Airflow's common data-quality provider: one per table, each rule a SQL query that has to give 0.

The provider's own checks are of single columns and quote no name, so every rule is its ``custom_sql``. It puts the
operator's table in place of ``{table}``; a rule over a column with that in its name would become another.
"""

from typing import Any

from profiling_core.emit.formats.contract import Contract, ContractRule, Export, to_yaml, without

PLACEHOLDER = "{table}"


def export(contract: Contract) -> Export:
    """A YAML file for each table that has a rule."""
    rules, refused = without(contract.rules, [PLACEHOLDER])
    files = {}
    for table in contract.schemas:
        own = [_rule(rule) for rule in rules if rule.table == table]
        if own:
            files[f"{table}.ruleset.yaml"] = to_yaml({"name": f"{contract.dataset}.{table}", "rules": own})
    return Export(files, (*contract.left_out, *refused))


def _rule(rule: ContractRule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "check": "custom_sql",
        "sql": rule.count(tables={rule.table: PLACEHOLDER}),
        "condition": {"equal_to": 0},
        "severity": "error" if rule.severity == "critical" else "warn",
        "dimension": "validity" if rule.dimension == "conformity" else rule.dimension,
        "description": rule.description,
    }
