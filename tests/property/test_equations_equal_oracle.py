"""Equations: each row is judged as the oracle judges it, and figures follow inserts, deletes and updates."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from helpers.examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle import equations as oracle

from profiling_core.algorithms.equations.counting import count, recount
from profiling_core.model.constraint import Constraint, Measured
from profiling_core.model.expression import (
    LAST,
    PIECE,
    WHOLE,
    Abridged,
    CheckDigits,
    Completed,
    Cut,
    DatePart,
    Elapsed,
    Inscribed,
    Joined,
    Late,
    Linear,
    Logarithm,
    MonthsOn,
    OnDay,
    Part,
    Polynomial,
    Precision,
    Product,
    RelativeDifference,
    Shifted,
    Stamped,
    SumOfWhatIsThere,
    WholeParts,
)
from profiling_core.model.kinds.equation import Equation

NUMBERS = {
    "i": pa.int64(),
    "j": pa.int64(),
    "d": pa.decimal128(20, 2),
    "e": pa.decimal128(38, 6),
    "x": pa.float64(),
    "y": pa.float64(),
}
OTHERS = {"p": pa.date32(), "q": pa.date32(), "m": pa.timestamp("us", tz="UTC"), "s": pa.string(), "t": pa.string()}
TYPES = pa.schema([*NUMBERS.items(), *OTHERS.items()])
FACTORS = ["1", "1", "1", "-1", "100", "0.01", "0.19", "1/60", "1000000007"]


def value(rng: random.Random, name: str):  # noqa: PLR0911  # one line per column
    if rng.random() < 0.08:
        return None
    huge = rng.random() < 0.05
    match name:
        case "i" | "j":
            return (
                rng.choice([2**63 - 1, -(2**63), 2**53 + 1])
                if huge
                else rng.choice([0, 1, 2, 3, 6, -4, 100, 240229, 1202412])
            )
        case "d":
            return Decimal(rng.choice([10**17 + 1, -(10**17)]) if huge else rng.randint(-9, 300)).scaleb(-2)
        case "e":
            return Decimal(rng.choice([10**30 + 7]) if huge else rng.randint(-3, 30) * 10**4).scaleb(-6)
        case "x" | "y":
            return rng.choice([1e300, -1e-300, 0.1 + 0.2, 2.0**53]) if huge else rng.choice([0.0, 0.1, 0.3, 2.0, 2.5])
        case "p" | "q":
            return date(2024, 2, 27) + timedelta(days=rng.randint(-400, 4))
        case "m":
            return datetime(2024, 12, 30, 23, tzinfo=UTC) + timedelta(
                hours=rng.randint(0, 60), seconds=rng.choice([0, 30])
            )
    return rng.choice(
        [
            "x2402-7",
            "24W09",
            "2024-12",
            "270224",
            "ab",
            "AB",
            "a-b",
            "a-b-c",
            "",
            "straße",
            "STRASSE",
            "ab-ab",
            "a",
            "ä😀",
            "3",
            "06-2",
            "100-3",
            "2-ab",
            "+3",
        ]
    )


def table(rows: list[dict]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=TYPES)


def some_row(rng: random.Random) -> dict:
    return {name: value(rng, name) for name in TYPES.names}


def some_equation(rng: random.Random) -> Equation:  # noqa: C901, PLR0911, PLR0912  # one line per form
    pick = lambda names, size: [rng.choice(list(names)) for _ in range(size)]  # noqa: E731
    factor = lambda: rng.choice(FACTORS)  # noqa: E731
    a, b, c, d = pick(NUMBERS, 4)
    precision = rng.choice([Precision(0), Precision(2), Precision(6), Precision(), Precision(7, 9)])
    if not {a, b, c, d} & {"x", "y"}:
        precision = Precision(rng.choice([0, 2, 6]))
    if rng.random() < 0.3:
        precision = Precision(rng.choice([-2, -1, 0, 1, 2]), None, rng.randint(1, 4))
    if rng.random() < 0.15:
        return equation_of_gaps_and_signs(rng, precision)
    if rng.random() < 0.15:
        return equation_by_the_calendar(rng, precision)
    if rng.random() < 0.15:
        return equation_put_together(rng, a, (b, c, d), precision)
    if rng.random() < 0.2:
        unit = rng.choice(["1", "7", "0.5", "60"])
        parts = WholeParts(b, rng.choice(["", c]), unit, up=rng.random() < 0.5)
        return Equation(
            "t", a, rng.choice([parts, RelativeDifference(b, c, rng.choice([b, c, d]), factor())]), precision
        )
    if rng.random() < 0.1:
        under = rng.choice(["", "", c])
        return Equation(
            "t", a, Logarithm(b, under, rng.choice(["e", "10", "2"]), 0 if under else rng.choice([0, 1])), precision
        )
    form = rng.randrange(10)
    if form == 0 and rng.random() < 0.3:
        return Equation("t", a, Linear(tuple((factor(), name) for name in NUMBERS), "3"), precision)
    if form == 0:
        return Equation("t", a, Linear(((factor(), b), (factor(), c)), rng.choice(["0", "24", "0.5"])), precision)
    if form == 1:
        return Equation("t", a, Linear(((factor(), b),)), precision)
    if form == 2:
        return Equation("t", a, Product((b, c), factor(), rng.choice(["", d])), precision)
    if form == 3:
        return Equation("t", a, Product((b,), factor(), "", d, rng.choice(["1", "-1", "100", "-100"])), precision)
    if form == 4:
        unit = rng.choice(["days", "hours", "minutes", "seconds"])
        return Equation("t", a, Elapsed(*pick(["p", "q", "m"], 2), unit, rng.choice([0, 1])), precision)
    if form == 5:
        name = rng.choice(["p", "q", "m"])
        if name == "m":
            return Equation("t", "p", OnDay("m", rng.randint(-3, 3)))
        target = {"p": "q", "q": "p"}[name]
        return Equation("t", target, rng.choice([Shifted(name, rng.randint(-3, 3)), Linear((("1", name),))]))
    return equation_of_texts(rng, form) if form > 6 else equation_of_a_part(rng)


def equation_of_gaps_and_signs(rng: random.Random, precision: Precision) -> Equation:
    """Sums in which nulls count as nought, and products of three columns."""
    whole = not rng.random() < 0.4
    names = rng.sample(["i", "j", "d", "e"] if whole else ["x", "y", "i", "d"], 4)
    if not whole:  # that one is always a double, whatever lacks
        names.sort(key=lambda name: name != "x")
    elif precision.digits or precision.decimals is None:
        precision = Precision(2)
    target, *others = names
    if rng.random() < 0.5:
        terms = tuple((rng.choice(FACTORS), name) for name in others)
        return Equation("t", target, SumOfWhatIsThere(terms, "0", tuple(others[1 : rng.randint(2, 3)])), precision)
    return Equation("t", target, Product(tuple(others), rng.choice(FACTORS)), precision)


def equation_by_the_calendar(rng: random.Random, precision: Precision) -> Equation:
    """Months on, by constants or a column, and the full years and months between two dates."""
    date_, by = rng.choice(["p", "q", "m"]), rng.choice(["", "i", "d"])
    target = "q" if date_ == "p" else "p"
    if rng.random() < 0.5:
        months = rng.choice([1, 12, 3, -2]) if by else rng.choice([0, 1, 3, 12, 6, -1, 804])
        on = MonthsOn(date_, months, by, rng.choice([0, 0, -1, 2]), first=rng.random() < 0.3)
        return Equation("t", target, replace(on, days_by=rng.choice(["", "", "i", "d", "x"])))
    unit, fixed = (
        rng.choice(["years", "months", "calendar years", "calendar days"]),
        rng.choice(["", "2024-02-29", "1999-12-31"]),
    )
    ends = rng.choice([("p", "q"), ("m", "p"), ("q", "m")])
    ends = rng.choice([(ends[0], ""), ("", ends[1])]) if fixed else ends
    return Equation("t", rng.choice(["i", "d", "x"]), Completed(*ends, unit, fixed), precision)


def equation_put_together(rng: random.Random, target: str, others: tuple[str, ...], precision: Precision) -> Equation:
    """Sums of products, and the time that something is late."""
    b, c, d = others
    factor = lambda: rng.choice(FACTORS)  # noqa: E731
    form = rng.randrange(3)
    if form == 0:
        return Equation("t", target, Polynomial(((factor(), (b, c)), (factor(), (d,)))), precision)
    if form == 1:
        one = factor()
        return Equation("t", target, Polynomial(((one, (b, d)), (f"-{one.strip('-')}", (c, d)))), precision)
    ends = rng.choice([("p", "q"), ("q", "p"), ("p", "m")])
    return Equation("t", target, Late(*ends, rng.choice(["days", "hours"]), rng.choice([0, 0, 1])), precision)


def equation_of_a_stamp(rng: random.Random) -> Equation:
    pattern = rng.choice(
        ["%Y", "%y", "%y%m", "%Y-%m", "%m%d", "%y%j", "%d%m%y", "%GW%V", "%V", "%y-Q%q", "%q", "%Y/%N"]
    )
    code = rng.choice(["s", "i"])
    shifted = any(part in pattern for part in ("%q", "%N", "%m")) or pattern == "%Y"
    months = rng.choice([0, 0, -8, -1, 3, 6]) if shifted else 0
    stamp = Stamped(code, rng.choice(["p", "q", "m"]), pattern, 0, months)
    return Equation("t", code, replace(stamp, start=rng.choice([0, 1, 2, -stamp.size, -stamp.size - 1])))


def equation_of_check_digits(rng: random.Random) -> Equation:
    length, size, modulus = rng.choice([2, 3, 5, 6, 6, 7]), rng.choice([1, 1, 2]), rng.choice([7, 10, 11, 97, 101])
    start = rng.randint(0, length - size)
    weights = [rng.choice([0, 1, 3, -2, 96]) for _ in range(length)]
    weights[start : start + size] = [0] * size
    code, doubled = rng.choice(["s", "t", "i"]), rng.random() < 0.4
    return Equation("t", code, CheckDigits(code, tuple(weights), rng.randrange(modulus), modulus, start, size, doubled))


def equation_of_a_part(rng: random.Random) -> Equation:
    part = rng.choice(list(DatePart))
    named = "name" in part or part is DatePart.YEAR_MONTH
    target = "s" if named else "p" if part is DatePart.DATE else rng.choice(["i", "d", "x"])
    return Equation("t", target, Part(part.value, "m" if target == "p" else rng.choice(["p", "m"])), Precision(0))


def equation_of_texts(rng: random.Random, form: int) -> Equation:
    pick = lambda names, size: [rng.choice(list(names)) for _ in range(size)]  # noqa: E731
    if rng.random() < 0.4:
        return rng.choice([equation_of_a_stamp, equation_of_a_stamp, equation_of_check_digits])(rng)
    if form == 7:
        columns = pick(["s", "i"], 2)
        return Equation("t", "t", Joined(((True, columns[0]), (False, rng.choice(["-", " "])), (True, columns[1]))))
    if form == 8:
        parts = [
            (rng.choice([WHOLE, 0, 1, 2, -2, -3, LAST + 1, LAST + 2]), name)
            for name in pick(["s", "i", "t"], rng.randint(1, 3))
        ]
        return Equation("t", "t", Abridged((*parts, (1, "s")), rng.choice(["", "upper", "lower"])))
    if rng.random() < 0.2:
        case, start = rng.choice(["", "upper", "lower"]), rng.choice([0, 0, 1, 2])
        names = rng.choice([("s", "t"), ("s", "i"), ("t", "s")])
        return Equation("t", names[0], Inscribed(*names, rng.choice([WHOLE, 1, 2, -2]), case, start))
    side = rng.choice(["first", "last", "before", "after", PIECE])
    source = rng.choice(["s", "s", "i"])
    cut = Cut(source, side, length=rng.randint(1, 3)) if side in ("first", "last") else Cut(source, side, separator="-")
    cut = replace(cut, length=rng.choice([2, 3])) if side == PIECE else cut
    cut = replace(cut, start=rng.choice([0, 1, 2])) if side == "first" else cut
    if rng.random() < 0.4:
        return Equation("t", "j", cut, Precision(0))
    return Equation("t", "t", rng.choice([cut, Linear((("1", "s"),))]))


def fulfilled(rng: random.Random, equation: Equation, row: dict) -> dict:
    """A row whose column is what the equation says, or next to it, where that can be written."""
    if None in row.values() or rng.random() < 0.3:
        return row
    wanted, kind = None, TYPES.field(equation.column).type
    try:
        if pa.types.is_floating(kind):
            wanted = oracle.doubles(equation.value, row)[0] + rng.choice([0.0, 0.0, 0.004, -0.005, 0.006])
        else:
            wanted = oracle.exact_value(
                equation.value, {n: Decimal(v) if isinstance(v, float) else v for n, v in row.items()}
            )
        if pa.types.is_decimal(kind):
            near = round(wanted * 10**kind.scale) + rng.choice([0, 0, 0, 1])
            wanted = Decimal(near).scaleb(-kind.scale)
        elif pa.types.is_integer(kind) and isinstance(wanted, str):
            wanted = int(wanted) + rng.choice([0, 0, 1])
        elif pa.types.is_integer(kind):
            wanted = round(wanted) + rng.choice([0, 0, 1])
        pa.scalar(wanted, kind)
    except (TypeError, ArithmeticError, ValueError, pa.ArrowException):
        return row
    return row | {equation.column: wanted}


@given(seed=st.integers(0, 2**32))
@example(seed=1439)  # an empty text, put whole into another one
@example(seed=357537528)  # divides by the least number of 64 bits, which has no absolute value there
@settings(max_examples=examples(2000), deadline=None)
def test_figures_follow_deltas_as_brute_force_counts(seed: int):
    rng = random.Random(seed)
    equation = some_equation(rng)
    rows = [fulfilled(rng, equation, some_row(rng)) for _ in range(rng.randint(0, 6))]
    measured = count(equation, table(rows))
    assert (measured.population, measured.violations) == oracle.figures(equation, rows)
    for _ in range(rng.randint(1, 3)):
        going = rng.sample(rows, rng.randint(0, len(rows)))
        coming = [fulfilled(rng, equation, some_row(rng)) for _ in range(rng.randint(0, 3))]
        coming += [row | {equation.column: value(rng, equation.column)} for row in going[:1]]
        rows = [row for row in rows if not any(row is gone for gone in going)] + coming
        measured = recount(measured, equation, [table(coming)], [table(going)])
        assert measured == count(equation, table(rows))
        assert (measured.population, measured.violations) == oracle.figures(equation, rows)


@pytest.mark.parametrize("seed", range(60))
def test_equations_survive_json_and_renaming(seed: int):
    equation = some_equation(random.Random(seed))
    assert Constraint.from_json(equation.to_json()) == equation
    assert Measured.from_json(Measured(equation, 1, 2, 2).to_json()).constraint == equation
    there = {name: f"new_{name}" for name in TYPES.names}
    back = {new: old for old, new in there.items()}
    moved = equation.renamed({"t": there})
    assert set(moved.columns) == {there[name] for name in equation.columns}
    assert moved.renamed({"t": back}) == equation
    assert all(name in moved.text for name in moved.columns)
    assert all(name in moved.words for name in moved.columns)
