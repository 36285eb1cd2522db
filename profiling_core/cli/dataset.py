"""The commands over a dataset's state: apply, constraints, diff, explain, rebuild."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from profiling_core.alert.brief import value
from profiling_core.alert.figures import counted
from profiling_core.alert.text_table import shortened
from profiling_core.alert.wording import reading, spoken
from profiling_core.cli.common import AsJson, Named, OfDataset, known_table, open_workspace, print_json, say_held
from profiling_core.cli.progress import Narrator
from profiling_core.cli.tables import changes_table, console, error_text, safe_text, tracked_table
from profiling_core.model.change import Change, ChangeSet, LifecycleState
from profiling_core.model.errors import InputError, StateError
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from profiling_core.pipeline.explain import Explanation

SHOWN_WITNESSES = 5
_CELL = 200
# Once an open incident has shown in 3 deltas, the output says how to be reminded of it.
_LASTS = 3
EXIT_REFUSED = 1
"""What ``apply`` ends with where a delta was refused, whatever else it applied."""


def apply(
    named: Named = None,
    dataset: OfDataset = None,
    delta: Annotated[str | None, typer.Option(help="Apply pending deltas up to this id; all where not given.")] = None,
    table: Annotated[list[str] | None, typer.Option(help="Only this table's deltas; may be repeated.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, and commit nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Apply pending deltas: ingest, maintain, commit, diff, emit, validate, alert."""
    from profiling_core.cli.running_server import join_running_server
    from profiling_core.pipeline.arrow_alone import arrow_alone
    from profiling_core.pipeline.walk import walk
    from profiling_core.state.settings import Settings

    work = open_workspace(named or dataset)
    for name in table or ():
        known_table(work, name)
    arrow_alone()
    join_running_server(Settings.discover())
    out = console()

    progress = None if as_json else Narrator(work.dataset)
    outcome = walk(work.dataset, label=delta, tables=table, dry_run=dry_run, progress=progress)
    if as_json:
        print_json(outcome)
    else:
        if outcome["applied"]:
            _say_outcome(work.dataset, outcome, dry_run=dry_run)
        elif outcome["not_read"]:
            out.print("Nothing to apply; what lies there and is not read:")
            for said in outcome["not_read"]:
                out.print(safe_text(f"  {said}"))
        elif not any(outcome[name] for name in ("waiting", "refused", "refused_before")):
            out.print("Nothing to apply: every delta found is in the state already.")
        else:
            out.print("Nothing to apply.")
        say_held(outcome | {"dataset": work.dataset})
    if outcome["refused"]:
        raise typer.Exit(EXIT_REFUSED)


def _others_of(counts: dict[str, int]) -> str:
    """The rows that came and are neither changes nor rejects."""
    found = ((name, counts.get(name, 0)) for name in ("superseded", "unchanged"))
    return "".join(f", {count:,} {name}" for name, count in found if count)


def _lines_of(counts: dict[str, int]) -> str:
    """The read lines or records, and what of them is no row of its own, so that all of them add up."""
    said = {"left_out": "of them no rows", "lost": "lost with rejected ones", "within": "within cells"}
    found = [f"{counts[name]:,} {words}" for name, words in said.items() if counts.get(name)]
    return f" ({counts['lines']:,} lines read, {', '.join(found)})" if found else ""


def _say_outcome(dataset: str, outcome: dict[str, Any], *, dry_run: bool) -> None:
    out = console()
    for table, counts in outcome["arrived"].items():
        came = counted(counts["deltas"], "delta")
        out.print(
            f"{table}: {came}, +{counts['inserts']} −{counts['deletes']} ~{counts['updates']} rows, "
            f"{counts['rejects']} rejected{_others_of(counts)}, {counts['rows']} rows now" + _lines_of(counts),
            highlight=False,
        )
    for said in (*outcome["mended"], *outcome["structure"]):
        out.print(safe_text(said, style="yellow"))
    of_refused = sum(bool(held.get("told", not dry_run)) for held in outcome.get("refused", ()))
    verb = "would be" if dry_run else "is"
    out.print(
        f"Version {outcome['version']} of {dataset} {verb} committed: "
        f"{counted(outcome['appeared'], 'constraint')} appeared, {outcome['broke']} broke, "
        f"{outcome['recovered']} recovered; {counted(outcome['alerts'] + of_refused, 'message')}.",
        highlight=False,
    )
    reminds = bool(open_workspace(dataset).config.alerts.remind_after)
    for said in (*now_over(outcome), *shown_again(outcome, reminds=reminds)):
        out.print(safe_text(said))
    if dry_run:
        out.print(changes_table([Change.from_json(change) for change in outcome["changes"]]))


