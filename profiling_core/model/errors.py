"""Errors that a person is meant to read: what is wrong, where, and what to do about it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Self


class HoldfastError(Exception):
    """A problem with input, configuration or state. Printed as its message, without a stack trace.

    ``gist`` is what decides, in few words and without any value of a row: what a message's first line has room for.
    """

    def __init__(self, what: str, *, where: str = "", remedy: str = "", gist: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        self.gist = gist
        super().__init__(what)

    def __str__(self) -> str:
        where = f"\n  where: {self.where}" if self.where else ""
        remedy = f"\n  what to do: {self.remedy}" if self.remedy else ""
        return f"{self.what}{where}{remedy}"

    def with_remedy(self, more: str) -> Self:
        """The same error, with another thing to do behind what it says."""
        remedy = "; ".join(part for part in (self.remedy, more) if part)
        return type(self)(self.what, where=self.where, remedy=remedy, gist=self.gist)

    def known_as(self, places: Mapping[str, str]) -> Self:
        """The same error, at the place that people know, if ``places`` has it for the copy that the error is about."""
        copy = next((copy for copy in places if copy and self.where.startswith(copy)), "")
        where = places.get(copy, "") + self.where.removeprefix(copy)
        return type(self)(self.what, where=where, remedy=self.remedy, gist=self.gist)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.what, self.where, self.remedy, self.gist))


def _rebuild(cls: type[HoldfastError], what: str, where: str, remedy: str, gist: str) -> HoldfastError:
    return cls(what, where=where, remedy=remedy, gist=gist)


class ConfigurationError(HoldfastError):
    """The configuration is wrong; nothing was read or changed."""


class InputError(HoldfastError):
    """A source file, delta or command-line argument is wrong; the state is unchanged."""


class FileError(InputError):
    """A file is none that a table's rows can be read from. What it says quotes no value of a row, and is its gist."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "", gist: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy, gist=gist or what)


class BrokenRow(InputError):  # noqa: N818 -- one of a file's rows is broken, the file is not
    """A row of a file cannot be read; where there are few of them, the others can be looked at."""


class CapacityError(HoldfastError):
    """The request needs more memory than there is; the state is unchanged."""


class EffortError(CapacityError):
    """The request takes more work than is allowed; a smaller one may do."""


class StateError(HoldfastError):
    """The stored state is missing, damaged, or not the version that was expected."""


class ChangedMeanwhileError(StateError):
    """Somebody else has changed what was to be changed, after it was looked at; nothing was written."""


class UnreachableError(StateError):
    """A database does not answer, or is busy: the same may work a little later, so a task is tried again."""


@contextmanager
def known_places(places: Mapping[str, str]) -> Iterator[None]:
    """Errors within are at the places that people know: ``places`` maps the paths of copies to them."""
    try:
        yield
    except HoldfastError as error:
        raise error.known_as(places) from error
