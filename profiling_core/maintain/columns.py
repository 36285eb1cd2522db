"""The rules of a table's single columns: kept as one small file beside the engine's state, whatever the engine is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
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
from profiling_core.algorithms.ground.pieces import in_turn
from profiling_core.algorithms.presented import rank_rules
from profiling_core.maintain.results import BrokenConstraint
from profiling_core.maintain.run import TableRun
from profiling_core.model.change import Witness
from profiling_core.model.constraint import Measured
from profiling_core.model.delta import DELTA_ID, ROW_ID
from profiling_core.model.delta_ids import in_order
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.version import FileRef
from profiling_core.spark.evidence import RowDelta
from profiling_core.spark.rows import FEW_ROWS
from profiling_core.spark.tasks import by_spare_tasks
from profiling_core.spark.witnesses import EXAMPLES, Break, witness_alone

ROLE = "columns"


@dataclass(frozen=True)
class ColumnStanding:
    """What is known of the rules after a step: as an engine's standing, with what broke them.

    ``untested`` is what two rows of different deltas have not agreed on.
    """

    files: tuple[FileRef, ...]
    ranked: tuple[Ranked, ...]
    tracked: tuple[Measured, ...]
    breaks: dict[str, BrokenConstraint]
    successors: dict[str, str]
    untested: Untested


def maintain_columns(
    run: TableRun, rows: RowDelta, come: Arrived, tracked: Sequence[Measured[ColumnRule]]
) -> ColumnStanding:
    """The table's rules after the run's deltas.

    Args:
        run: the table's part in the run.
        rows: its delta; read through Spark only where the table has rows from before its columns were followed.
        come: what the run brings.
        tracked: the rules that are followed, with their figures in the base version.
    """
    before = _read(run)
    book = before.under(run.schema, run.config.renames.get(run.table, {})) if before else _begun(run, rows)
    book = _taken_up(run, rows, book, [m.constraint for m in tracked])
    book, successors = accepting(book, run.accepted | (come_to_stay(book) - run.pinned))
    names = [successors.get(m.constraint.fingerprint, m.constraint.fingerprint) for m in tracked]
    followed = set(names)
    after, broken = advance(
        book, come, run.schema, followed, anew=run.rebuild and before is not None, pinned=run.pinned
    )
    figures = [after.measured(kept) for kept in after.kept]
    known = {m.constraint.fingerprint: m for m in figures}
    return ColumnStanding(
        (run.store.publish_json(run.run_id, run.table, ROLE, after.to_json()),),
        tuple(rank_rules([m for m in figures if m.holds and _tells(m.constraint, after.history)])),
        tuple(known[name] for name in names if name in known),
        {name: _broken(run, found) for name, found in broken.items() if name in followed},
        successors,
        untested(after.history),
    )


def _tells(rule: ColumnRule, history: TableHistory) -> bool:
    """Whether a rule is worth following: not a range so wide that nothing which has come is near its bounds."""
    return rule.rule is not Rule.RANGE or guards(rule, history.columns[rule.column])


def rows_breaking(run: TableRun, rules: Sequence[ColumnRule]) -> list[Break]:
    """Per rule of rows the inserted rows that violate it."""
    found = [Break(BitMap64(), BitMap64()) for _ in rules]
    for table in batches(run, run.delta.inserted)() if rules else ():
        found = [
            joined(known, table.filter(judged(table, r, run.schema))) for known, r in zip(found, rules, strict=True)
        ]
    return found


def joined(known: Break, violating: pa.Table) -> Break:
    """A break with more violating rows."""
    ids = violating[ROW_ID].to_pylist()
    more = (witness_alone(violating, i) for i in range(min(len(ids), EXAMPLES - len(known.witnesses))))
    rows = known.rows | BitMap64(ids)
    return Break(rows, rows, (*known.witnesses, *more))


def first_delta(run: TableRun, rows: BitMap64) -> str:
    """The first of the run's deltas that brought one of these rows; empty: none did."""
    ids = run.delta.delta_ids
    if not rows or not ids or ids[0] == ids[-1]:
        return ids[0] if rows and ids else ""
    wanted, found = pa.array(rows, pa.int64()), set[str]()
    for path in run.store.verified(run.delta.inserted):
        rows_there = ds.dataset(path, format="parquet").to_table([ROW_ID, DELTA_ID])
        found.update(rows_there.filter(pc.is_in(rows_there[ROW_ID], wanted))[DELTA_ID].to_pylist())
    return min(filter(None, found), key=in_order, default="")


def _read(run: TableRun) -> ColumnBook | None:
    """The rules in the base version, which a rebuild goes on from too: rows do not tell how they came.

    None: there are none, or they are kept in the form of an earlier release.
    """
    refs = run.base.files_of(ROLE, run.table) if run.base else ()
    kept = run.store.read_json(refs[0]) if refs else {}
    return ColumnBook.from_json(kept) if kept.get("format") == FORMAT else None


