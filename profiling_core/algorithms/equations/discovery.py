"""Finding a table's equations: proposed from some rows, checked on all, told once, and none that chance explains."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import log10

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.equations import moments, products, sums
from profiling_core.algorithms.equations.chance import CONFIDENCE, surprise
from profiling_core.algorithms.equations.counting import count
from profiling_core.algorithms.equations.numbers import Numbers
from profiling_core.algorithms.equations.once import Known
from profiling_core.algorithms.equations.other_values import is_text
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.sample import Sample, Written, numeric_columns, samples, spread, written_form
from profiling_core.algorithms.equations.texts import text_proposals
from profiling_core.model.constraint import Measured
from profiling_core.model.expression import Cut, Elapsed, Expression, Linear, Precision, Product
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.role import ColumnRole, Role
from profiling_core.model.schema import TableSchema

_TEXT_ROWS = 60
# With more columns, products of two and sums of four are tried for these only: the first ones.
_MOST_FOR_PRODUCTS = 60
_NO_NUMBERS = (Role.IDENTIFIER, Role.REFERENCE, Role.CONSTANT, Role.TEXT)


@dataclass
class _Search:
    """One table's search: what was tried, and what was found, by the columns' order of appearance.

    ``tried`` are equations of texts and days, ``computed`` those of numbers: many days make no sum less sure.
    """

    rows: pa.Table
    schema: TableSchema
    budget: Budget | None
    forms: Mapping[str, Written]
    tried: int = 0
    computed: int = 0
    proposed: dict[str, Equation] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Whether time is over."""
        return self.budget is not None and self.budget.spent

    def take(self, proposals: Iterable[Proposal]) -> None:
        """Takes proposals up, each once."""
        for column, value in proposals:
            form = self.forms.get(column) if value.is_numeric else None
            equation = Equation(self.schema.table, column, value, form.precision if form else Precision())
            self.proposed.setdefault(equation.fingerprint, equation)
            if self.is_over:
                return


def find_equations(
    rows: pa.Table, schema: TableSchema, roles: Mapping[str, ColumnRole], *, budget: Budget | None = None
) -> list[Measured]:
    """The equations that hold in all rows of a table, the most surprising first (docs/semantics.md, "Equations").

    Args:
        rows: the table, in the types in which the project stores values.
        schema: its columns; those that are not profiled take no part.
        roles: what columns are for; identifiers and references are compared, and not computed with.
        budget: when to end with what there is; None: never.
    """
    names = [column.name for column in schema.profiled if not _is_constant(roles, column.name)]
    numbers = numeric_columns(rows, names)
    search = _Search(rows, schema, budget, {name: written_form(n) for name, n in numbers.items()})
    some = rows.select(names).take(pa.array(spread(rows.num_rows, _TEXT_ROWS))) if names else rows
    _of_texts(search, some, names)
    _of_moments(search, some, names, list(numbers))
    _of_numbers(search, {n: c for n, c in numbers.items() if not _names_rows(roles, n)})
    _copies(search, numbers)
    return _told(search)


def _is_constant(roles: Mapping[str, ColumnRole], name: str) -> bool:
    return name in roles and roles[name].role is Role.CONSTANT


def _names_rows(roles: Mapping[str, ColumnRole], name: str) -> bool:
    if name not in roles:
        return False
    # That numbers of one length are a code is inferred, and an equation may show it wrong; what a person says is not.
    return roles[name].role in _NO_NUMBERS or (roles[name].declared and roles[name].role is Role.CODE)


def _of_texts(search: _Search, some: pa.Table, names: Sequence[str]) -> None:
    texts = {name: some[name].to_pylist() for name in names if is_text(some[name].type)}
    whole = {name: some[name].cast(pa.string()).to_pylist() for name in names if pa.types.is_integer(some[name].type)}
    search.tried += len(texts) ** 2 * 10 + len(texts) * len(texts | whole) ** 2
    search.take(text_proposals(texts, texts | whole))


def _of_moments(search: _Search, some: pa.Table, names: Sequence[str], numeric: Sequence[str]) -> None:
    dates = len(moments.moment_columns(some, names))
    search.tried += dates**2 * (1 + 12 * len(numeric)) + dates * len(names) * 10
    search.take(
        chain(moments.distances(some, names), moments.between(some, names, numeric), moments.parts(some, names))
    )


