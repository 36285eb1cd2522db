"""Records that name columns of a row: expressions, and what conditional rules ask."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

from profiling_core.model.stored import Stored

Names = Mapping[str, str]


class OfColumns(Stored, ABC):
    """A record that names columns.

    Attributes:
        naming: the fields that hold the name of a column, or a tuple of names; an empty name stands for no column.
    """

    naming: ClassVar[tuple[str, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, in the order of the fields."""
        named: list[Any] = [getattr(self, field) for field in self.naming]
        return tuple(name for one in named for name in ((one,) if isinstance(one, str) else one) if name)

    @property
    @abstractmethod
    def text(self) -> str:
        """As people write it."""

    @property
    @abstractmethod
    def words(self) -> str:
        """As people say it; of a consequent after "where … is …,"."""

    def renamed(self, names: Names) -> Self:
        """The same where columns are called otherwise: former names, and what each is called now."""
        found: Any = self
        return replace(found, **{field: _renamed(getattr(self, field), names) for field in self.naming})  # type: ignore[no-any-return]


def _renamed(named: Any, names: Names) -> Any:
    return names.get(named, named) if isinstance(named, str) else tuple(names.get(one, one) for one in named)
