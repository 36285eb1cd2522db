"""The options of ``holdfast discover``: each field is one."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from profiling_core.model.constraint import Kind
from profiling_core.model.dialect import may_delimit
from profiling_core.model.errors import InputError
from profiling_core.model.number_marks import THOUSANDS, Marks
from profiling_core.model.types import NullSemantics

if TYPE_CHECKING:
    from profiling_core.pipeline.discovery_request import DiscoveryRequest


class Space(StrEnum):
    """Which columns a predicate may compare."""

    SAME_COLUMN = "same-column"
    CROSS = "cross"


class Cover(StrEnum):
    """Which cover of the denial constraints to list."""

    REDUCED = "reduced"
    SET_MINIMAL = "set-minimal"


class DenialEngine(StrEnum):
    """How exact denial constraints are found."""

    AUTO = "auto"
    PAIRS = "pairs"
    HYDRA = "hydra"


# Options of the one way of asking, which have no meaning in the other.
_OF_ONE_KIND = ("nulls", "space", "cover", "max_predicates", "max_error", "max_arity", "engine")
_OF_RULES = ("budget", "implied", "columns")


@dataclass(frozen=True)
class DiscoverOptions:
    """The options, with what they are where they are not given."""

    kind: Annotated[
        Kind | None, typer.Option(help="All constraints of one kind, in place of the rules that a person would sign.")
    ] = None
    budget: Annotated[
        float, typer.Option(min=1.0, help="Without --kind: the seconds of one core whose work the search may do.")
    ] = 30.0
    implied: Annotated[
        bool, typer.Option("--implied", help="Without --kind: show what follows from the rules, too.")
    ] = False
    columns: Annotated[
        bool, typer.Option("--columns", help="Without --kind: show each column's role and the reason for it, too.")
    ] = False
    nulls: Annotated[
        NullSemantics, typer.Option(help="sql: a null never violates anything; equal: null = null holds.")
    ] = NullSemantics.SQL
    space: Annotated[
        Space, typer.Option(help="Compare a column with itself only, or with others that share values too.")
    ] = Space.CROSS
    cover: Annotated[
        Cover,
        typer.Option(help="Leave out DCs that others imply and INDs that follow from longer ones, or list them too."),
    ] = Cover.REDUCED
    max_predicates: Annotated[
        int, typer.Option(min=0, help="The longest constraint; for FDs the left side plus one. 0: no bound.")
    ] = 4
    max_error: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of violating pairs allowed; for INDs, of missing values.")
    ] = 0.0
    max_arity: Annotated[
        int, typer.Option(min=0, help="The most columns of an IND: 2 finds composite foreign keys. 0: no bound.")
    ] = 1
    engine: Annotated[
        DenialEngine,
        typer.Option(help="For exact DCs: compare all pairs, sample and check (Hydra), or what is estimated cheaper."),
    ] = DenialEngine.AUTO
    spark: Annotated[
        bool, typer.Option("--spark", help="For INDs: let Spark's tasks read the files, here or on a cluster.")
    ] = False
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="OUT", help="Write JSON to a file, or to standard output with '-'.")
    ] = None
    null_value: Annotated[
        list[str] | None,
        typer.Option(
            help="A CSV cell that is null, in place of the empty one (without --kind: and of NA and its like, where "
            "they stand among numbers or dates); may be repeated."
        ),
    ] = None
    delimiter: Annotated[
        str, typer.Option(help="What stands between the cells of a CSV file (\\t: a tab); else found by a look.")
    ] = ""
    decimal: Annotated[str, typer.Option(help="What stands before the fraction of a CSV file's numbers: . or ,")] = "."
    thousands: Annotated[str, typer.Option(help="What parts thousands in them: , . ' or a blank.")] = ""
    limit: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="How many lines of rules of each table (60 where not given), or constraints of one kind (50), to show "
            "at most. 0: all.",
        ),
    ] = None

    def request(self) -> "DiscoveryRequest":
        """What is discovered.

        Raises:
            InputError: options that do not go together, or a delimiter that has letters.
        """
        from profiling_core.pipeline.discovery_request import DiscoveryRequest

        self._check()
        return DiscoveryRequest(
            kind=self.kind or Kind.DC,
            nulls=self.nulls,
            cross=self.space is Space.CROSS,
            reduced=self.cover is Cover.REDUCED,
            max_predicates=self.max_predicates or None,
            max_error=self.max_error,
            max_arity=self.max_arity or None,
            engine=self.engine.value,
            null_values=self._null_values(),
            dialect=None,  # files are looked at
            delimiter=self._delimiter or None,
            marks=Marks(self.decimal, self.thousands),
            spark=self.spark,
        )

    @property
    def _delimiter(self) -> str:
        return self.delimiter.replace("\\t", "\t")

    def _null_values(self) -> tuple[str, ...] | None:
        """Constraints of one kind are exact over cells as they are; of rules it is looked for what means null."""
        if self.null_value is not None:
            return tuple(self.null_value)
        return ("",) if self.kind else None

    def _check(self) -> None:
        if not may_delimit(self._delimiter):
            raise InputError(
                f"a delimiter of several characters has no letter, digit, quote or line end, unlike {self.delimiter!r}",
                where="--delimiter",
            )
        if self.decimal not in (".", ","):
            raise InputError(f"a fraction begins with a point or a comma, not {self.decimal!r}", where="--decimal")
        if self.thousands not in THOUSANDS or self.thousands == self.decimal:
            raise InputError(
                f"thousands are parted by a comma, a point, a blank or ', but not by the mark that begins a fraction; "
                f"{self.thousands!r} cannot part them",
                where="--thousands",
            )
        if self.spark and self.kind is not Kind.IND:
            raise InputError(
                "only inclusion dependencies are discovered on Spark", where="--spark", remedy="leave it out"
            )


# Each of these kinds has a cover of its own; the others are found with the rules.
_WITH_COVER = (Kind.DC, Kind.FD, Kind.UCC, Kind.IND)


def check_kind(context: typer.Context, kind: Kind | None) -> None:
    """Refuses kinds that have no cover of their own, and options that go with another way of asking."""
    if kind is Kind.COLUMN:
        remedy = "land deltas and run `holdfast apply`; `holdfast constraints` lists them"
        raise InputError("rules of single columns are learnt from a table's history", where="--kind", remedy=remedy)
    if kind not in (None, *_WITH_COVER):
        raise InputError(
            f"{kind.value} rules cannot be listed alone",
            where="--kind",
            remedy="leave --kind out: rules of all kinds are found",
        )
    sources = {name: context.get_parameter_source(name) for name in context.params}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    wrong = _OF_ONE_KIND if kind is None else _OF_RULES
    for name in given:
        if name in wrong:
            what, remedy = (
                ("asks for one kind of constraints", "add --kind dc, fd, ucc or ind")
                if kind is None
                else ("is for rules of all kinds", "leave it out, or leave --kind out")
            )
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} {what}", where=option, remedy=remedy)
