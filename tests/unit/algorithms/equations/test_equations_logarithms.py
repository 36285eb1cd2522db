"""Logarithms are found where a column is one, and not where numbers only go with each other."""

from decimal import Decimal

import numpy as np
import pyarrow as pa
from helpers.found import equations_in as found_in

from profiling_core.algorithms.equations.judging import judge
from profiling_core.algorithms.equations.repairs import wanted
from profiling_core.model.expression import Logarithm, Precision
from profiling_core.model.kinds.equation import Equation


def written(values: np.ndarray, digits: int = 7) -> list[float]:
    return [float(f"{value:.{digits}g}") for value in values]


def test_logarithms_of_columns_and_of_one_more_are_found():
    random = np.random.default_rng(4)
    wage, visits = random.integers(300, 9_000, 400), random.integers(0, 90, 400)
    table = pa.table(
        {
            "wage": wage,
            "lwage": written(np.log(wage)),
            "size": random.integers(1, 10**7, 400),
            "visits": visits,
            "log_visits": np.log1p(visits).round(4),
        }
    )
    magnitude = written(np.log10(table["size"].to_numpy()))
    found = found_in(table.append_column("magnitude", pa.array(magnitude)))
    assert found == {"lwage = ln(wage)", "log_visits = ln(visits + 1)", "magnitude = log₁₀(size)"}


def test_log_odds_are_found_and_what_is_nought_is_not_judged():
    random = np.random.default_rng(6)
    yes, no = random.integers(1, 400, 300), random.integers(1, 400, 300)
    table = pa.table({"yes": yes, "no": no, "odds": written(np.log(yes / no), 9)})
    assert found_in(table) == {"odds = ln(yes / no)"}
    wage = np.where(np.arange(300) % 5, random.integers(3, 900, 300), 0)
    logs = [None if not w else float(f"{np.log(w):.7g}") for w in wage]
    assert found_in(pa.table({"wage": wage, "lwage": pa.array(logs)})) == {"lwage = ln(wage)"}


def test_what_grows_with_a_logarithm_is_none():
    random = np.random.default_rng(7)
    wage = random.integers(300, 9_000, 400)
    near = np.log(wage) + random.normal(0, 1e-3, 400)
    assert found_in(pa.table({"wage": wage, "near": written(near)})) == set()
    assert found_in(pa.table({"wage": wage, "rounded": np.rint(np.log(wage)).astype(int)})) == set()


def test_no_small_number_is_the_logarithm_of_one_more_than_itself():
    random = np.random.default_rng(8)
    assert found_in(pa.table({"discount": random.integers(0, 11, 400) / 100})) == set()


def test_a_logarithm_of_one_is_nought_to_the_last_digits_of_its_argument():
    equation = Equation("t", "odds", Logarithm("yes", "no"), Precision(8, 7))
    rows = pa.table({"odds": [0.0, 3e-8, 1e-3], "yes": [2.0, 2.0, 2.0], "no": [2.0, 2.0, 2.0]})
    assert judge(equation, rows).violating.tolist() == [False, False, True]


def test_a_wrong_logarithm_is_mended_by_what_it_is_of():
    equation = Equation("t", "lwage", Logarithm("wage"), Precision(4))
    rows = pa.table({"lwage": [1.0, 2.0, 3.0], "wage": pa.array([Decimal(5), Decimal(0), None], pa.decimal128(9, 2))})
    assert judge(equation, rows).judged.tolist() == [True, False, False]
    assert wanted(equation, rows)[0] == "1.6094"
