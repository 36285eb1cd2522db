"""The identity of a constraint: its kind, and a digest of its content."""

import hashlib
import json
from enum import StrEnum


class Kind(StrEnum):
    """The kinds of constraints; each has a module below ``model/kinds``."""

    DC = "dc"
    FD = "fd"
    UCC = "ucc"
    IND = "ind"
    COLUMN = "column"
    EQUATION = "equation"
    CONDITIONAL = "conditional"
    REFERENCE = "reference"
    SEQUENCE = "sequence"


# In place of a table's name, for constraints of the whole dataset: inclusions change with the deltas of two tables.
DATASET = ""


def fingerprint(*identity: object) -> str:
    """A digest of JSON-like values, as 16 hexadecimal digits."""
    payload = json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(payload.encode("utf-8", "surrogatepass")).hexdigest()[:16]