def _begun(run: TableRun, rows: RowDelta) -> ColumnBook:
    """The book of a table whose columns have not been followed: its rows so far count as one delta."""
    book = ColumnBook(TableHistory.empty(run.schema))
    return book if rows.staying is None else advance(book, _earlier(run, rows), run.schema, ())[0]


def _taken_up(run: TableRun, rows: RowDelta, book: ColumnBook, followed: Sequence[ColumnRule]) -> ColumnBook:
    """The book with the rules that a person wants and nobody has learnt: counted over the rows that there were."""
    known = {kept.rule.fingerprint for kept in book.kept}
    new = [rule for rule in followed if rule.fingerprint in run.pinned - known and not rule.rule.of_deltas]
    if not new:
        return book
    there = rows.staying is not None and not run.rebuild
    tables = [table for _, table in _earlier(run, rows).batches()] if there else []
    counted = [Kept(rule, sum(pc.sum(judged(t, rule, run.schema)).as_py() or 0 for t in tables)) for rule in new]
    return replace(book, kept=(*book.kept, *counted))


def _earlier(run: TableRun, rows: RowDelta) -> Arrived:
    """The rows of a table that has been followed without its columns so far, as if they had come in one delta."""
    names = run.schema.names
    going = batches(run, run.delta.deleted)
    label = run.base.label if run.base else ""
    return Arrived((label,), [lambda: ((label, table) for table in (*_kept(rows, names), *going()))])


def _kept(rows: RowDelta, names: Sequence[str]) -> Iterator[pa.Table]:
    return iter(()) if rows.staying is None else rows.staying.portions(names)


def arrived(run: TableRun) -> Arrived:
    """What the run brings to its table, batch by batch."""
    ids = run.delta.delta_ids
    only = ids[0] if len(ids) == 1 else run.run_id
    deleted = batches(run, run.delta.deleted)
    aside = frozenset(i for table in batches(run, run.delta.aside)() for i in table[ROW_ID].to_pylist())
    parts = [_ComingBatches(path, only) for path in run.store.verified(run.delta.inserted)]
    retold = [_ComingBatches(path, only, aside) for path in run.store.verified(run.delta.arrived)]
    gone = () if run.rebuild else deleted()
    renewed = _renewed(run, deleted) if ids else None
    pieces = in_turn if run.delta.inserts < FEW_ROWS else by_spare_tasks(run.spark)
    return Arrived(ids, parts, gone, renewed, run.delta.releases, run.options.roles, pieces, retold)


@dataclass(frozen=True, slots=True)
class _ComingBatches:
    """The rows of a file, batch by batch, each with its delta; ``only``: the one that rows come with who name none.

    Rows that were set ``aside`` are left out.
    """

    path: str
    only: str
    aside: frozenset[int] = frozenset()

    def __call__(self) -> Iterator[tuple[str, pa.Table]]:
        for batch in _batches([self.path]):
            ids = pa.array(self.aside, pa.int64())
            table = batch.filter(pc.invert(pc.is_in(batch[ROW_ID], ids))) if self.aside else batch
            present = pc.unique(table[DELTA_ID]).to_pylist() if DELTA_ID in table.column_names else [None]
            for delta_id in present:
                rows = table.filter(pc.equal(table[DELTA_ID], delta_id)) if len(present) > 1 else table
                yield (self.only if delta_id is None else delta_id, rows)


def batches(run: TableRun, part: Sequence[FileRef]) -> Callable[[], Iterator[pa.Table]]:
    """What reads a part of the run's delta, batch by batch."""
    return lambda: _batches(run.store.verified(part))


def _batches(paths: Sequence[str]) -> Iterator[pa.Table]:
    for batch in ds.dataset(paths, format="parquet").to_batches():
        if batch.num_rows:
            yield pa.Table.from_batches([batch])


def _renewed(run: TableRun, deleted: Callable[[], Iterator[pa.Table]]) -> Callable[[pa.Table], pa.Array] | None:
    """Which rows that come have the key of one that goes."""
    key = run.schema.key
    gone = {row for table in deleted() for row in _keys(table, key)} if key and run.delta.updates else set()
    return (lambda rows: pa.array([row in gone for row in _keys(rows, key)], pa.bool_())) if gone else None


def _keys(rows: pa.Table, key: Sequence[str]) -> Iterator[tuple[object, ...]]:
    return zip(*(rows[name].to_pylist() for name in key), strict=True)


def _broken(run: TableRun, found: Broken) -> BrokenConstraint:
    if found.verdict:
        figures = {"delta": found.delta_id, "measured": found.verdict.measured, "usual": found.verdict.usual}
        return BrokenConstraint(0, (Witness(figures),), delta=found.delta_id)
    witnesses = tuple(witness_alone(table, i) for table in found.examples for i in range(len(table)))
    first = BitMap64(row for table in found.examples for row in table[ROW_ID].to_pylist())
    return BrokenConstraint(found.rows, witnesses, delta=found.delta_id or first_delta(run, first))
