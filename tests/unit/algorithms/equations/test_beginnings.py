"""Initials, codes of first letters, and numbers that stand in codes are found, and hold as the oracle says."""

import random

import pyarrow as pa
from helpers.found import equations_in

from profiling_core.algorithms.equations.beginnings import beginnings

GIVEN = ["Ada", "Ben", "Cora", "Dan", "Eve", "Jürgen"]
FAMILY = ["Abbot", "Baker", "Cole", "Dunn", "Ellis", "Öztürk"]
TOWNS = ["Bonn", "Kiel", "Jena", "Ulm am Berg", "Aachen", "Trier"]


def found_in(columns: dict[str, list]) -> set[str]:
    return equations_in(pa.table(columns))


def people(size: int = 200) -> dict[str, list]:
    rng = random.Random(7)
    return {
        name: [rng.choice(values) for _ in range(size)] for name, values in {"given": GIVEN, "family": FAMILY}.items()
    }


def test_initials_are_what_names_begin_with():
    columns = people()
    both = list(zip(columns["given"], columns["family"], strict=True))
    columns["initials"] = [g[0] + f[0] for g, f in both]
    assert found_in(columns) == {"initials = first 1 of given + first 1 of family"}
    columns["initials"] = [f"{f[0]}. {g[0]}." for g, f in both]
    assert found_in(columns) == {'initials = first 1 of family + ". " + first 1 of given + "."'}


def test_a_login_is_a_letter_and_a_name_in_lower_case():
    columns = people()
    columns["login"] = [f"{g[0]}{f}".lower() for g, f in zip(columns["given"], columns["family"], strict=True)]
    assert found_in(columns) == {"login = lower(first 1 of given + family)"}


def test_a_code_of_first_letters_in_capitals():
    rng = random.Random(3)
    towns = [rng.choice(TOWNS) for _ in range(150)]
    columns = {"town": towns, "code": [f"{t[:3].upper()}-{rng.randrange(10**6)}" for t in towns]}
    columns["short"] = [t[:3].upper() for t in towns]
    assert found_in(columns) == {"short = upper(first 3 of town)"} | {'short = code before "-"'}


def test_whole_numbers_stand_in_codes_and_in_other_numbers():
    rng = random.Random(5)
    years = [rng.randrange(2010, 2024) for _ in range(200)]
    months = [rng.randrange(1, 13) for _ in years]
    columns = {
        "voucher": [f"{y}/{m:02}" for y, m in zip(years, months, strict=True)],
        "year": years,
        "month": months,
        "account": [rng.randrange(1000, 9000) for _ in years],
    }
    columns["class"] = [int(str(account)[0]) for account in columns["account"]]
    assert found_in(columns) == {'voucher = year + "/" + month to 2 digits', "class = first 1 of account"}


def test_texts_that_have_nothing_in_common_are_put_together_of_nothing():
    columns = people()
    rng = random.Random(11)
    columns["initials"] = [rng.choice("ABCDEF") + rng.choice("ABCDEF") for _ in columns["given"]]
    assert found_in(columns) == set()
    assert not list(beginnings({"a": ["x", None, ""]}, {"a": ["x", None, ""], "b": [None, None, None]}))


def test_the_last_characters_of_columns_stand_in_codes():
    rng = random.Random(9)
    size = range(300)
    columns: dict[str, list] = {
        "site": [rng.choice(["MAI", "SHE", "LON", "KEN"]) for _ in size],
        "year": [rng.randrange(2016, 2025) for _ in size],
        "kind": [rng.choice(["Kab", "Spl", "Aus"]) for _ in size],
        "number": [rng.randrange(1, 90) for _ in size],
        "customer": [f"C{rng.randrange(10_000, 99_999)}" for _ in size],
    }
    rows = list(zip(*columns.values(), strict=True))
    columns["licence"] = [f"{s}/{y % 100}-{k.upper()}-{n:02}" for s, y, k, n, _ in rows]
    columns["mandate"] = [f"BW{c[1:]}-01" for *_, c in rows]
    found = found_in(columns)
    assert 'licence = upper(site + "/" + last 2 of year + "-" + kind + "-" + number to 2 digits)' in found
    assert 'mandate = "BW" + last 5 of customer + "-01"' in found
