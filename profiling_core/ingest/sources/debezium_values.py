"""The values of change events as Kafka Connect writes them: numbers of days or of microseconds, and bytes."""

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from profiling_core.ingest.json_rows import Number

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Row = dict[str, Any]
Field = Mapping[str, Any]


class UndecodedError(Exception):
    """A value does not match the event's schema; the text names the column."""


def decoded(image: Row, schema: Any) -> Row:
    """A row with its values decoded by the schema, if there is one.

    Raises:
        UndecodedError: a value does not match the schema, or lies outside the years 1 to 9999.
    """
    types: dict[str, Field] = {}
    if isinstance(schema, dict):
        for envelope in schema.get("fields") or ():
            if envelope.get("field") in ("before", "after"):
                types |= {field["field"]: field for field in envelope.get("fields") or () if field.get("name")}
    return {name: _value(name, value, types.get(name)) for name, value in image.items()}


def _value(name: str, value: Any, field: Field | None) -> Any:
    if value is None or field is None:
        return value
    kind = str(field["name"]).rpartition(".")[2]
    decode = _DECODERS.get(kind)
    if decode is None:
        return value
    try:
        return decode(value, field)
    except (ValueError, TypeError, KeyError, ArithmeticError) as error:
        raise UndecodedError(f"column {name!r} is {kind} by the schema, and holds {value!r:.80}") from error


def _day(value: Any, _: Field) -> str:
    return (date(1970, 1, 1) + timedelta(days=int(value))).isoformat()


def _instant(per_second: int) -> Callable[[Any, Field], str]:
    return lambda value, _: (_EPOCH + _since(value, per_second)).isoformat()


def _time_of_day(per_second: int) -> Callable[[Any, Field], str]:
    return lambda value, _: (_EPOCH + _since(value, per_second)).time().isoformat()


def _since(value: Any, per_second: int) -> timedelta:
    """A number of units as a duration, in whole microseconds."""
    return timedelta(microseconds=int(value) * 1_000_000 // per_second)


def _decimal(value: Any, field: Field) -> Number:
    return value if isinstance(value, Number) else _unscaled(value, int(field.get("parameters", {}).get("scale", 0)))


def _own_scale(value: Any, _: Field) -> Number:
    return _unscaled(value["value"], int(value["scale"]))


def _unscaled(value: Any, scale: int) -> Number:
    data = base64.b64decode(value, validate=True)
    if not data:
        raise ValueError(value)
    return Number(format(Decimal(f"{int.from_bytes(data, 'big', signed=True)}e{-scale}"), "f"))


_DECODERS: Mapping[str, Callable[[Any, Field], Any]] = {
    "Date": _day,
    "Timestamp": _instant(1_000),
    "MicroTimestamp": _instant(1_000_000),
    "NanoTimestamp": _instant(1_000_000_000),
    "Time": _time_of_day(1_000),
    "MicroTime": _time_of_day(1_000_000),
    "NanoTime": _time_of_day(1_000_000_000),
    "Decimal": _decimal,
    "VariableScaleDecimal": _own_scale,
}
