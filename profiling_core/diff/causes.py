"""What has one cause is put together: findings that share rows or columns, or that a finding about a load explains.

A wrong column breaks every rule that speaks of it, a wrong row every rule that it is put to, and half a file all that
refers to it. People want to hear of each once.
"""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from math import expm1, inf

from profiling_core.diff.proposals import reconciled, without_half_mends
from profiling_core.model.finding import CONSTRAINT, REFUSAL, REJECTS, SHRUNK, Finding

# So large a share of the rows of the one with fewer has to be among the other's.
_SHARED = 0.5
# What says what happened to the file, and what only follows from it; all else about a load stands between.
_FOLLOWS = 2
_TELLING = {
    REFUSAL: 0,
    SHRUNK: 0,
    "repeated load": 0,
    "repeated rows": 0,
    "totals": 0,
    "copied": 0,
    "exchanged": 0,
    "moved": 0,
    "precision": _FOLLOWS,
    "mix": _FOLLOWS,
    "spread": _FOLLOWS,
}
_MISSING = "completeness"
_Identity = str | frozenset[tuple[str, str | None]]


def by_cause(findings: Sequence[Finding]) -> list[tuple[Finding, ...]]:
    """The findings of one version in groups of one cause, the diagnosis of each first; none that only explain.

    The group whose diagnosis concerns most rows comes first, before all what concerns the load as a whole, and what a
    person asked for.

    Args:
        findings: in the order in which they would be told alone.
    """
    groups: list[list[Finding]] = []
    for finding in findings:
        same = [group for group in groups if any(_have_one_cause(finding, other) for other in group)]
        merged = [*(other for group in same for other in group), finding]
        groups = [group for group in groups if group not in same] + [merged]
    groups = [group for group in groups if not all(finding.explains for finding in group)]
    place = {id(finding): number for number, finding in enumerate(findings)}
    told = sorted(groups, key=lambda group: min(place[id(finding)] for finding in group))
    causes = (ordered(sorted(group, key=lambda finding: place[id(finding)])) for group in told)
    return sorted(causes, key=lambda group: -_concerned(group[0]))


def _concerned(diagnosis: Finding) -> float:
    """How many rows a cause concerns: more than any number if it is a signed rule's, or the load's as a whole."""
    as_a_whole = not diagnosis.count and (diagnosis.whole_load or diagnosis.kind in (REFUSAL, SHRUNK))
    return inf if diagnosis.signed or as_a_whole else diagnosis.count


