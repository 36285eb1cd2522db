"""People's decisions about constraints: finding the constraint that is meant, and recording what is decided."""

from profiling_core.maintain.results import read_results
from profiling_core.model.constraint import Measured
from profiling_core.model.decision import Decision, Verdict
from profiling_core.model.delta_ids import in_order
from profiling_core.model.errors import InputError
from profiling_core.pipeline import lifecycle_step
from profiling_core.pipeline.explain import alike, matching
from profiling_core.pipeline.workspace import Workspace


def decide(
    work: Workspace,
    wanted: str,
    verdict: Verdict,
    *,
    who: str,
    until: str = "",
    note: str = "",
    seen: int | None = None,
) -> Decision:
    """Records a decision about the constraint of that id or text; it takes effect with the next run.

    What can be decided about is what is followed, what was decided about before, and what ranks right behind. ``seen``
    is how many decisions about it there were when the person looked (None: it does not matter).

    Raises:
        InputError: no constraint fits, several do, or a mute is to last until a delta that is applied already.
        ChangedMeanwhileError: somebody has decided about it since.
    """
    measured = _find(work, wanted)
    check_until(work, until)
    error = measured.error if verdict is Verdict.ACCEPT else 0.0
    decision = Decision(measured.constraint, verdict, who, until=until, error=error, note=note)
    work.catalog.decide(work.dataset, decision, seen)
    return decision


def check_until(work: Workspace, until: str) -> None:
    """Raises ``InputError`` for the end of a mute that would be over at once; empty: it lasts for good."""
    current = work.catalog.current(work.dataset) if until else None
    if current is not None and in_order(until) <= in_order(current.label):
        raise InputError(
            f"{until!r} is not after {current.label!r}, the newest delta: the mute would be over at once",
            remedy="give a later day or delta id, which is still muted, or none",
        )


def _find(work: Workspace, wanted: str) -> Measured:
    known = _known(work)
    found = matching(wanted, list(known.values()), lambda m: m.constraint)
    if not found:
        raise InputError(
            f"dataset {work.dataset!r} has no constraint {wanted!r} to decide about",
            remedy=alike(wanted, [m.constraint for m in known.values()]),
        )
    if len(found) > 1:
        texts = "; ".join(f"{m.constraint.fingerprint} {m.constraint.text}" for m in found[:5])
        raise InputError(f"{wanted!r} fits several constraints", remedy=f"give the id of one: {texts}")
    return found[0]


def _known(work: Workspace) -> dict[str, Measured]:
    """By fingerprint: what was decided about, what ranks, what is followed; the last has the figures that count."""
    current = work.catalog.current(work.dataset)
    if current is None:
        return {}
    decided = [d.constraint for d in lifecycle_step.decisions(work).values() if d.constraint]
    places = (*current.tables, *(("",) if current.files_of("results") else ()))
    ranked = [r.measured for place in places for r in read_results(work.store, current, place).ranked]
    tracked = [t.measured for t in lifecycle_step.followed(work, current.number)]
    return {m.constraint.fingerprint: m for m in (*(Measured(c, 0, 0) for c in decided), *ranked, *tracked)}
