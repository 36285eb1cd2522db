"""The ways in which numbers may be computed from others, simple ones first, and how many equations each tries."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from profiling_core.algorithms.equations import products, sums, weights
from profiling_core.algorithms.equations.combined import sums_of_products
from profiling_core.algorithms.equations.gaps import Gapped, sums_of_what_is_there
from profiling_core.algorithms.equations.logarithms import logarithms, logarithms_of_ratios
from profiling_core.algorithms.equations.proposing import Proposal
from profiling_core.algorithms.equations.sample import Sample
from profiling_core.algorithms.equations.wholes import whole_parts

# With more columns than these, no products of two columns are tried.
_MOST_FOR_PRODUCTS = 60
# With fewer or more columns no products of three are tried.
_FEWEST_FOR_THREE, _MOST_FOR_THREE = 4, 40
_PLAIN = "sums"


class Computation(NamedTuple):
    """A way to compute numbers: its name, the function that proposes, and the number of tries by kind."""

    name: str
    propose: Callable[[], Iterator[Proposal]]
    tries: Mapping[str, int]

    def kind_of(self, proposal: Proposal) -> str:
        """The kind that a proposal's tries are counted under: for sums, by their number of columns."""
        return f"{self.name} of {len(proposal.value.columns)}" if self.name.endswith(_PLAIN) else self.name


def summing_ways(sample: Sample) -> Iterator[Computation]:
    """Straight lines, sums and differences, which hold as precisely as their columns are written."""
    tries = {f"{_PLAIN} of {n - 1}": tried for n, tried in sums.count_plain(len(sample.names)).items()}
    size, targets = len(sample.names), len(sample.targets)
    yield _way("lines", 2 * targets * (size - 1), sums.straight_lines, sample)
    yield Computation(_PLAIN, partial(sums.plain_sums, sample), tries)


def multiplied_ways(sample: Sample) -> Iterator[Computation]:
    """Products, ratios, and rates."""
    size, targets = len(sample.names), len(sample.targets)
    triples = targets * size * (size - 1) // 2
    if 2 < size <= _MOST_FOR_PRODUCTS:
        yield _way("products", triples, products.products, sample)
        yield _way("ratios", 2 * triples, products.ratios, sample)
        yield _way("rates", 4 * size * triples, products.rated, sample)


def ways_within_a_row(sample: Sample) -> Iterator[Computation]:
    """What people compute of one row's columns, and never with those of another row."""
    size, targets = len(sample.names), len(sample.targets)
    triples = targets * size * (size - 1) // 2
    if 2 < size <= _MOST_FOR_PRODUCTS:
        yield _way("changes", 2 * triples, products.changes, sample)
    if size > 2:
        yield _way("whole parts", 2 * (targets * (size - 1) + triples), whole_parts, sample)
        yield _way("many weights", size * triples, weights.weighted_sums_of_many, sample)
    yield _way("logarithms", 6 * targets * size, logarithms, sample)
    if 2 < size <= _MOST_FOR_PRODUCTS:
        yield _way("logarithms of ratios", targets * size**2, logarithms_of_ratios, sample)


def ways_of_three(sample: Sample) -> Iterator[Computation]:
    """Products of three columns."""
    size = len(sample.names)
    if _FEWEST_FOR_THREE <= size <= _MOST_FOR_THREE:
        tries = len(sample.targets) * size * (size - 1) * (size - 2) // 6
        yield _way("products of three", tries, products.products_of_three, sample)


def ways_put_together(sample: Sample, told: Collection[str]) -> Iterator[Computation]:
    """Sums of products; ``told`` as for :func:`ways_of_rounded_parts`."""
    size = len(sample.names)
    rest = sum(name not in told for name in sample.names)
    if rest and 2 < size <= _MOST_FOR_THREE:
        tries = {"sums of products": rest * size * size * (size - 1) // 2 * 14}
        yield Computation("sums of products", partial(sums_of_products, sample, told), tries)


def ways_with_gaps(gapped: Gapped) -> Iterator[Computation]:
    """Sums in which nulls count as 0, with their tries by number of columns."""
    tries = {
        f"filled {_PLAIN} of {n - 1}": n_tried for n, n_tried in sums.count_plain(len(gapped.sample.names)).items()
    }
    yield Computation(f"filled {_PLAIN}", partial(sums_of_what_is_there, gapped), tries)


def _way(name: str, tries: int, propose: Callable[[Sample], Iterator[Proposal]], sample: Sample) -> Computation:
    return Computation(name, partial(propose, sample), {name: tries})