def now_over(outcome: Mapping[str, Any]) -> list[str]:
    """The incidents that ended with the run's deltas, and whose end no message tells."""
    return [
        f"Incident {i['number']} of {i['table']}, open since {spoken(i['opened'])}, is over: {i['headline']}."
        + _still_there(i)
        for i in outcome.get("ended", ())
    ]


def _still_there(incident: Mapping[str, Any]) -> str:
    """That no rows have come since, and how many that came still violate a rule; empty where none does."""
    rows = incident["still_violating"]
    there = f"{counted(rows, 'row')} still violate{'s' if rows == 1 else ''} its rules"
    return f" No new rows since {spoken(incident['latest'])}; {there}." if rows else ""


def shown_again(outcome: Mapping[str, Any], *, reminds: bool = False) -> list[str]:
    """The incidents that the run's deltas show again, and that send no message; where many do, what reminds of them."""
    again = _in_silence(outcome)
    status = {i["number"]: "" if i["status"] == "open" else f", {i['status']}," for i in again}
    said = [
        f"Incident {i['number']}{status[i['number']]} goes on since {spoken(i['opened'])}: {i['headline']}"
        f"{' – ' if i['lasting'] else ''}{i['lasting'] or '.'}"
        for i in again
    ]
    lasting = max((i["deltas"] for i in again if i["status"] == "open"), default=0)
    if lasting >= _LASTS and not reminds:
        said.append(
            f"{lasting} deltas have shown one of these, and nobody is reminded: "
            "set remind_after below alerts in the dataset's file, or see to it with holdfast incidents."
        )
    return said


