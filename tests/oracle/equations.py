"""Equations within a row, straight from docs/semantics.md, "Equations within a row"."""

import math
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

MICROSECOND = timedelta(microseconds=1)
UNITS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def judge(equation, row):  # noqa: PLR0911  # one for each way to compute
    """None: the row is not judged; else whether it violates the equation.

    Args:
        equation: the equation.
        row: column name → Python value: int, Decimal, float, date, datetime, str, None.
    """
    values = [row[name] for name in equation.columns if name not in equation.value.optional]
    row = row | {name: 0 for name in equation.value.optional if is_missing(row[name])}
    if any(map(is_missing, values)):
        return None
    values = [row[name] for name in equation.columns]
    target = row[equation.column]
    if equation.value.form == "whole_parts":
        return counts_otherwise(equation.value, target, row)
    if equation.value.form == "logarithm":
        return differs_from_logarithm(equation, target, row)
    if any(isinstance(v, float) for v in values) and not isinstance(target, date):
        return judge_doubles(equation, target, row)
    value = exact_value(equation.value, row)
    if value is None:
        return None
    if isinstance(target, int) and isinstance(value, str):
        digits = set(value) <= set("0123456789") and 1 <= len(value) <= 18
        return int(value) != target if digits else None
    if isinstance(value, Fraction):
        return abs(Fraction(target) - value) > half_unit(equation.precision)
    return target != value


def is_missing(value):
    return value is None or (isinstance(value, float) and math.isnan(value))


def half_unit(precision):
    """How far the sides may be apart: half a unit of the last decimal, none for whole numbers, or what is stated."""
    decimals, halves = precision.decimals or 0, precision.halves
    if halves is None:
        halves = 1 if decimals else 0
    return Fraction(halves, 2) * Fraction(1, 10) ** decimals


def exact_value(value, row):  # noqa: C901, PLR0911, PLR0912  # one line per form
    match value.form:
        case "linear" if len(value.terms) == 1 and isinstance(row[value.columns[0]], (str, date)):
            return row[value.columns[0]]
        case "linear" | "sum_of_what_is_there":
            return sum((Fraction(f) * Fraction(row[c]) for f, c in value.terms), Fraction(value.constant))
        case "product":
            return exact_product(value, row)
        case "logarithm":
            found = logarithm(value, row)
            return found and Fraction(found[0])
        case "relative_difference":
            if row[value.of] == 0:
                return None
            return (
                Fraction(value.factor)
                * (Fraction(row[value.more]) - Fraction(row[value.less]))
                / Fraction(row[value.of])
            )
        case "elapsed" | "late":
            span = moment(row[value.later]) - moment(row[value.earlier])
            found = Fraction(span // MICROSECOND, 10**6) / UNITS[value.unit] + value.plus
            return max(Fraction(0), found) if value.form == "late" else found
        case "stamped":
            return stamped(value, str(row[value.code]), moved(row[value.date], value.months))
        case "inscribed":
            text = abridged(value.length, value.column, row)
            text = text.upper() if value.case == "upper" else text.lower() if value.case == "lower" else text
            return put_in(str(row[value.code]), text, value.start)
        case "check_digits":
            return checked(value, str(row[value.code]))
        case "shifted":
            return row[value.column] + timedelta(seconds=value.amount * UNITS[value.unit])
        case "polynomial":
            return sum(
                (Fraction(f) * math.prod((Fraction(row[c]) for c in columns), start=Fraction(1)))
                for f, columns in value.terms
            )
        case "completed":
            return Fraction(full_years_or_months(value, row))
        case "months_on":
            return months_on(value, row)
        case "on_day":
            return moment(row[value.column]).date() + timedelta(days=value.days)
        case "part":
            return part(value.part, row[value.column])
        case "joined":
            return "".join(str(row[text]) if is_column else text for is_column, text in value.parts)
        case "abridged":
            whole = "".join(abridged(length, text, row) for length, text in value.parts)
            return whole.upper() if value.case == "upper" else whole.lower() if value.case == "lower" else whole
        case "cut":
            return cut(value, str(row[value.column]))


def counts_otherwise(value, target, row):
    """Whether the column is not how many parts there are; None where each part has nothing."""
    under = row[value.under] if value.under else 1
    if under == 0:
        return None
    over, unit = row[value.over], Fraction(value.unit)
    rounded = math.ceil if value.up else math.floor
    if any(isinstance(v, float) for v in (target, over, under)):
        size = float(unit) * (float(under) if value.under else 1.0)
        found = float(over) / size if size else math.copysign(math.inf, float(over)) if over else math.nan
        return float(target) != (rounded(found) if math.isfinite(found) else found)
    return Fraction(target) != rounded(Fraction(over) / (Fraction(under) * unit))


def exact_product(value, row):
    found = Fraction(value.factor)
    for column in value.over:
        found *= Fraction(row[column])
    if value.under:
        if row[value.under] == 0:
            return None
        found /= Fraction(row[value.under])
    return found * (1 + Fraction(row[value.rate]) / Fraction(value.base)) if value.rate else found


def moment(value):
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day, tzinfo=UTC)


