"""The rules of a table's single columns: kept as one small file beside the engine's state, whatever the engine is."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64

from profiling_core.algorithms.columns.arrivals import Arrived, Broken
from profiling_core.algorithms.columns.bounds import guards
from profiling_core.algorithms.columns.calendar import Untested, untested
from profiling_core.algorithms.columns.history import TableHistory
from profiling_core.algorithms.columns.judging import judged
from profiling_core.algorithms.columns.kept_rules import FORMAT, ColumnBook, Kept
from profiling_core.algorithms.columns.upkeep import advance
from profiling_core.algorithms.columns.widening import accepting, come_to_stay
from profiling_core.algorithms.denial.ranking.score import Ranked
from profiling_core.algorithms.presented import rank_rules
from profiling_core.maintain.delta_rows import Read, batches, first_delta, joined
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.maintain.run import TableRun
from profiling_core.maintain.table_files import TableFiles
from profiling_core.model.constraint import Measured
from profiling_core.model.delta import ROW_ID
from profiling_core.model.diagnosis import Diagnosis
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.schema import TableSchema
from profiling_core.model.version import FileRef
from profiling_core.spark.diagnoses import concentrated
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.witnesses import Break, witness_alone

ROLE = "columns"


@dataclass(frozen=True)
class ColumnResult:
    """What is known of the rules after a step: as an engine's standing, with what broke them.

    ``untested`` is what two rows of different deltas have not agreed on.
    """

    files: tuple[FileRef, ...]
    ranked: tuple[Ranked, ...]
    tracked: tuple[Measured, ...]
    breaks: dict[str, BrokenConstraint]
    successors: dict[str, str]
    untested: Untested


def rows_breaking(rows: Iterable[pa.Table], schema: TableSchema, rules: Sequence[ColumnRule]) -> list[Break]:
    """Per rule of rows those that violate it."""
    found = [Break(BitMap64(), BitMap64()) for _ in rules]
    for table in rows:
        found = [joined(known, table.filter(judged(table, r, schema))) for known, r in zip(found, rules, strict=True)]
    return found


def maintain_columns(
    run: TableRun, rows: RowDelta, come: Arrived, tracked: Sequence[Measured[ColumnRule]]
) -> ColumnResult:
    """The table's rules after the run's deltas.

    Args:
        run: the table's part in the run.
        rows: its delta; read through Spark only where the table has rows from before its columns were followed.
        come: what the run brings.
        tracked: the rules that are followed, with their figures in the base version.
    """
    before, pinned = _read(run.files), run.people.pinned
    book = _prepared(run, rows, before, [m.constraint for m in tracked])
    book, successors = accepting(book, run.people.accepted | (come_to_stay(book) - pinned))
    names = [successors.get(m.constraint.fingerprint, m.constraint.fingerprint) for m in tracked]
    followed = set(names)
    anew = run.rebuild and before is not None
    after, broken = advance(book, come, run.schema, followed, anew=anew, pinned=pinned)
    figures = [after.measured(kept) for kept in after.kept]
    known = {m.constraint.fingerprint: m for m in figures}
    return ColumnResult(
        (run.files.publish_json(ROLE, after.to_json()),),
        tuple(rank_rules([m for m in figures if m.holds and _tells(m.constraint, after.history)])),
        tuple(known[name] for name in names if name in known),
        _broken(run, rows, after, {name: found for name, found in broken.items() if name in followed}),
        successors,
        untested(after.history),
    )


def _tells(rule: ColumnRule, history: TableHistory) -> bool:
    """Whether a rule is worth following: not a range so wide that nothing which has come is near its bounds."""
    return rule.rule is not Rule.RANGE or guards(rule, history.columns[rule.column])


def _read(files: TableFiles) -> ColumnBook | None:
    """The rules in the base version, which a rebuild goes on from too: rows do not tell how they came.

    None: there are none, or they are kept in the form of an earlier release.
    """
    kept = files.json_before(ROLE)
    return ColumnBook.from_json(kept) if kept.get("format") == FORMAT else None


def _prepared(run: TableRun, rows: RowDelta, before: ColumnBook | None, followed: Sequence[ColumnRule]) -> ColumnBook:
    """The book that the run's deltas are counted in, under the present names and with what people want followed."""
    earlier = partial(_earlier, rows, run.files.label_before, batches(run.files.store, run.delta.deleted))
    book = before.under(run.schema, run.renames) if before else _begun(run.schema, rows, earlier)
    wanted = _untaken(book, followed, run.people.pinned)
    there = rows.staying is not None and not run.rebuild
    return _taken_up(book, wanted, run.schema, earlier if wanted and there else None)