def _of_numbers(search: _Search, numbers: Mapping[str, Numbers]) -> None:
    with np.errstate(over="ignore", invalid="ignore"):  # what is beyond all doubles fits nothing, and is no error
        for sample in samples(numbers, search.forms):
            for ways, propose in _ways(sample):
                if search.is_over:
                    return
                search.computed += ways
                search.take(propose())


def _ways(sample: Sample) -> Iterator[tuple[int, Callable[[], Iterator[Proposal]]]]:
    """How numbers may be computed, simple ways first: how many equations each way tries, and what proposes them."""
    size = len(sample.names)
    pairs, triples = size * (size - 1), size**2 * (size - 1) // 2
    yield 2 * pairs, lambda: sums.straight_lines(sample)
    yield sums.count_plain(size), lambda: sums.plain_sums(sample)
    if size > 2 and size <= _MOST_FOR_PRODUCTS:
        yield triples, lambda: products.products(sample)
        yield 2 * triples, lambda: products.ratios(sample)
        yield 4 * size * triples, lambda: products.rated(sample)
    if size > 2:
        yield triples, lambda: sums.weighted_sums(sample)


def _copies(search: _Search, numbers: Mapping[str, Numbers]) -> None:
    """Identifiers that equal another column, which are not computed with."""
    others = {n: c for n, c in numbers.items() if c.exact and not c.scale}
    for sample in samples(others, search.forms):
        search.computed += len(sample.names) ** 2
        for place, column in enumerate(sample.names):
            for other in sample.names[:place]:
                if (sample.numbers[column].values == sample.numbers[other].values).all():
                    search.take([Proposal(column, Linear((("1", other),)))])


def _told(search: _Search) -> list[Measured]:
    """What holds in all rows, is beyond chance, and is not said by what comes before it."""
    known, found = Known(), []
    position = {name: i for i, name in enumerate(search.schema.names)}
    for equation in sorted(search.proposed.values(), key=lambda e: _simplicity(e, position)):
        if search.is_over:
            break
        if known.has(equation):
            continue
        measured = count(equation, search.rows)
        if measured.holds and measured.population:
            surprising = surprise(equation, search.rows)
            of_numbers = isinstance(equation.value, Linear | Product)
            tried = search.computed if of_numbers else search.tried
            if surprising >= CONFIDENCE + log10(max(1, tried)):
                known.add(equation)
                found.append((surprising, measured))
    return [measured for _, measured in sorted(found, key=lambda one: -one[0])]


def _simplicity(equation: Equation, position: Mapping[str, int]) -> tuple[object, ...]:
    """What is simpler is told, and of two solutions of one equation the one with more digits on the left."""
    value = equation.value
    fine = equation.precision.digits or equation.precision.decimals or 0
    constants = _constants(value)
    written = (len(text.strip("0").replace(".", "").strip("0")) for text in constants)
    return (
        _shape(value),
        len(value.columns),
        any("/" in text for text in constants),
        sum(written),
        sum(map(len, constants)),
        -fine,
        -position[equation.column],
    )


def _constants(value: Expression) -> list[str]:
    """The constants other than one that an expression has, as they are written."""
    if isinstance(value, Linear):
        found = [*(factor for factor, _ in value.terms), value.constant]
    else:
        found = [value.factor] if isinstance(value, Product) else []
    return [text.strip("-") for text in found if text not in ("0", "1", "-1")]


def _shape_of_linear(value: Linear) -> int:
    factors = {factor for factor, _ in value.terms}
    plain = value.constant == "0" and factors <= {"1", "-1"}
    if len(value.terms) == 1:
        return 0 if plain else 3
    if not plain:
        return 6
    return 1 if factors == {"1"} else 2


def _shape(value: Expression) -> int:
    """Copies, plain sums, plain products, then what needs constants."""
    if isinstance(value, Linear):
        return _shape_of_linear(value)
    if isinstance(value, Product):
        return 5 if value.rate else 1 if value.factor == "1" and not value.under else 4
    return 3 if isinstance(value, Elapsed) else 2 if isinstance(value, Cut) else 1
