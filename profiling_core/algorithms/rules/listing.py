"""The list of a maintained table: chosen as ``holdfast discover`` chooses, with the knowledge of maintenance.

Beside the rules that the searches find there are the engine's constraints that no search looks for (orders between
rows, keys and dependencies within a threshold), and rules of single columns, learnt from deltas.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from profiling_core.algorithms.columns.calendar import Untested
from profiling_core.algorithms.denial.ranking.score import Ranked, expected_of
from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.rejection import Rejections
from profiling_core.algorithms.rules.selection import select
from profiling_core.model.constraint import Constraint, Kind
from profiling_core.model.kept_away import KeptAway
from profiling_core.model.kinds.column import ColumnRule, Rule
from profiling_core.model.predicate import Operator, Predicate
from profiling_core.model.role import ColumnRole, Role

# −log₁₀ of the chance that there is no violation; ten expected violations is the least for a constraint of the engine.
_LEAST_RARE = 1.0


@dataclass(frozen=True)
class Sources:
    """The sources of a table's candidates.

    ``found`` are those of the searches, violated ones among them; ``ranked`` the engine's; ``columns`` the rules of
    single columns; both best first. ``untested`` are the columns, and the keys over them, that no two rows of different
    deltas have tested. ``roles`` are those of the columns, as far as they are known; ``referring`` are the columns that
    are
    found to refer to another table.
    """

    found: Sequence[Candidate]
    ranked: Sequence[Ranked]
    columns: Sequence[Ranked]
    untested: Untested
    roles: Mapping[str, ColumnRole]
    referring: Collection[str] = ()


@dataclass(frozen=True)
class Listing:
    """Constraints best first; the first ``shown`` were chosen. And the constraints kept away, with reasons."""

    ranked: tuple[Ranked, ...]
    shown: int
    kept_away: tuple[KeptAway, ...]


def listed(sources: Sources, limit: int, rejected: Sequence[Constraint] = ()) -> Listing:
    """The list of a table; candidates that are not chosen stand after it, so that followed rules are not lost at once.

    Args:
        sources: the candidates.
        limit: how many are chosen at most.
        rejected: the constraints that people have rejected.
    """
    found = [c for c in sources.found if c.measured.holds]
    tested = [c for c in found if not _needs(c.constraint, sources.untested)]
    rejections = Rejections(rejected)
    there, away = rejections.parted([*tested, *_ranked(sources)])
    chosen = select(there, limit, roles=sources.roles)
    scores = {_name(r): r for r in (*sources.ranked, *sources.columns)}
    order = [*chosen.shown, *chosen.left_out, *chosen.implied]
    ranked = [scores.get(c.constraint.fingerprint, c.ranked) for c in order]
    ranked += [replace(c.ranked, score=0.0) for c in found if c not in tested]
    told = {*map(_name, ranked), *(kept.constraint.fingerprint for kept in away)}
    return Listing((*ranked, *_rest(sources, told)), len(chosen.shown), away)


def _ranked(sources: Sources) -> Iterator[Candidate]:
    """The engine's constraints and rules of single columns that no search looks for."""
    yield from (_of_engine(ranked) for ranked in sources.ranked if _may_be_told(ranked, sources))
    for ranked in sources.columns:
        if _may_be_learnt(ranked.measured.constraint, sources):
            yield Candidate(ranked.measured, Family.COLUMN, 0.0, ranked.score)


def _rest(sources: Sources, told: Collection[str]) -> Iterator[Ranked]:
    """The engine's constraints that are not listed yet; untested ones score 0."""
    for ranked in sources.ranked:
        if _name(ranked) not in told:
            untested = _needs(ranked.measured.constraint, sources.untested)
            yield replace(ranked, score=0.0) if untested else ranked


def _name(ranked: Ranked) -> str:
    return ranked.measured.constraint.fingerprint


def _of_engine(ranked: Ranked) -> Candidate:
    measured = ranked.measured
    single = all(p.is_single_row for p in measured.constraint.denied)
    expected = expected_of(ranked.score, measured.violations, single_row=single)
    return Candidate(measured, _family(ranked), ranked.score, ranked.score, expected)


def _family(ranked: Ranked) -> Family:
    """Keys and dependencies within a threshold were asked for; other constraints of the engine are rare."""
    return {Kind.UCC: Family.KEY, Kind.FD: Family.DEPENDENCY}.get(ranked.measured.constraint.kind, Family.RARE)


def _may_be_told(ranked: Ranked, sources: Sources) -> bool:
    """Whether a constraint of the engine fits the roles and no search looks for it.

    A search, where there was one, judges all keys and dependencies that hold, by a fitted score.
    """
    constraint = ranked.measured.constraint
    if ranked.score < _LEAST_RARE or not constraint.reads_plainly or _needs(constraint, sources.untested):
        return False
    is_searched = bool(sources.found) and ranked.measured.holds and constraint.kind in (Kind.FD, Kind.UCC)
    if is_searched or constraint.fingerprint in {c.constraint.fingerprint for c in sources.found}:
        return False
    return all(_suits(p, sources.roles) for p in constraint.denied) and _names_rows(constraint, sources.roles)


def _may_be_learnt(rule: Constraint, sources: Sources) -> bool:
    """Whether roles allow a rule of one column: no list of values for identifiers, no bounds for names.

    Any day brings another identifier, and a greater number of a row.
    """
    if not isinstance(rule, ColumnRule) or not (role := sources.roles.get(rule.column)):
        return not isinstance(rule, ColumnRule) or rule.rule is not Rule.VALUES or rule.column not in sources.referring
    if rule.rule is Rule.VALUES:
        return rule.column not in sources.referring and role.role not in (Role.IDENTIFIER, Role.REFERENCE)
    if rule.rule is Rule.RANGE:
        return role.role not in (Role.IDENTIFIER, Role.REFERENCE, Role.CODE)
    others = [sources.roles[name] for name in rule.others if name in sources.roles]
    return rule.rule is not Rule.AT_MOST or all(role.compares_by_order(other) for other in others)


def _suits(predicate: Predicate, roles: Mapping[str, ColumnRole]) -> bool:
    """Whether roles allow a predicate: order between ordered columns, equality between columns of the same role."""
    left, right = (roles.get(operand.column) for operand in (predicate.left, predicate.right))
    if left is None or right is None:
        return True
    if predicate.is_same_column:
        return predicate.op in (Operator.EQ, Operator.NE) or left.role.is_ordered
    if predicate.op in (Operator.EQ, Operator.NE):
        return left.role is right.role
    return left.compares_by_order(right)


def _names_rows(constraint: Constraint, roles: Mapping[str, ColumnRole]) -> bool:
    """Whether a key, or a dependency's left side, has no measured column."""
    columns = constraint.columns if constraint.kind is Kind.UCC else constraint.determinant
    return all(roles[c].role not in (Role.QUANTITY, Role.MOMENT) for c in columns if c in roles)


def _needs(constraint: Constraint, untested: Untested) -> bool:
    """Whether a constraint is on rows that agree on columns in which no rows of different deltas have agreed."""
    equal = {p.left.column for p in constraint.denied if p.op is Operator.EQ and p.is_same_column}
    if equal & untested.unrepeated:
        return True
    others = set(constraint.columns) - equal
    return bool(equal) and equal <= untested.returning and others <= untested.rising