def ordered(group: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings of one cause, the diagnosis first; those that say as much in the order in which they are given.

    What they propose to change does not contradict itself.
    """
    group = without_half_mends(group)
    first = sorted(group, key=lambda finding: (*_weight(finding, group), -_blamed(finding, group)))
    return reconciled(sorted(first, key=lambda finding: any(_is_beyond(other, finding) for other in group)))


def is_explained(finding: Finding, shown: Finding) -> bool:
    """Whether another finding of the same version accounts for all of one.

    A load does for what names no row, and where all of its rows are wrong; else most rows have to be the same.
    """
    if finding.signed or shown.signed:
        return False
    if finding.explains:
        return _have_one_cause(finding, shown)
    if finding.table == shown.table and finding.count <= shown.count and _share_rows(finding, shown):
        return True
    names_no_row = finding.whole_load and not finding.count
    if names_no_row and {finding.kind, shown.kind} == {_MISSING}:
        return finding.table == shown.table and _lacks_as_much(shown, finding)
    return _explains(shown, finding) and (
        names_no_row or finding.table != shown.table or 0 < shown.count == shown.arrived
    )


def _lacks_as_much(one: Finding, other: Finding) -> bool:
    """Whether at least as many rows are missing by one finding as by another; their sizes say how many."""
    return (one.size or 0.0) <= (other.size or 0.0)


def _weight(finding: Finding, group: Sequence[Finding]) -> tuple[int, float]:
    """A load as a whole explains rejects, and these explain rules; what names a cause comes before what shows it.

    What only follows from a cause, and cannot say what cells should be, explains no rule that names more rows: new
    values bring rows of their own.
    """
    if finding.whole_load or finding.kind == REFUSAL:
        beyond = _beyond_the_usual(finding)
        place = _FOLLOWS if beyond else _TELLING.get(finding.kind, 1)
        follows = place == _FOLLOWS and not any(row.expected for row in finding.rows)
        shown = beyond or finding.count
        more = follows and any(other.count > shown for other in group if other.kind == CONSTRAINT)
        return (5 if more else place), -finding.magnitude
    return (3, 0.0) if finding.kind == REJECTS else (4, -finding.magnitude)


def _beyond_the_usual(finding: Finding) -> float:
    """How many rows came beyond the usual number, by the size in logarithms; 0 if a finding counts none."""
    more = finding.kind == "row count" and (finding.size or 0.0) > 0
    return -expm1(-(finding.size or 0.0)) * (finding.arrived + 1) if more else 0.0


def _blamed(rule: Finding, group: Sequence[Finding]) -> float:
    """How many of the group speak of the columns in which a rule shows it: the wrong cell is where most agree.

    A wrong tax breaks the rule on totals, too, which alone would have the total changed.
    """
    if rule.kind != CONSTRAINT or not rule.columns:
        return 0.0
    return sum(name in other.columns for name in rule.columns for other in group) / len(rule.columns)


def _have_one_cause(one: Finding, other: Finding) -> bool:
    if one.signed or other.signed:  # who asked for a rule hears of it by itself
        return False
    if _explains(one, other) or _explains(other, one):
        return True
    if _miss_the_same(one, other):
        return True
    if one.table != other.table:
        return False
    if {one.kind, other.kind} == {_MISSING}:  # rows that did not come lack in every column that tells them apart
        return True
    whole = (one.explains and one.whole_load) or (other.explains and other.whole_load)  # its rows are those of all
    return bool(set(one.columns) & set(other.columns)) or (not whole and _share_rows(one, other))


def _is_beyond(cause: Finding, finding: Finding) -> bool:
    """Whether it shows in a column of another table to which a finding refers, in rows or values that this names."""
    columns = set(cause.columns) & set(finding.refers_at)
    return cause.table in finding.refers_to and bool(columns) and _may_contradict(finding, cause, columns)


def _may_contradict(child: Finding, parent: Finding, columns: Collection[str]) -> bool:
    """Whether a child has what a wrong parent should have, or contradicts it; true where that is not known of all."""
    right = [{row.expected[name] for name in columns if name in row.expected} for row in parent.rows]
    if parent.whole_load or len(right) < parent.count or not all(right):
        return True
    said = {row.values.get(name) for row in child.rows for name in row.wrong}
    beside = {row.beside_identity for row in child.rows} - {""}
    return bool(said & set().union(*right) or beside & {row.identity for row in parent.rows})


def _explains(load: Finding, other: Finding) -> bool:
    """Whether a finding on a whole load, on a referenced table or on rejected rows explains another finding."""
    if load.table in other.refers_to and load.table != other.table:
        if load.kind == REJECTS:
            return len(_missing(other)) <= load.count
        # Rows that are there are referred to all the same, whatever is odd in their other columns.
        elsewhere = load.count > 0 and bool(load.columns) and bool(other.refers_at)
        return load.kind == REFUSAL or _is_beyond(load, other) or (load.whole_load and not elsewhere)
    if not load.whole_load or load.table != other.table:
        return False
    return not load.columns or bool(set(load.columns) & set(other.columns))


def _miss_the_same(one: Finding, other: Finding) -> bool:
    """Whether both refer to the same columns of another table, and mostly lack the same values there."""
    places = {(finding.refers_to, finding.refers_at) for finding in (one, other)}
    return len(places) == 1 and bool(one.refers_at) and _share(_missing(one), _missing(other))


def _missing(finding: Finding) -> set[tuple[str | None, ...]]:
    """The different values that the rows shown have in their wrong cells; a rejected row accounts for one of them."""
    return {tuple(row.values.get(name) for name in row.wrong) for row in finding.rows}


def _share_rows(one: Finding, other: Finding) -> bool:
    return _share(_rows(one), _rows(other))


def _share(ours: AbstractSet[object], theirs: AbstractSet[object]) -> bool:
    fewest = min(len(ours), len(theirs))
    return fewest > 0 and len(ours & theirs) >= _SHARED * fewest


def _rows(finding: Finding) -> set[_Identity]:
    """The rows that show a finding, without those that are known too little to be told from others."""
    return {
        row.identity or frozenset(row.values.items()) for row in finding.rows if row.identity or len(row.values) > 1
    }
