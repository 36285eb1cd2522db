"""What identifies a constraint: its kind, and a digest of what it says."""

import hashlib
import json
from enum import StrEnum


class Kind(StrEnum):
    """What a constraint says; each kind has a module below ``model/kinds``."""

    DC = "dc"
    FD = "fd"
    UCC = "ucc"
    IND = "ind"
    COLUMN = "column"
    EQUATION = "equation"
    CONDITIONAL = "conditional"
    REFERENCE = "reference"
    SEQUENCE = "sequence"


# The name in a table's place for constraints of the whole dataset, such as inclusions, which two tables' deltas change.
DATASET = ""


def fingerprint(*identity: object) -> str:
    """16 hexadecimal digits that depend on JSON-like parts alone."""
    payload = json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(payload.encode("utf-8", "surrogatepass")).hexdigest()[:16]
