"""What the choice of rules is told of each: its family, its form, its names, and what is chosen before it."""

from helpers.constraints import fd

from profiling_core.algorithms.rules.candidate import Candidate, Family
from profiling_core.algorithms.rules.gain import FORM, beside, features, form_of
from profiling_core.algorithms.rules.selection import select
from profiling_core.algorithms.score.logistic import Model
from profiling_core.model.consequent import Bounded, Present
from profiling_core.model.constraint import Constraint, Measured, SequenceRule
from profiling_core.model.expression import Linear, Precision
from profiling_core.model.kinds.conditional import Conditional
from profiling_core.model.kinds.equation import Equation
from profiling_core.model.kinds.relation import Beside
from profiling_core.model.role import ColumnRole, Role

ROLES = {name: ColumnRole(name, Role.CATEGORY, "") for name in ("zip", "town", "town_name", "net", "vat", "gross")}


def candidate(rule: Constraint, family: Family, worth: float = 0.0) -> Candidate:
    return Candidate(Measured(rule, 0, 9, 9), family, 9.0, worth)


def test_a_form_has_neither_names_nor_constants():
    assert form_of(Equation("t", "gross", Linear((("1", "net"), ("1", "vat"))), Precision(2))) == "· = · + ·"
    assert form_of(fd("zip town", "net")) == "{·, ·} → ·"
    rule = Conditional("t", "zip", ("1",), Bounded("net", "0", None, strict=True), both_ways=True)
    assert form_of(rule) == "some ⇔ Bounded 0"
    assert form_of(Conditional("t", "zip", (), Present("net", there=False))) == "any ⇒ Present not "


def test_names_with_words_in_common_and_columns_side_by_side_are_told():
    told = features(candidate(fd("town", "town_name"), Family.DEPENDENCY), ROLES)
    assert told["dependency: words in common"] == 0.5
    assert told["dependency: side by side"] == 1.0
    assert told[f"{FORM}dependency {{·}} → ·"] == 1.0
    assert "dependency: words in common" not in features(candidate(fd("zip", "net"), Family.DEPENDENCY), ROLES)


def test_what_is_chosen_already_is_told_of_the_same_columns_alone():
    total = candidate(Equation("t", "gross", Linear((("1", "net"), ("1", "vat"))), Precision(2)), Family.EQUATION)
    part = candidate(fd("net", "vat"), Family.DEPENDENCY)
    assert beside(part, [total])["dependency within equation"] == 1.0
    assert beside(total, [part])["equation around dependency"] == 1.0
    assert beside(part, [total])["dependency: told of"] == 1.0
    assert beside(part, [candidate(fd("vat", "net"), Family.ORDER)])["dependency of the same as order"] == 1.0
    assert beside(candidate(fd("zip", "town"), Family.DEPENDENCY), [total]) == {"dependency: told of": 0.0}


def test_what_chosen_rules_tell_of_the_left_side_is_a_feature():
    chosen = [candidate(fd("zip", "town"), Family.DEPENDENCY), candidate(fd("town", "vat"), Family.DEPENDENCY)]
    assert beside(candidate(fd("town vat", "zip"), Family.DEPENDENCY), chosen)["dependency: turned round"] == 1.0
    assert beside(candidate(fd("town net", "zip"), Family.DEPENDENCY), chosen)["dependency: turned round"] == 0.5
    assert "dependency: turned round" not in beside(candidate(fd("zip net", "town"), Family.DEPENDENCY), chosen)


def test_a_step_along_a_sequence_tells_what_it_says_of_the_row_before_whatever_its_group():
    steps = [SequenceRule("t", group, "b", Beside("a", "=", "c")) for group in ((), ("g",), ("g", "h"))]
    assert {form_of(rule) for rule in steps} == {"· = previous ·"}
    told = features(Candidate(Measured(steps[1], 0, 9, 9), Family.SEQUENCE, 3.0), {})
    assert (told["sequence: step same"], told.get("sequence: step order")) == (1.0, None)


def test_the_likeliest_of_many_candidates_is_chosen_though_others_have_more_evidence():
    likely = candidate(fd("town", "town_name"), Family.DEPENDENCY)
    many = [candidate(fd(f"c{n}", "vat"), Family.DEPENDENCY, worth=9.0) for n in range(100)]
    by = Model({"dependency: ": -2.0, "dependency: words in common": 9.0})
    assert select([*many, likely], roles=ROLES, by=by).shown == (likely,)
