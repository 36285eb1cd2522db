"""Texts that are computed from texts."""

from dataclasses import dataclass, replace
from typing import Self

from profiling_core.model.expressions.expression import Expression
from profiling_core.model.of_columns import Names
from profiling_core.model.stored import Sparse
from profiling_core.model.texts import listed


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


WHOLE = -1
"""In place of how many characters: the whole text. Below it, the whole text with zeros in front up to −n characters."""

LAST = 1_000
"""Added to how many characters: the last ones."""


def _characters(length: int, text: str) -> str:
    """``first 3 of town``, ``last 2 of year``, ``number to 5 digits``."""
    if length > LAST:
        return f"last {length - LAST} of {text}"
    if length > 0:
        return f"first {length} of {text}"
    return text if length == WHOLE else f"{text} to {-length} digits"


def _characters_in_words(length: int, text: str) -> str:
    """``the first 3 characters of town``, ``number with zeros in front to 5 digits``."""
    if length > 0:
        end, size = ("last", length - LAST) if length > LAST else ("first", length)
        return f"the {end} {f'{size} characters' if size > 1 else 'character'} of {text}"
    return text if length == WHOLE else f"{text} with zeros in front to {-length} digits"


@dataclass(frozen=True)
class Abridged(Expression):
    """What texts begin or end with, put together, perhaps in ``upper`` or ``lower`` ``case`` (empty: as they are).

    ``parts`` are pairs (how many characters, column or constant text): 0 for a constant, :data:`WHOLE` for all of a
    column's text, less for all of it with zeros in front, and more than :data:`LAST` for what it ends with.
    """

    parts: tuple[tuple[int, str], ...]
    case: str = ""
    form = "abridged"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns among the parts."""
        return tuple(value for length, value in self.parts if length)

    @property
    def text(self) -> str:
        """``first 1 of given + first 1 of family``, ``upper(first 3 of town)``."""
        put = " + ".join(self._part(length, value) for length, value in self.parts)
        return f"{self.case}({put})" if self.case else put

    @property
    def is_whole(self) -> bool:
        """Whether nothing of its columns is left out."""
        return not self.case and all(length <= 0 for length, _ in self.parts)

    @staticmethod
    def _part(length: int, value: str) -> str:
        return _characters(length, value) if length else f'"{value}"'

    @property
    def words(self) -> str:
        """``the initials of given and family``, ``the first 3 characters of town, in upper case``."""
        lengths = [length for length, _ in self.parts if length]
        cased = f", in {self.case} case" if self.case else ""
        if len(lengths) > 1 and set(lengths) == {1}:
            return f"the initials of {listed(self.columns)}{cased}"
        said = [self._said(length, value) for length, value in self.parts]
        return f"{listed(said)}{' put together' if len(said) > 1 else ''}{cased}"

    @staticmethod
    def _said(length: int, value: str) -> str:
        if length:
            return _characters_in_words(length, value)
        return "a space" if value == " " else f'"{value}"'

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise."""
        return replace(self, parts=tuple((length, names.get(v, v) if length else v) for length, v in self.parts))


@dataclass(frozen=True)
class Inscribed(Expression):
    """A code into which a text is written: the ``code`` with the text where it stands, ``start`` characters behind.

    The text is what a column begins with, or all of it, as in :class:`Abridged`, perhaps in ``upper`` or ``lower``
    ``case``.
    """

    code: str
    column: str
    length: int
    case: str
    start: int
    form = "inscribed"
    naming = ("code", "column")

    @property
    def text(self) -> str:
        """``upper(first 3 of region) + …``."""
        begun = _characters(self.length, self.column)
        before = f"{self.start} character{'s' if self.start > 1 else ''} + " if self.start else ""
        return f"{before}{f'{self.case}({begun})' if self.case else begun} + …"

    @property
    def words(self) -> str:
        """``a code that begins with the first 3 characters of region, in upper case``."""
        begun = _characters_in_words(self.length, self.column)
        cased = f", in {self.case} case" if self.case else ""
        if not self.start:
            return f"a code that begins with {begun}{cased}"
        return f"a code with {begun}{cased} in it, after {self.start} character{'s' if self.start > 1 else ''}"


PIECE = "piece"
"""The side of what is cut out between separators."""


@dataclass(frozen=True)
class Cut(Expression):
    """A part of a text: its first or last ``length`` characters, or what stands before or after ``separator``.

    ``side`` is ``first`` (behind ``start`` others) or ``last`` with a length, ``before`` (the first separator) or
    ``after`` (the last one), or ``piece``: the ``length``-th of what stands between separators.
    """

    column: str
    side: str
    length: int = 0
    separator: str = ""
    start: Sparse[int] = 0
    form = "cut"
    naming = ("column",)

    @property
    def is_in_front(self) -> bool:
        """Whether the text begins with it."""
        return self.side in ("first", "before") and not self.start

    @property
    def text(self) -> str:
        """``first 2 of code``, ``code before "-"``, ``piece 2 of code by "-"``."""
        if self.side == PIECE:
            return f'piece {self.length} of {self.column} by "{self.separator}"'
        if self.separator:
            return f'{self.column} {self.side} "{self.separator}"'
        if self.start:
            return f"characters {self.start + 1} to {self.start + self.length} of {self.column}"
        return f"{self.side} {self.length} of {self.column}"

    @property
    def words(self) -> str:
        """``the first 2 characters of code``, ``what stands before "-" in code``."""
        mark = "the space" if self.separator == " " else f'"{self.separator}"'
        if self.side == PIECE:
            return f"piece {self.length} of {self.column}, cut at {mark}"
        if self.separator:
            return f"what stands {self.side} {mark} in {self.column}"
        if self.start:
            return self.text
        some = f"{self.length} characters" if self.length != 1 else "character"
        return f"the {self.side} {some} of {self.column}"
