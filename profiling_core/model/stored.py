"""Records that files, the catalog and answers hold as JSON: one codec for all of them, pydantic over annotated fields.

A record is a dataclass that inherits :class:`Stored`. Its JSON has its fields under their names. What an earlier
release wrote beside them is left out on reading, and a field that it did not write yet has its default. Where the JSON
differs from the fields, annotations (:data:`Sparse`, :data:`InOrder`, ``Field(alias=…)``) and three class attributes
say so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from itertools import chain
from operator import not_
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetPydanticSchema,
    PlainSerializer,
    TypeAdapter,
    WrapSerializer,
    WrapValidator,
)
from pydantic_core import CoreSchema, PydanticOmit, core_schema

T = TypeVar("T")
D = TypeVar("D")
K = TypeVar("K")
Sparse = Annotated[T, Field(exclude_if=not_)]
"""A field that is written only where it says something."""
Stated = Annotated[T | None, Field(exclude_if=lambda value: value is None)]
"""A field that is written only where there is a value, such as zero."""
Hidden = Annotated[T, Field(exclude=True)]
"""A field that is not written: a page shows it, and programs that read the page's JSON do not need it."""
Given = Annotated[T, GetPydanticSchema(lambda *_: core_schema.any_schema()), Field(exclude=True)]
"""A field that is not written, of any type: whoever reads the record gives it."""
InOrder = Annotated[frozenset[T], PlainSerializer(sorted)]
"""A set, written as a sorted list, so that equal records are written alike."""
Values = Annotated[Mapping[K, T], WrapSerializer(lambda found, write: list(write(found).values()))]
"""A mapping that is written as the list of its values: each says itself what it belongs to."""
Chained = Annotated[
    Mapping[K, tuple[T, ...]], WrapSerializer(lambda found, write: list(chain.from_iterable(write(found).values())))
]
"""A mapping that is written as one list of all members of its values."""


def beside(name: str) -> WrapSerializer:
    """For pairs of a value and a record: each is written as the record, with the value beside its fields."""
    return WrapSerializer(lambda pairs, write: [{name: first} | record for first, record in write(pairs)])


class ForgottenError(Exception):
    """A stored record speaks of a form that earlier releases had, and this one has no more."""


def readable(read: Callable[[D], T], stored: Iterable[D]) -> Iterator[T]:
    """What ``read`` makes of stored records, without those of forms that only earlier releases had."""
    for data in stored:
        with suppress(ForgottenError):
            yield read(data)


def _unless_forgotten(data: Any, read: Callable[[Any], Any]) -> Any:
    for record in readable(read, [data]):
        return record
    raise PydanticOmit


Readable = Annotated[T, WrapValidator(_unless_forgotten)]
"""A member of a sequence, which is left out on reading if only earlier releases had its form."""


class Stored:
    """A dataclass that is written as JSON and read again.

    Attributes:
        __tag__: the class attribute that tells kinds of records apart; its name and value stand first in the JSON.
        __forgotten__: of a family, the tags that only earlier releases wrote.
        __flat__: fields whose own fields stand beside the record's in the JSON, not below it.
        __derived__: properties that are written, too, for people and programs that read the JSON.
        __listed__: the record is written as the list of its fields, without their names.
    """

    __slots__ = ()
    __tag__: ClassVar[str] = ""
    __forgotten__: ClassVar[frozenset[str]] = frozenset()
    __flat__: ClassVar[tuple[str, ...]] = ()
    __derived__: ClassVar[tuple[str, ...]] = ()
    __listed__: ClassVar[bool] = False

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data: a list where it is listed."""
        kind: Any = type(self)
        data: dict[str, Any] = _adapter(kind).dump_python(self, mode="json", by_alias=True)
        return data

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError: a field is missing, or of another type, or there is no record of such a tag.
            ForgottenError: only earlier releases had records of this form.
        """
        kind: Any = cls
        if not is_dataclass(cls):
            if data[cls.__tag__] in cls.__forgotten__:
                raise ForgottenError
            kind = _member(kind, data[cls.__tag__])
        record: Self = _adapter(kind).validate_python(data)
        return record

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        if not is_dataclass(cls):  # a family, whose members read and write themselves
            return _by(cls.from_json, Stored.to_json)
        if not (cls.__tag__ or cls.__flat__ or cls.__derived__ or cls.__listed__ or "_as_fields" in vars(cls)):
            return handler(source)
        # What is returned takes the place of the plain schema under its name, by which further fields refer to it.
        plain: Any = dict(handler.resolve_ref_schema(handler(source)))
        name = plain.pop("ref", None)
        written = core_schema.wrap_serializer_function_ser_schema(cls._written)
        return core_schema.no_info_before_validator_function(cls._nested, plain, ref=name, serialization=written)

    @classmethod
    def _as_fields(cls, data: Any) -> Any:
        """The JSON as the fields take it; where earlier releases wrote another form, a class overrides this."""
        return data

    @classmethod
    def _nested(cls, data: Any) -> Any:
        """The JSON with the fields of the flat ones below it; records themselves stay as they are."""
        if isinstance(data, cls):
            return data
        data = cls._as_fields(data)
        if cls.__listed__:
            return dict(zip(cls.__slots__, data, strict=False))
        return {**data, **dict.fromkeys(cls.__flat__, data)} if isinstance(data, Mapping) else data

    def _written(self, fields: Callable[[Any], dict[str, Any]]) -> dict[str, Any] | list[Any]:
        if self.__listed__:
            return list(fields(self).values())
        data: dict[str, Any] = {self.__tag__: getattr(self, self.__tag__)} if self.__tag__ else {}
        for name, value in fields(self).items():
            data |= value if name in self.__flat__ else {name: value}
        derived = {name: getattr(self, name) for name in self.__derived__}
        return data | {name: value for name, value in derived.items() if value is not None}


def _by(read: Callable[[Any], Any], write: Callable[[Any], Any]) -> CoreSchema:
    """The schema of what has its own way to be read and written."""
    written = core_schema.plain_serializer_function_ser_schema(write)
    return core_schema.no_info_plain_validator_function(read, serialization=written)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@cache
def _member(family: Any, name: str) -> Any:
    """The dataclass of a family that has this tag, whichever module it is in."""
    found = {getattr(kind, family.__tag__): kind for kind in _below(family) if is_dataclass(kind)}
    if name not in found:
        raise ValueError(f"no {family.__tag__} is called {name!r}; there are {', '.join(sorted(found))}")
    return found[name]


def _below(family: Any) -> Iterator[Any]:
    for kind in family.__subclasses__():
        yield kind
        yield from _below(kind)
