"""The effort of a search before it is given up: counted by its work, not by the clock, so that runs decide alike."""

from dataclasses import dataclass

from profiling_core.model.errors import EffortError

# Seconds of a core for a visited node of a search for hitting sets, per word of a set of elements, for the
# edges that it probes, and per word of a set of edges (measured: 30 to 142 groups, 100,000 to 200,000 edges).
VISIT_AND_WORD = 0.5e-6
VISIT_AND_EDGES = 4e-9
# The most bytes of edges that a search holds, by row and by column.
MOST_HELD = 1 << 30


@dataclass
class Effort:
    """Seconds of one core that are left, as estimated, and whose ``work`` they are for."""

    left: float
    work: str

    def spend(self, seconds: float) -> None:
        """Takes what something costs.

        Raises:
            EffortError: it is more than what is left.
        """
        self.left -= seconds
        self.foresee(0)

    def foresee(self, seconds: float) -> None:
        """Sees whether what is to come can be paid for.

        Raises:
            EffortError: it costs more than what is left.
        """
        if self.left < seconds:
            raise EffortError(
                f"{self.work} takes more than the work that is allowed for it",
                remedy="set a smaller max_predicates, space: same-column, or leave columns out",
            )

    def hold(self, held: int) -> None:
        """Sees whether ``held`` bytes of edges may be held.

        Raises:
            EffortError: they are too many.
        """
        if held > MOST_HELD:
            self.spend(self.left + 1)

    def visits(self, each: float) -> int:
        """How many things that take so long are left."""
        return max(0, int(self.left / each))


def seconds_of_visit(words: int, edges: int) -> float:
    """The cost of a node among ``edges`` edges, for sets of elements of ``words`` words."""
    return words * VISIT_AND_WORD + edges / 64 * VISIT_AND_EDGES
