"""Sentences for the logs of tasks and for the note of a run, made from the results of the steps."""

from collections.abc import Callable, Mapping
from typing import Any

from profiling_core.alert.figures import counted

Json = Mapping[str, Any]
_LEFT_OUT = ("waiting", "refused")


def sentence(step: str, result: Json) -> str:
    """The result of a step in one sentence."""
    return _SAID[step](result)


def note(label: str, changed: Json) -> str:
    """The result of a run as its note in Airflow's grid: ``2013-03-01 · 3 broke · 2 messages``."""
    counts = {"broke": "broke", "recovered": "recovered", "error_jumped": "jumped in error", "spared": "set aside"}
    said = [f"{changed[name]:,} {word}" for name, word in counts.items() if changed.get(name)]
    rejects = sum(counts.get("rejects", 0) for counts in changed.get("arrived", {}).values())
    said += [f"{rejects:,} rejected"] if rejects else []
    said += [counted(changed["alerts"], "message")] if changed.get("alerts") else []
    return " · ".join([label, *(said or ["nothing broke"])])


def _planned(made: Json) -> str:
    pending = {table: ids for table, ids in made["pending"].items() if ids}
    span = "; ".join(f"{table}: {counted(len(ids), 'delta')}, {_span(ids)}" for table, ids in pending.items())
    left = [
        f"{counted(len(made[name]), 'delta')} {word}"
        for name, word in zip(_LEFT_OUT, ("wait", "refused"), strict=True)
        if made[name]
    ]
    said = f"To be applied: {span}." if span else "No delta is pending."
    return " ".join([said, *([f"Left out: {', '.join(left)}."] if left else [])])


def _span(ids: Any) -> str:
    return str(ids[0]) if len(ids) == 1 else f"{ids[0]} to {ids[-1]}"


def _ingested(delta: Json) -> str:
    if "refused" in delta:
        return f"{delta['table']}: delta {delta['delta']} is refused and waits; the other tables go on."
    parts = {"inserts": "new", "deletes": "gone", "updates": "changed", "rejects": "rejected", "set_aside": "set aside"}
    came = ", ".join(f"{delta[name]:,} {word}" for name, word in parts.items() if delta.get(name))
    return (
        f"{delta.get('table', 'The table')}: {came or 'no'} rows." if came else f"{delta['table']}: no row has changed."
    )


def _maintained(staged: Json) -> str:
    if staged.get("already"):
        return f"{staged.get('table', 'The inclusions')}: already {staged['already']}."
    if "inclusions" in staged:
        return f"{counted(staged['inclusions'], 'inclusion')} are kept."
    chosen = f"; {staged['chosen']}" if staged.get("chosen") else ""
    return f"{staged['table']}: its rules are brought to {staged['rows']:,} rows{chosen}."


def _committed(made: Json) -> str:
    if made["version"] is None:
        return "Nothing was to be committed."
    rows = ", ".join(f"{table} {count:,}" for table, count in made["rows"].items())
    return f"Version {made['version']} is committed{f'; rows: {rows}' if rows else ''}."


def _previewed(found: Json) -> str:
    return f"Dry run: nothing was changed. It would have been: {_changes(found)}."


def _compared(found: Json) -> str:
    going_on = counted(len(found.get("incidents", ())), "incident")
    return f"Version {found['version']}: {_changes(found)}; {going_on} going on."


def _changes(found: Json) -> str:
    words = {"broke": "broke", "recovered": "recovered", "appeared": "appeared", "retired": "retired"}
    said = ", ".join(f"{found[name]:,} {word}" for name, word in words.items() if found.get(name))
    return f"of the rules {said}" if said else "every rule that held still holds"


def _emitted(made: Json) -> str:
    return f"Suites are written for {counted(len(made['suites']), 'table')}."


def _validated(made: Json) -> str:
    odd = len(made["broken_checks"]) + len(made["contradictions"])
    trouble = f"; {counted(odd, 'check')} did not work or contradict the counts" if odd else ", all as counted"
    return f"{counted(made['checks'], 'check')} were run{trouble}."


def _alerted(told: Json) -> str:
    outcomes = [outcome for channels in told["alerts"].values() for outcome in channels.values()]
    failed = sum(outcome != "sent" for outcome in outcomes)
    trouble = f"; {counted(failed, 'attempt')} failed" if failed else ""
    waits = f"; {counted(told['waiting'], 'delivery waits', 'deliveries wait')}" if told["waiting"] else ""
    said = f"{counted(len(told['alerts']), 'message')} to be told" if outcomes else "Nothing was to be told"
    return f"{said}{trouble}{waits}."


_SAID: dict[str, Callable[[Json], str]] = {
    "plan": _planned,
    "ingest": _ingested,
    "maintain": _maintained,
    "commit": _committed,
    "preview": _previewed,
    "diff": _compared,
    "emit": _emitted,
    "validate": _validated,
    "alert": _alerted,
}