def _begun(schema: TableSchema, rows: RowDelta, earlier: Callable[[], Arrived]) -> ColumnBook:
    """The book of a table whose columns have not been followed: its rows so far count as one delta."""
    book = ColumnBook(TableHistory.empty(schema))
    return book if rows.staying is None else advance(book, earlier(), schema, ())[0]


def _untaken(book: ColumnBook, followed: Iterable[ColumnRule], pinned: Collection[str]) -> list[ColumnRule]:
    """The rules that a person has pinned and that the table's history does not teach."""
    known = {kept.rule.fingerprint for kept in book.kept}
    named = (rule for rule in followed if rule.fingerprint in pinned and rule.fingerprint not in known)
    return [rule for rule in named if not rule.rule.of_deltas]


def _taken_up(
    book: ColumnBook, rules: Sequence[ColumnRule], schema: TableSchema, earlier: Callable[[], Arrived] | None
) -> ColumnBook:
    """The book with more rules, counted over the earlier rows (None: there are none)."""
    tables = [table for _, table in earlier().batches()] if earlier else []
    counted = [Kept(rule, sum(pc.sum(judged(t, rule, schema)).as_py() or 0 for t in tables)) for rule in rules]
    return replace(book, kept=(*book.kept, *counted))


def _earlier(rows: RowDelta, label: str, going: Read) -> Arrived:
    """The rows of a table that has been followed without its columns so far, as if they had come in one delta."""
    names = rows.going.schema.names
    return Arrived((label,), [lambda: ((label, table) for table in (*_kept(rows, names), *going()))])


def _kept(rows: RowDelta, names: Sequence[str]) -> Iterator[pa.Table]:
    return iter(()) if rows.staying is None else rows.staying.portions(names)


def _broken(
    run: TableRun, rows: RowDelta, book: ColumnBook, broken: Mapping[str, Broken]
) -> dict[str, BrokenConstraint]:
    """The broken rules by fingerprint, with examples, and what the rows that violate a rule of rows have in common."""
    inserted = batches(run.files.store, run.delta.inserted)
    news = {name: found for name, found in broken.items() if found.rows}
    of_rows = [k.rule for k in book.kept if k.rule.fingerprint in news and not k.rule.of_deltas]
    breaks = rows_breaking(inserted(), run.schema, of_rows) if of_rows else []
    # rows that violated it before and change in other columns are no news, and of these nothing is said
    known = {r.fingerprint: (r, b.rows) for r, b in zip(of_rows, breaks, strict=True)}
    shared = {n: concentrated(rows, r, ids) for n, (r, ids) in known.items() if len(ids) == news[n].rows}
    return {name: replace(_shown(run, found), diagnosis=Diagnosis(shared.get(name))) for name, found in news.items()}


def _shown(run: TableRun, found: Broken) -> BrokenConstraint:
    witnesses = tuple(witness_alone(table, i) for table in found.examples for i in range(len(table)))
    first = BitMap64(row for table in found.examples for row in table[ROW_ID].to_pylist())
    return BrokenConstraint(found.rows, witnesses, delta=first_delta(run.files.store, run.delta, first))
