"""Check digits: the usual schemes are found, and what only looks like one is not."""

import random

import pyarrow as pa
import pytest

from profiling_core.algorithms.budget import Budget
from profiling_core.algorithms.equations.check_digits import check_digits
from profiling_core.algorithms.equations.discovery import find_equations
from profiling_core.ingest.infer import schema_of
from profiling_core.model.expression import CheckDigits


def digits(count: int, rng: random.Random) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def weighed(text: str, weights) -> int:
    return sum(int(digit) * weight for digit, weight in zip(text, weights, strict=True))


def luhn(text: str) -> str:
    doubled = [sum(map(int, str(int(d) * (2 - place % 2)))) for place, d in enumerate(reversed(text))]
    return text + str(-sum(doubled) % 10)


def ean(rng):
    text = "34009" + digits(7, rng)
    return text + str(-weighed(text, [1, 3] * 6) % 10)


def cpf(rng):
    text = digits(9, rng)
    for first in (10, 11):
        text += str(-weighed(text, range(first, 1, -1)) % 11 % 10)
    return text


def iban(rng):
    account = digits(18, rng)
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def tax_number(rng):
    text = digits(7, rng)
    return f"{text}{-weighed(text, (9, 7, 3, 1, 9, 7, 3)) % 10}-{rng.choice('12')}-{rng.choice(['13', '42'])}"


def airline_ticket(rng):
    text = rng.choice("123456789") + digits(8, rng)
    return int(text + str(int(text) % 7))


def person(rng):
    born = f"{rng.randint(0, 99):02d}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}"
    code = luhn(born + digits(3, rng))
    return f"{rng.choice(['19', '20'])}{code[:6]}-{code[6:]}"


def found(codes: list) -> list[str]:
    table = pa.table({"code": codes})
    equations = find_equations(table, schema_of("t", table.schema, "t"), {})
    return [one.constraint.text for one in equations if isinstance(one.constraint.value, CheckDigits)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (ean, ["code = 12 characters + check digit modulo 10"]),
        (cpf, ["code = 10 characters + check digit modulo 11", "code = 9 characters + check digit modulo 11 + …"]),
        (iban, ["code = 20 characters + check digits modulo 97"]),
        (tax_number, ["code = 7 characters + check digit modulo 10 + …"]),
        (airline_ticket, ["code = 9 characters + check digit modulo 7"]),
        (lambda rng: luhn("6027" + digits(8, rng)), ["code = 12 characters + check digit by Luhn"]),
        (person, ["code = 12 characters + check digit by Luhn"]),
    ],
)
def test_schemes_in_use_are_found(code, expected):
    rng = random.Random(1)
    assert sorted(found([code(rng) for _ in range(200)])) == sorted(expected)


@pytest.mark.parametrize(
    "codes",
    [
        pytest.param([f"C{number:05d}" for number in range(200)], id="counted"),
        pytest.param([f"C{7 * number + 3:05d}" for number in range(200)], id="counted in steps of seven"),
        pytest.param([digits(8, random.Random(seed)) for seed in range(200)], id="random"),
        pytest.param([f"{year}/{(year + 1) % 100:02d}" for year in range(1950, 2025)], id="seasons"),
        pytest.param([luhn(digits(9, random.Random(seed))) for seed in range(6)], id="too few"),
        pytest.param([luhn(digits(9, random.Random(seed))) for seed in range(6)] * 30, id="the same ones again"),
    ],
)
def test_other_codes_have_none(codes):
    assert found(codes) == []


def test_a_spent_budget_proposes_nothing():
    codes = pa.table({"code": [luhn(digits(9, random.Random(seed))) for seed in range(100)]})
    assert len(list(check_digits(codes))) == 1
    assert list(check_digits(codes, Budget.of(0.0))) == []


def test_a_digit_that_seldom_changes_is_weighed_as_well():
    rng = random.Random(2)
    codes = [ean(rng) for _ in range(5_000)]
    other = "35009" + digits(7, rng)
    codes.append(other + str(-weighed(other, [1, 3] * 6) % 10))
    assert found(codes) == ["code = 12 characters + check digit modulo 10"]


def test_the_words_tell_the_weights():
    value = CheckDigits("isbn", (10, 9, 8, 0), 3, 11, 3, 1)
    said = "a code of 4 characters that ends with a check digit modulo 11, the digits before times 10, 9 and 8, plus 3"
    assert value.words == said
    assert CheckDigits("c", (0, 0, -1, -1), 0, 97, 0, 2).text == "check digits modulo 97 + …"
