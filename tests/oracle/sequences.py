"""Rules along a sequence, straight from docs/semantics.md, "Rules along a sequence"."""

from types import SimpleNamespace

from oracle import references
from oracle.conditionals import missing


def figures(rule, rows):
    """Population and violations: pairs of rows and rows before them, those judged and those that violate."""
    judged = [wrong for row in rows for before in rows_before(rule, row, rows) for wrong in judge(rule, row, before)]
    return len(judged), sum(judged)


def rows_before(rule, row, rows):
    """The rows of the group with the greatest value of the order that is less than the row's."""
    names = (*rule.group, rule.by)
    if any(missing(row[name]) for name in names):
        return []
    group = [r for r in rows if not any(missing(r[n]) for n in names) and all(r[n] == row[n] for n in rule.group)]
    earlier = [r[rule.by] for r in group if r[rule.by] < row[rule.by]]
    return [r for r in group if earlier and r[rule.by] == max(earlier)]


def judge(rule, row, before):
    """Whether the pair violates the rule, as the rule along a reference would: nothing where it is not judged."""
    nothing = SimpleNamespace(columns=())
    asked = SimpleNamespace(child=nothing, parent=nothing, relation=rule.step)
    how = {"beside": references.beside, "computed": references.computed}[rule.step.to_json()["form"]]
    return list(how(asked, [row], [before]))
