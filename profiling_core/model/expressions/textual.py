"""Texts that are computed from texts."""

from dataclasses import dataclass, replace
from typing import Self

from profiling_core.model.expressions.expression import Expression, Names


@dataclass(frozen=True)
class Joined(Expression):
    """Texts put together: ``parts`` are pairs (is it a column?, column or constant text)."""

    parts: tuple[tuple[bool, str], ...]
    form = "joined"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns among the parts."""
        return tuple(value for is_column, value in self.parts if is_column)

    @property
    def text(self) -> str:
        """``first + " " + last``."""
        return " + ".join(value if is_column else f'"{value}"' for is_column, value in self.parts)

    @property
    def words(self) -> str:
        """``first, a space and last put together``."""
        said = [value if is_column else "a space" if value == " " else f'"{value}"' for is_column, value in self.parts]
        return f"{', '.join(said[:-1])} and {said[-1]} put together"

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        parts = tuple((is_column, names.get(v, v) if is_column else v) for is_column, v in self.parts)
        return replace(self, parts=parts)


@dataclass(frozen=True)
class Cut(Expression):
    """A part of a text: its first or last ``length`` characters, or what stands before or after ``separator``.

    ``side`` is ``first`` or ``last`` with a length, ``before`` (the first separator) or ``after`` (the last one).
    """

    column: str
    side: str
    length: int = 0
    separator: str = ""
    form = "cut"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def text(self) -> str:
        """``first 2 of code``, ``code before "-"``."""
        if self.separator:
            return f'{self.column} {self.side} "{self.separator}"'
        return f"{self.side} {self.length} of {self.column}"

    @property
    def words(self) -> str:
        """``the first 2 characters of code``, ``what stands before "-" in code``."""
        if self.separator:
            mark = "the space" if self.separator == " " else f'"{self.separator}"'
            return f"what stands {self.side} {mark} in {self.column}"
        some = f"{self.length} characters" if self.length != 1 else "character"
        return f"the {self.side} {some} of {self.column}"

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(self, column=names.get(self.column, self.column))


@dataclass(frozen=True)
class Cased(Expression):
    """A text in ``upper`` or ``lower`` case."""

    column: str
    case: str
    form = "cased"

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column."""
        return (self.column,)

    @property
    def text(self) -> str:
        """``upper(name)``."""
        return f"{self.case}({self.column})"

    @property
    def words(self) -> str:
        """``name in upper case``."""
        return f"{self.column} in {self.case} case"

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(self, column=names.get(self.column, self.column))
