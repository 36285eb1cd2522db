"""What stands beside equations and conditions: bounds that leave a rest are told, what is said already is not."""

import random

import pyarrow as pa
import pytest

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.rules.discovery import Rows, find_rules
from profiling_core.ingest.infer import schema_of

Columns = dict[str, list[object]]


def lines_of(**columns: list[object]) -> list[str]:
    """The rules shown of one table of keys and these columns."""
    length = len(next(iter(columns.values())))
    rows = pa.table({"id": [f"R{i:05}" for i in range(length)], **columns})
    (found,) = find_rules([Rows(schema_of("ta", rows.schema, "here"), rows)], ENDLESS)
    return [rule.constraint.text for rule in found.rules.shown]


def bills(names: tuple[str, str, str], seed: int = 1) -> Columns:
    """What is due, what was paid of it, and the rest, in columns called so, in that order."""
    rng = random.Random(seed)
    due = [rng.randrange(100, 9000) for _ in range(400)]
    paid = [d if rng.random() < 0.7 else rng.randrange(0, d) for d in due]
    return dict(zip(names, (due, paid, [d - p for d, p in zip(due, paid, strict=True)]), strict=True))


def test_what_was_taken_is_not_told_to_be_no_more_than_the_sum_of_it_and_the_rest():
    found = lines_of(**bills(("f1", "f2", "f3")))
    assert "f1 = f2 + f3" in found
    assert "f2 ≤ f1" not in found


def test_of_counts_that_rise_together_one_that_is_always_less_is_told_though_no_row_comes_close():
    """Eight in ten people who may vote do so at most, and places differ in size."""
    rng = random.Random(2)
    may = [rng.randrange(800, 1400) for _ in range(300)]
    cast = [int(m * rng.uniform(0.4, 0.8)) for m in may]
    assert "f2 ≤ f1" in lines_of(f1=may, f2=cast)
    assert "f2 ≤ f1" not in lines_of(f1=may, f2=rng.sample(cast, len(cast)))


@pytest.mark.parametrize(("low", "high"), [("diastolic", "systolic"), ("dbp", "sbp"), ("min_load", "mean_load")])
def test_words_for_the_lesser_and_the_greater_tell_an_order_that_no_row_comes_close_to(low, high):
    rng = random.Random(9)
    lows = [rng.randrange(60, 121) for _ in range(800)]
    assert f"{low} ≤ {high}" in lines_of(**{high: [v + rng.randrange(25, 61) for v in lows], low: lows})


def test_keys_that_differ_in_two_names_of_the_same_are_one():
    """Marks by pupil, subject and term: a subject has a code and a name, a term its length of exam."""
    rng = random.Random(7)
    subjects = {"MA": "Mathematics", "EN": "English", "BI": "Biology", "HI": "History"}
    rows = [(f"S{p:03}", s, t) for p in range(150) for s in subjects for t in (1, 2) if rng.random() < 0.8]
    table = pa.table(
        {
            "student_no": [p for p, _, _ in rows],
            "subject": [s for _, s, _ in rows],
            "subject_name": [subjects[s] for _, s, _ in rows],
            "term": [t for _, _, t in rows],
            "exam_max": [60 if t == 1 else 80 for _, _, t in rows],
            "mark": [rng.randint(1, 6) for _ in rows],
        }
    )
    (found,) = find_rules([Rows(schema_of("marks", table.schema, "here"), table)], ENDLESS)
    keys = [c.constraint.text for c in found.rules.shown if c.constraint.text.startswith("unique")]
    assert keys == ["unique {student_no, subject, term}"]


def test_a_chain_within_a_table_refers_though_no_value_comes_twice():
    """A lease may be the renewal of one before it, and each is renewed once at most."""
    rng = random.Random(8)
    numbers = [f"L{i:05}" for i in range(300)]
    renewed = sorted(rng.sample(range(200), 80))
    renewal = dict(zip(sorted(rng.sample(range(210, 300), 80)), renewed, strict=True))
    table = pa.table(
        {
            "lease_no": numbers,
            "renewal_of": [numbers[renewal[i]] if i in renewal else None for i in range(300)],
            "rent": [rng.randrange(300, 3000) for _ in numbers],
        }
    )
    (found,) = find_rules([Rows(schema_of("leases", table.schema, "here"), table)], ENDLESS)
    assert "leases.renewal_of ⊆ leases.lease_no" in [c.constraint.text for c in found.rules.shown]


def test_goals_at_half_time_are_no_more_than_the_score():
    rng = random.Random(11)
    half = [rng.choice([0, 0, 1, 2]) for _ in range(300)]
    assert "half1 ≤ score1" in lines_of(half1=half, score1=[h + rng.choice([0, 1, 2]) for h in half])


def test_a_code_with_a_towns_first_letter_leaves_it_to_say_which_town():
    """Halle and Hamm begin alike: what a depot's code begins with says less than the depot does."""
    rng = random.Random(3)
    depots = {"H1": "Halle", "H2": "Hamm", "U1": "Ulm", "K1": "Kiel", "K2": "Kiel", "H3": "Halle", "E1": "Essen"}
    came = [rng.choice(list(depots)) for _ in range(300)]
    found = lines_of(depot=came, town=[depots[depot] for depot in came])
    assert {"depot = first 1 of town + …", "{depot} → town"} <= set(found)
