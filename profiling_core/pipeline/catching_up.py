"""What an earlier run left undone, which may have ended anywhere after its commit."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from profiling_core.model.version import RunPlan, Version
from profiling_core.pipeline import damage, lifecycle_step, notifications
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from profiling_core.ingest.sources.protocol import Found


def settle(work: Workspace, current: Version, *, rebuild: bool) -> damage.Mended:
    """Settles, publishes and tells of the current version; returns what a rebuild is to do without."""
    from profiling_core.pipeline import publication

    work.catalog.check_rows(current)
    mended = damage.look(work, current) if rebuild else damage.NOTHING
    mended = replace(mended, said=(*mended.said, *lifecycle_step.settle_without(work, current, mended.lost)))
    publication.make_up(work, current)
    notifications.deliver(work, wait=False)
    return mended


def tell(work: Workspace, plan: RunPlan, found: Mapping[str, "Found"], *, dry_run: bool) -> frozenset[tuple[str, str]]:
    """Tells of the deltas that a run leaves out, and sends what no later step of a run without deltas would.

    Returns:
        The refused deltas that were told before, each with its table; a dry run tells nobody, and knows of none.

    Raises:
        UndeliveredError: nothing is to be done, and a message has waited for too long.
    """
    before = frozenset[tuple[str, str]]() if dry_run else notifications.tell_left_out(work, found)
    if plan.pending:
        return before
    notifications.deliver(work, wait=False)
    if plan.committed_version is None:
        notifications.give_up_late(work)
    return before
