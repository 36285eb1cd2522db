"""What a column's name says: its words, and what people mean by them.

Names are read from the end: the head of an English compound is its last word, so that ``order_total`` is a total and
``price_id`` an identifier.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from profiling_core.algorithms.roles.vocabulary import (
    CODING,
    COUNTING,
    COUNTING_ROWS,
    ENDING_UNITS,
    IDENTIFYING,
    MAINTAINING,
    NUMBERING,
    UNIT_OF,
    WITHOUT_UNIT,
)

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_a-zA-Z]+")
_NUMBERED = re.compile(r"(?P<before>\D*)(?P<number>\d+(?:[._]\d+)?)(?P<after>\D*)")
_FIRST_YEAR, _LAST_YEAR = 1000, 3000
# A shorter word ends too many others by chance.
_LONG_ENOUGH = 4
_SHORT = 2
# With these a column is called as the table's rows are.
_CALLING = IDENTIFYING | NUMBERING | {"name", "code"}


def words(name: str) -> list[str]:
    """The words of a name in lower case: ``l_orderKey2`` is ``l``, ``order``, ``key``, ``2``."""
    return [word.casefold() for word in _WORD.findall(name)] or [name.casefold()]


@lru_cache(maxsize=4096)
def bare(name: str, all_names: tuple[str, ...]) -> str:
    """The name without a prefix that all columns of the table share, as in ``l_orderkey``."""
    prefix = name[: name.find("_") + 1]
    return (
        name.removeprefix(prefix) or name if len(all_names) > 1 and _beginning(all_names).startswith(prefix) else name
    )


@lru_cache(maxsize=64)
def _beginning(all_names: tuple[str, ...]) -> str:
    """What all of some names begin with."""
    first, last = min(all_names), max(all_names)
    return first[: next((i for i, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))]


def singular(word: str) -> str:
    """What a word may be in the singular: ``categories`` is ``category``, ``boxes`` is ``box``."""
    for plural, ending in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if word.endswith(plural) and len(word) > _LONG_ENOUGH:
            return word.removesuffix(plural) + ending
    return word.removesuffix("s") if len(word) > _SHORT and not word.endswith(("ss", "us", "is")) else word


def numbered(name: str) -> tuple[str, float] | None:
    """What a name is without the one number in it, and that: ``P99.5``, ``quintile3``; None: it has none, or a year."""
    found = _NUMBERED.fullmatch(name)
    if found is None:
        return None
    number = float(found["number"].replace("_", "."))
    return None if _FIRST_YEAR <= number < _LAST_YEAR else (f"{found['before']}#{found['after']}", number)


def head(parts: Sequence[str]) -> str:
    """The last word that is no number: what the name speaks of."""
    return next((word for word in reversed(parts) if not word.isdigit()), parts[-1])


def identifies(parts: Sequence[str]) -> bool:
    """Whether a name is that of an identifier: ``order_id``, ``custkey``, ``id_cliente``."""
    last = head(parts)
    return last in IDENTIFYING or parts[0] in IDENTIFYING or (last.endswith("key") and len(last) >= _LONG_ENOUGH)


def numbers(parts: Sequence[str]) -> bool:
    """Whether a name is that of a number that things are told apart by: ``room_no``, ``linenumber``; not ``number``."""
    last = head(parts)
    compound = any(last.endswith(word) for word in NUMBERING if len(word) >= _LONG_ENOUGH - 1)
    return (len(parts) > 1 and last in NUMBERING) or (compound and last not in NUMBERING)


def tells_rows(parts: Sequence[str]) -> bool:
    """Whether a name is that of an identifier, a number or a code."""
    return identifies(parts) or numbers(parts) or head(parts) in CODING


def calls_rows(parts: Sequence[str], table: str) -> bool:
    """Whether a name is what a table's rows are called: ``country``, or ``country_code``, in ``countries``."""
    own, rows = "".join(parts[:-1] if parts[-1] in _CALLING else parts), words(table)
    return len(own) > _SHORT and any(word.startswith(own[:-1]) for word in ("".join(rows), *rows))


def counts_rows(name: str, all_names: Sequence[str]) -> bool:
    """Whether a column is there to count the file's rows: it stands in front, and is called so."""
    return not COUNTING_ROWS.isdisjoint(words(name)) and all_names.index(name) == 0


def maintains(parts: Sequence[str]) -> bool:
    """Whether a name is that of when, or by what, a row was written: ``modified_date``, ``last_update``."""
    return not MAINTAINING.isdisjoint(parts)


def unit_of(parts: Sequence[str]) -> str | None:
    """The unit that a name tells, from its last word on, or None: ``ship_cost_usd`` is money, ``num_items`` a count."""
    if len(parts) > 1 and parts[0] in COUNTING:
        return "count"
    told = (word for word in reversed(parts) if word not in ENDING_UNITS or word == parts[-1])
    return next(filter(None, (UNIT_OF.get(word) or _unit_of_compound(word) for word in told)), None)


def _unit_of_compound(word: str) -> str | None:
    """The unit of a word that is written together: ``extendedprice`` is a price."""
    if word in WITHOUT_UNIT:
        return None
    ending = (unit for known, unit in UNIT_OF.items() if len(known) >= _LONG_ENOUGH and word.endswith(known))
    return next(ending, None)
