"""Values of one column and their codes, stable under inserts (DynASt, section 4: the compressed relation).

Code 0 is null. A value keeps its code for as long as a row has it; codes of vanished values are given out again once
they are cleaned away. Codes whose lower half is all ones are never given out: in the comparison of 16-bit halves it
stands for a value that no row has.
"""

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from profiling_core.algorithms.ground.arrays import Codes
from profiling_core.algorithms.values.arrow_buffers import present, values_of
from profiling_core.model.errors import InputError

Value = int | float | str | bytes | bool | Decimal
NULL_CODE = 0
UNUSED_HALF = 0xFFFF
# Longer arrays are made distinct by Arrow before their values become Python objects.
_SHORT = 256


class ColumnDictionary:
    """A column's values ↔ codes. All arrays given to it must have, or cast safely to, the type of the first one."""

    def __init__(self, name: str, type_: pa.DataType) -> None:
        self.name = name
        self.type = type_.value_type if pa.types.is_dictionary(type_) else type_
        self._code_of: dict[Value, int] = {}
        self._next = 1
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._code_of)

    @property
    def largest(self) -> int:
        """The greatest code given out so far."""
        return self._next - 1

    def encode(self, array: pa.ChunkedArray) -> Codes:
        """int32[n]: codes, new ones for values not met before; 0 for null and NaN.

        Raises:
            InputError: the values are not of the column's type.
        """
        whole = self._conform(array)
        if len(whole) <= _SHORT:
            return np.array([self._code(value) for value in _python_values(whole)], np.int32)
        encoded = whole.dictionary_encode()
        codes = np.array([*(self._code(value) for value in _python_values(encoded.dictionary)), NULL_CODE], np.int32)
        return codes[np.where(present(encoded.indices), values_of(encoded.indices, np.int32), np.int32(-1))]

    def _conform(self, array: pa.ChunkedArray) -> pa.Array:
        whole = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        if whole.type == self.type:
            return whole
        try:
            return whole.cast(self.type)
        except pa.ArrowInvalid as error:
            raise InputError(
                f"column {self.name!r} has values of type {whole.type}, not of {self.type}: {error}",
                remedy="give rows of the schema that the table was bootstrapped with",
            ) from error

    def _code(self, value: Value | None) -> int:
        if value is None:
            return NULL_CODE
        code = self._code_of.get(value)
        if code is None:
            code = self._free.pop() if self._free else self._fresh()
            self._code_of[value] = code
        return code

    def _fresh(self) -> int:
        if self._next & UNUSED_HALF == UNUSED_HALF:
            self._next += 1
        self._next += 1
        return self._next - 1

    def clean(self, live: NDArray[np.bool_]) -> None:
        """Forgets the values whose codes no row has.

        Args:
            live: bool[largest + 1], whether a code occurs.
        """
        gone = [(value, code) for value, code in self._code_of.items() if not live[code]]
        for value, code in gone:
            del self._code_of[value]
            self._free.append(code)

    def to_arrow(self) -> tuple[pa.Array, Codes]:
        """The values as an Arrow array, and their codes; :meth:`from_arrow` is the inverse."""
        codes = np.fromiter(self._code_of.values(), np.int32, len(self._code_of))
        return _arrow_values(list(self._code_of), self.type), codes

    @classmethod
    def from_arrow(cls, name: str, values: pa.Array, codes: Codes) -> "ColumnDictionary":
        """The dictionary with these values and codes."""
        own = cls(name, values.type)
        own._code_of = {
            value: code for value, code in zip(_python_values(values), codes.tolist(), strict=True) if value is not None
        }
        own._next = int(codes.max(initial=0)) + 1
        taken = set(codes.tolist())
        own._free = [code for code in range(1, own._next) if code not in taken and code & UNUSED_HALF != UNUSED_HALF]
        return own


def _python_values(array: pa.Array) -> Sequence[Value | None]:
    """Values as Python objects that are equal exactly if they are (docs/semantics.md, "Values"); None for null, NaN."""
    type_ = array.type
    if pa.types.is_timestamp(type_) or pa.types.is_date64(type_):
        array = array.cast(pa.int64())
    elif pa.types.is_date32(type_):
        array = array.cast(pa.int32())
    if pa.types.is_int64(array.type) and not array.null_count:
        whole: list[Value | None] = values_of(array, np.int64).tolist()
        return whole
    values: list[Value | None] = array.to_pylist()
    if pa.types.is_floating(type_):
        return [None if value is None or math.isnan(value) else value for value in values]  # type: ignore[arg-type]
    return values


def _arrow_values(values: list[Value], type_: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(type_) or pa.types.is_date64(type_):
        return pa.array(values, pa.int64()).cast(type_)
    if pa.types.is_date32(type_):
        return pa.array(values, pa.int32()).cast(type_)
    return pa.array(values, type_)
