"""Values of Arrow types without a logical type: durations become seconds; times, lists and structs become texts."""

import json

import pyarrow as pa
import pyarrow.compute as pc

SOURCE_TYPE = b"holdfast.source_type"
"""The metadata key of a field whose values were converted: its type at the source."""
_DIGITS_OF_SECONDS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_DIGITS = 19  # digits of the longest duration, in any unit
_AS_TEXT = (pa.types.is_nested, pa.types.is_time, pa.types.is_interval, pa.types.is_decimal256, pa.types.is_string_view)


def written_as_text(type_: pa.DataType) -> bool:
    """Whether values of this type, which is no text type, are converted to texts."""
    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    text = type_.value_type if pa.types.is_dictionary(type_) else type_
    return pa.types.is_string(plain_type(type_)) and not any(test(text) for test in (*kinds, pa.types.is_time))


def said_of(name: str, source: str, *, as_text: bool) -> str:
    """The report on a column whose values are converted."""
    return f"{name} ({source}) is read as {'text' if as_text else 'its seconds'}"


def is_fine(type_: pa.DataType) -> bool:
    """Whether values of this type are moments that may be finer than a microsecond."""
    return bool(pa.types.is_timestamp(type_) and type_.unit == "ns")


def with_fine_as_text(table: pa.Table) -> tuple[pa.Table, list[str]]:
    """A table with its moments finer than a microsecond as texts, and the names of their columns."""
    fine = [f.name for f in table.schema if is_fine(f.type) and pc.max(pc.nanosecond(table[f.name])).as_py()]
    for name in fine:
        place = table.schema.get_field_index(name)
        table = table.set_column(place, name, table[name].cast(pa.string()))
    return table, fine


def source_type(field: pa.Field) -> str:
    """The type of a field at its source if its values were converted; else empty."""
    metadata: dict[bytes, bytes] = field.metadata or {}
    return metadata.get(SOURCE_TYPE, b"").decode()


def plain_type(type_: pa.DataType) -> pa.DataType:
    """The type that values are converted to: views and dictionaries become plain, types without a logical type text.

    Durations are exact numbers of seconds.
    """
    if pa.types.is_dictionary(type_):
        return plain_type(type_.value_type)
    if any(test(type_) for test in _AS_TEXT) or isinstance(type_, pa.UuidType):
        return pa.string()
    if pa.types.is_duration(type_):
        return pa.decimal128(_DIGITS, _DIGITS_OF_SECONDS[type_.unit])
    if isinstance(type_, pa.BaseExtensionType):
        return plain_type(type_.storage_type)
    return pa.large_binary() if pa.types.is_binary_view(type_) else type_


def plain(column: pa.Array) -> pa.Array:
    """Values in the type of :func:`plain_type`; nested ones as JSON."""
    target = plain_type(column.type)
    if column.type == target:
        return column
    if pa.types.is_dictionary(column.type):
        return plain(column.dictionary_decode())
    if isinstance(column.type, pa.BaseExtensionType) and not isinstance(column.type, pa.UuidType):
        return plain(column.storage)
    if isinstance(column.type, pa.UuidType):
        return pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string())
    if pa.types.is_nested(column.type) or pa.types.is_interval(column.type):
        texts = [None if v is None else json.dumps(v, ensure_ascii=False, default=str) for v in column.to_pylist()]
        return pa.array(texts, pa.string())
    return _seconds(column, target) if pa.types.is_duration(column.type) else column.cast(target)


def _seconds(column: pa.Array, target: pa.DataType) -> pa.Array:
    """Durations, which are whole numbers of their unit, as decimals of seconds."""
    whole = column.cast(pa.int64()).cast(pa.decimal128(_DIGITS, 0))
    return pa.Array.from_buffers(target, len(whole), whole.buffers(), offset=whole.offset)