def full_years_or_months(value, row):
    """From one day on: a year, or a month, is full when its day and month, or its day, have come again."""
    fixed = date.fromisoformat(value.on) if value.on else None
    later, earlier = (moment(row[name]).date() if name else fixed for name in (value.later, value.earlier))
    match value.unit:
        case "calendar years":
            return later.year - earlier.year
        case "calendar days":
            return later.toordinal() - earlier.toordinal()
        case "years":
            return later.year - earlier.year - ((later.month, later.day) < (earlier.month, earlier.day))
        case "months":
            months = 12 * (later.year - earlier.year) + later.month - earlier.month
            return months - (later.day < earlier.day)


def months_on(value, row):
    """The same day of a later month, or its last one; None where a column asks for no whole number, or for too much."""
    day = moment(row[value.column]).date()
    months = Fraction(value.months)
    if value.by:
        if Fraction(row[value.by]).denominator != 1 or abs(row[value.by] * value.months) > 1_200:
            return None
        months *= Fraction(row[value.by])
    year, month = divmod(day.year * 12 + day.month - 1 + int(months), 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    days = value.days
    if value.days_by:
        if Fraction(row[value.days_by]).denominator != 1 or abs(row[value.days_by]) > 36_525:
            return None
        days += int(row[value.days_by])
    return date(year, month + 1, 1 if value.first else min(day.day, last)) + timedelta(days=days)


def part(name, value):
    iso = value.isocalendar()
    number = {
        "year": value.year,
        "quarter": (value.month + 2) // 3,
        "month": value.month,
        "day": value.day,
        "day of year": value.timetuple().tm_yday,
        "week": iso.week,
        "weekday": iso.weekday,
        "weekday from 0": iso.weekday - 1,
        "weekday from Sunday": iso.weekday % 7 + 1,
        "hour": getattr(value, "hour", 0),
        "minute": getattr(value, "minute", 0),
    }
    texts = {
        "year and month": "%Y-%m",
        "name of the weekday": "%A",
        "name of the month": "%B",
        "short name of the weekday": "%a",
        "short name of the month": "%b",
    }
    if name == "date":
        return date(value.year, value.month, value.day)
    return value.strftime(texts[name]) if name in texts else Fraction(number[name])


def abridged(length, text, row):
    """A constant, the whole of a column's text, perhaps with zeros in front, or what it begins or ends with."""
    if length == 0:
        return text
    if length > 1000:
        return "".join(list(str(row[text]))[-(length - 1000) :])
    # −1 is the whole text, an empty one too; below it there are zeros in front.
    return str(row[text]).rjust(-length if length < -1 else 0, "0") if length < 0 else str(row[text])[:length]


def stamped(value, code, date):
    """The code with the date in its place, one character after the other; None where it is too short."""
    quarter, following = str((date.month + 2) // 3), f"{(date.year + 1) % 100:02d}"
    written = date.strftime(value.pattern.replace("%q", quarter).replace("%N", following))
    return put_in(code, written, value.start if value.start >= 0 else len(code) + value.start)


def checked(value, code):
    """The code with its check digits; None where it has another length, or a character that counts is no digit."""
    end, total = value.start + value.size, value.plus
    if len(code) != len(value.weights):
        return None
    for place, (character, weight) in enumerate(zip(code, value.weights, strict=True)):
        if weight or value.start <= place < end:
            if character not in "0123456789":
                return None
            digit = int(character)
            behind = sum(1 for other in value.weights[place + 1 :] if other)
            if value.doubled and weight and behind % 2 == 0:
                digit = sum(map(int, str(2 * digit)))
            total += weight * digit
    right = str(total % value.modulus)[-value.size :].rjust(value.size, "0")
    same = int(code[value.start : end]) % value.modulus == int(right) % value.modulus
    return code if same else put_in(code, right, value.start)


def put_in(code, written, first):
    if first < 0 or first + len(written) > len(code):
        return None
    characters = list(code)
    characters[first : first + len(written)] = written
    return "".join(characters)


def moved(day, months):
    """The first of the month some months later; the day itself if the number is zero."""
    if not months:
        return day
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, 1)


def cut(value, text):
    if value.side == "first":
        return text[value.start :][: value.length]
    if value.side == "last":
        return text[max(0, len(text) - value.length) :]
    if value.separator not in text:
        return None
    if value.side == "piece":
        pieces = text.split(value.separator)
        return pieces[value.length - 1] if len(pieces) >= value.length else None
    return text.split(value.separator)[0] if value.side == "before" else text.split(value.separator)[-1]


def differs_from_logarithm(equation, target, row):
    """In doubles, whatever the columns are; the column counts as one more where its size matters."""
    found = logarithm(equation.value, row)
    return None if found is None else beyond(equation.precision, float(target), abs(float(target)) + 1.0, *found)


def logarithm(value, row):
    """Its value, and the absolute values of what it is made of; None where there is no logarithm."""
    arguments = [float(row[value.over]) + value.plus]
    arguments += [float(row[value.under])] if value.under else []
    if not all(argument > 0 for argument in arguments):
        return None
    base = {"e": 1.0, "10": math.log(10.0), "2": math.log(2.0)}[value.base]
    logs = [math.log(argument) / base for argument in arguments]
    return logs[0] - sum(logs[1:]), sum(map(abs, logs))


def judge_doubles(equation, target, row):
    found = doubles(equation.value, row)
    if found is None:
        return None
    return beyond(equation.precision, float(target), abs(float(target)), *found)


def beyond(precision, a, size, value, magnitude):
    """Whether two doubles are further apart than the tolerance."""
    if (precision.decimals, precision.digits, precision.halves) == (None, None, None):
        room = 1e-9 * (size + magnitude)
    else:
        room = float(half_unit(precision)) + 1e-12 * (size + magnitude)
        if precision.digits is not None:
            room += 0.5 * 10.0 ** (1 - precision.digits) * size
    return abs(a - value) > room


def doubles(value, row):  # noqa: C901, PLR0911  # one step per form
    """The expression's value, and its summands' absolute values added up."""
    if value.form == "logarithm":
        return logarithm(value, row)
    if value.form in ("linear", "sum_of_what_is_there"):
        summands = [float(Fraction(f)) * float(row[c]) for f, c in value.terms]
        found = summands[0]
        for summand in summands[1:]:
            found += summand
        constant = float(Fraction(value.constant))
        return found + constant, sum(map(abs, summands)) + abs(constant)
    if value.form == "polynomial":
        return summed([multiplied(f, columns, row) for f, columns in value.terms])
    if value.form == "relative_difference":
        if row[value.of] == 0:
            return None
        found = float(Fraction(value.factor)) * (float(row[value.more]) - float(row[value.less])) / float(row[value.of])
        return found, abs(found)
    if value.form != "product":
        found = float(exact_value(value, row))
        return found, abs(found)
    found = float(Fraction(value.factor))
    for column in value.over:
        found *= float(row[column])
    if value.under:
        if row[value.under] == 0:
            return None
        found /= float(row[value.under])
    if value.rate:
        found *= 1.0 + float(row[value.rate]) / float(Fraction(value.base))
    return found, abs(found)


def multiplied(factor, columns, row):
    found = float(Fraction(factor))
    for column in columns:
        found *= float(row[column])
    return found


def summed(summands):
    """From left to right; and the absolute values, added up."""
    found = summands[0]
    for summand in summands[1:]:
        found += summand
    return found, sum(map(abs, summands))


def figures(equation, rows):
    """How many rows are judged, and how many of them violate."""
    judged = [found for row in rows if (found := judge(equation, row)) is not None]
    return len(judged), sum(judged)
