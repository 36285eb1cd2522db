"""OpenLineage's data-quality assertion facets: per table, which rules the newest version keeps."""

from typing import Any

from profiling_core.emit.files import to_bytes
from profiling_core.emit.formats.contract import Contract, ContractRule, Export

FACET = "dataQualityAssertions"
_PRODUCER = "https://pypi.org/project/holdfast"
_SCHEMA = (
    "https://openlineage.io/spec/facets/1-1-0/DataQualityAssertionsDatasetFacet.json"
    "#/$defs/DataQualityAssertionsDatasetFacet"
)


def export(contract: Contract) -> Export:
    """One JSON file: the input datasets of an event, each with its facet."""
    inputs = [
        {
            "namespace": contract.dataset,
            "name": table,
            "inputFacets": {
                FACET: {
                    "_producer": _PRODUCER,
                    "_schemaURL": _SCHEMA,
                    "assertions": [_assertion(rule) for rule in contract.of(table)],
                }
            },
        }
        for table in contract.schemas
    ]
    return Export({f"{contract.dataset}.openlineage.json": to_bytes({"inputs": inputs}).decode()}, contract.left_out)


def _assertion(rule: ContractRule) -> dict[str, Any]:
    columns = rule.constraint.columns
    return {
        "assertion": rule.assertion,
        "success": rule.passes,
        **({"column": columns[0]} if len(columns) == 1 else {}),
        "severity": "error" if rule.severity == "critical" else "warn",
        "name": rule.name,
        "description": rule.description,
        "content": rule.rows(),
        "contentType": "sql",
        "params": {
            "constraint": rule.record.measured.constraint.text,
            "since": rule.record.since,
            "tolerance": rule.record.threshold,
        },
    }