def _in_silence(outcome: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The incidents that the run's deltas show again, without those whose message says so."""
    came = {label for labels in outcome["applied"].values() for label in labels}
    shown = (i for i in outcome.get("incidents", ()) if i["latest"] in came and i["opened"] not in came)
    return [incident for incident in shown if not incident["told"]]


def release(
    table: Annotated[str, typer.Argument(help="The table whose rows were set aside.")],
    dataset: OfDataset = None,
    as_json: AsJson = False,
) -> None:
    """Apply the rows that a table's policy has set aside: they count from now on."""
    from profiling_core.pipeline.walk import walk

    work = open_workspace(dataset)
    outcome = walk(work.dataset, release=known_table(work, table))
    print_json(outcome) if as_json else _say_outcome(work.dataset, outcome, dry_run=False)


def constraints(
    named: Named = None,
    dataset: OfDataset = None,
    table: Annotated[str | None, typer.Option(help="Only this table's.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the constraints that are followed: rank, state, since when, and how likely an inclusion is a foreign key."""
    work = open_workspace(named or dataset)
    known_table(work, table)
    from profiling_core.pipeline.joins import key_likelihoods
    from profiling_core.pipeline.lifecycle_step import decisions, kept_away

    tracked = [t for t in work.catalog.tracked(work.dataset) if table in (None, t.table)]
    decided = {name: d.words for name, d in decisions(work).items() if d.words}
    likelihoods = key_likelihoods(work)
    away = [kept for kept in kept_away(work) if table in (None, kept.constraint.tables[0])]
    if as_json:
        print_json(
            {
                "dataset": work.dataset,
                "constraints": [
                    t.to_json()
                    | {"decided": decided.get(t.fingerprint, ""), "foreign_key": likelihoods.get(t.fingerprint)}
                    for t in tracked
                ],
                "kept_away": [kept.to_json() for kept in away],
            }
        )
        return
    console().print(tracked_table(tracked, decided, likelihoods))
    for kept in away:
        console().print(safe_text(f"{kept.constraint.text} stays away: {kept.because.text} was rejected."))


def diff(
    named: Named = None,
    dataset: OfDataset = None,
    version: Annotated[
        int | None, typer.Option(help="The version to compare with the one before; default: newest.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a version changed against the one before."""
    work = open_workspace(named or dataset)
    change_set = _change_set(work, version)
    if as_json:
        print_json(change_set.to_json())
        return
    out = console()
    out.print(f"Version {change_set.version} of {work.dataset} against {change_set.version - 1}:", highlight=False)
    out.print(changes_table(change_set.changes) if change_set.changes else "no tracked constraint changed")


def _change_set(work: Workspace, version: int | None) -> ChangeSet:
    current = work.catalog.current(work.dataset)
    number = version or (current.number if current else 0)
    change_set = work.catalog.changes(work.dataset, number)
    if change_set is None:
        raise InputError(
            f"dataset {work.dataset!r} has no version {number}",
            remedy=f"its newest is {current.number}" if current else "apply a delta first",
        )
    return change_set


def explain(
    constraint: Annotated[str, typer.Argument(help="A constraint's id or text, e.g. 'origin,dest->distance'.")],
    dataset: OfDataset = None,
    as_json: AsJson = False,
) -> None:
    """Explain one constraint: what it means, how it has fared, and the rows that broke it."""
    from profiling_core.pipeline.explain import explain as explained

    work = open_workspace(dataset)
    found = explained(work, constraint)
    if as_json:
        print_json(
            found.tracked.to_json()
            | {
                "meaning": found.meaning,
                "worth": found.worth,
                "decided": found.decided.words,
                "notes": list(found.decided.notes),
                "history": [t.to_json() for t in found.history],
                "changes": [{"version": v, **c.to_json()} for v, c in found.changes],
            }
        )
        return
    _say_explanation(found)


def _say_explanation(found: "Explanation") -> None:
    out = console()
    tracked = found.tracked
    measured = tracked.measured
    out.print(safe_text(measured.constraint.text, style="bold"))
    out.print(safe_text(found.meaning))
    held = "no more rows violated it for" if tracked.state is LifecycleState.VIOLATED else "held for"
    lasted = f"{held} {counted(tracked.held_deltas, 'delta')}; " if tracked.held_deltas else ""
    out.print(
        f"State: {tracked.state.value} since {spoken(tracked.since)}; {lasted}"
        f"rank {tracked.rank or 'none'} in {tracked.table}; error {error_text(measured.error)} "
        f"({measured.violations:,} of {measured.population:,}).",
        highlight=False,
    )
    if found.worth:
        out.print(safe_text(found.worth))
    if found.decided.words:
        out.print(safe_text(f"Decided: {found.decided.words}."))
    for words in found.decided.notes:
        out.print(safe_text(f"Note: {words}"))
    for version, change in found.changes:
        _say_change(version, change, found.key)


def _say_change(version: int, change: Change, key: tuple[str, ...]) -> None:
    out = console()
    out.print(f"Version {version}: {change.transition.value}", style="bold", highlight=False)
    read = reading(change, {})
    if read:
        out.print(safe_text(f"  {read}"))
    shown = tuple(dict.fromkeys((*key, *change.measured.constraint.columns)))
    for witness in change.witnesses[:SHOWN_WITNESSES]:
        out.print(safe_text(f"  row {_cells(witness.broken_by, shown)}"))
        for row in witness.contradicts:
            out.print(safe_text(f"    contradicts {_cells(row, shown)}", style="dim"))


def _cells(row: Any, columns: tuple[str, ...]) -> str:
    return ", ".join(f"{shortened(name, _CELL)}={value(row[name], _CELL)}" for name in columns if name in row)


def rebuild(
    named: Named = None,
    dataset: OfDataset = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Only compare the maintained state with discovery from scratch.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Discover everything again from the stored rows; with --verify compare it with what was maintained."""
    from profiling_core.pipeline.verify import verify as compared
    from profiling_core.pipeline.walk import walk

    work = open_workspace(named or dataset)
    if not verify:
        outcome = walk(work.dataset, rebuild=True)
        print_json(outcome) if as_json else _say_outcome(work.dataset, outcome, dry_run=False)
        return
    findings = compared(work)
    if as_json:
        print_json([finding.to_json() for finding in findings])
    else:
        out = console()
        for finding in findings:
            mark = "[green]equal[/]" if finding.equal else "[bold red]DIFFERENT[/]"
            out.print(f"{finding.subject:<28} {mark}  {finding.detail}", highlight=False)
    if not all(finding.equal for finding in findings):
        raise StateError(
            "the maintained state differs from discovery from scratch",
            where=", ".join(f.subject for f in findings if not f.equal),
            remedy="`holdfast rebuild` replaces it; please report this with the output above",
        )
