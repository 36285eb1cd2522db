"""Row counts, values that are missing or have another share, stuck columns and sizes: docs/loads.md, "Loads"."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb, exp, expm1, isnan, log, log1p, log2, nan, sqrt
from statistics import fmean, median
from typing import Any

from oracle import load_figures as figure
from oracle.load_case import Case, Found, Row, counted, is_of_loads, values_of
from profiling_core.algorithms.roles.names import identifies, words

FACTORS = (10, 100, 1000, 1e6, 24, 60, 3600, 1.609, 2.2046, 2.54, 3.2808, 25.4)


def volume(case: Case) -> Iterator[Found]:
    before = [log1p(len(rows)) for rows in case.before]
    now = len(case.rows)
    expected, spread, chance = case.judged(before, log1p(now), 1 / (1 + now))
    usual = expm1(expected)
    if not isnan(expected):
        counts = [len(rows) for rows in case.before[-28:]]
        middle = fmean(counts)
        if not middle:
            chance = max(chance, figure.poisson(now, 0.5 / len(counts), 1.0))
        else:
            off = fmean([(count - middle) ** 2 for count in counts]) / middle
            off = min(1.0, max(0.001, min(off, spread * spread * usual)))
            chance = max(chance, figure.poisson(now, usual, off))
        if spread > log(1.5) and min(counts) * exp(-spread) <= now <= max(counts) * exp(spread):
            return
    if chance < case.level and abs(now - usual) > max(0.5, 0.01 * usual):
        yield "row count", frozenset(), frozenset()


def categories(case: Case) -> Iterator[Found]:
    for column, kind in case.kinds.items():
        mix = _mix_of(case, column, kind)
        if mix is not None:
            before, now, values = mix
            gone = list(_missing(case, column, before, now))
            yield from gone or _mix(case, column, before, now, values)


def _mix_of(case: Case, column: str, kind: str) -> tuple[list[Counter[Any]], Counter[Any], list[Any]] | None:
    """The counts of a column's values, load by load and now, where there are few enough of them."""
    before = [counted(rows, column, kind) for rows in case.before]
    now = counted(case.rows, column, kind)
    if now is None or None in before or len(before) < 7 or not now:
        return None
    known = [load for load in before if load is not None]
    values = sorted(set(now).union(*known), key=lambda value: str(value).lower() if kind == "truth" else str(value))
    few = median(len(load) for load in known) >= 2 and 2 <= len(values) <= (24 if kind == "whole" else 200)
    return (known, now, values) if few else None


def _missing(case: Case, column: str, before: Sequence[Counter[Any]], now: Counter[Any]) -> Iterator[Found]:
    latest = before[-28:]
    usual = [value for value in set().union(*latest) if all(load[value] for load in latest)]
    gone = [value for value in usual if not now[value]]
    if not gone:
        return
    those = [sum(load[value] for value in gone) for load in latest]
    rows = [load.total() for load in latest]
    part = sum(those) / sum(rows)
    off = fmean([(n - total * part) ** 2 / (total * part) for n, total in zip(those, rows, strict=True)])
    dispersion = max(0.25, off + 1 / sum(those))
    shares = [(sum(load[value] for value in gone), load.total()) for load in before]
    by_share = max(exp(-now.total() * part / dispersion), case.chance_of_share(shares, (0.0, now.total()))[1])
    chance = min(1.0, 2 * min(by_share, _none_as_a_number(case, before, now, gone)))
    chance = max(chance, _ends(before) ** len(gone))
    if chance * comb(len(usual), len(gone)) < case.level:
        yield "completeness", frozenset({column}), frozenset()


def _none_as_a_number(case: Case, before: Sequence[Counter[Any]], now: Counter[Any], gone: Sequence[Any]) -> float:
    numbers = [sum(load[value] for value in gone) for load in before]
    others = [load.total() - number for load, number in zip(before, numbers, strict=True)]
    if now.total() < median(others[-28:]) / 2:
        return 1.0
    middle = fmean(numbers[-28:])
    off = max(0.25, fmean([(number - middle) ** 2 for number in numbers[-28:]]) / middle)
    chance = off ** (-middle / (off - 1)) if off > 1 else exp(-middle / off)
    return max(chance, case.judged([sqrt(number) for number in numbers], 0.0, 0.5)[2])


def _ends(before: Sequence[Counter[Any]]) -> float:
    ended, there = 0, 0
    for value in set().union(*before):
        came = [load[value] > 0 for load in before]
        there += sum(came)
        ended += "".join("x" if one else "." for one in came).rstrip(".").endswith("x" * 7) and not any(came[-7:])
    return ended / max(1, there)


def _mix(
    case: Case, column: str, before: Sequence[Counter[Any]], now: Counter[Any], values: Sequence[Any]
) -> Iterator[Found]:
    news, change = {}, {}
    for value in values:
        shares = [load[value] / load.total() if load else nan for load in before]
        share = now[value] / now.total()
        counts = [(load[value], load.total()) for load in before]
        usual, chance = case.chance_of_share(counts, (now[value], now.total()))
        known = [one for one in shares if not isnan(one)]
        times = max(share, usual) / max(1e-9, min(share, usual))
        change[value] = share - usual, abs(share - usual) > 0.15 or (abs(share - usual) > 0.03 and times > 3)
        stable = fmean([load[value] > 0 for load in before[-28:]]) > 0.8
        if chance < case.level / len(values) and change[value][1] and stable and _beyond(share, known, now.total()):
            news[value] = chance
    least = min(news, key=lambda v: news[v]) if news else min(values, key=lambda v: change[v][0])
    rows = sum(load.total() for load in before[-28:])
    if not news and _of_the_whole(case, before, now) >= case.level:
        return
    most = max(values, key=lambda v: change[v][0])
    for told in (most, least) if change[most][0] > 0.075 else (least,):
        usually = (sum(load[told] for load in before[-28:]) + 0.5) / (rows + 1)
        luck = len(values) * figure.chernoff(now[told], now.total(), usually)
        if change[told][1] and luck < case.level:
            yield "mix", frozenset({column}), case.places(column, told) if change[told][0] > 0 else frozenset()
            return


def _beyond(share: float, known: Sequence[float], rows: int) -> bool:
    most, least = max(known), min(known)
    above = share > most + 2 * sqrt(most * (1 - most) / rows) + 1 / rows
    return above or share < least - 2 * sqrt(least * (1 - least) / rows) - 1 / rows


def _of_the_whole(case: Case, before: Sequence[Counter[Any]], now: Counter[Any]) -> float:
    distances = []
    for at, load in enumerate([*before, now]):
        usual: Counter[Any] = sum([*before, now][max(0, at - 28) : at], Counter())
        if at < 7 or not load:
            distances.append(nan)
            continue
        parts = [sqrt(load[v] / load.total()) - sqrt(usual[v] / max(1, usual.total())) for v in {*load, *usual}]
        distances.append(sqrt(load.total() * sum(part * part for part in parts) / 2))
    if distances[-1] <= 1.25 * max([d for d in distances[:-1] if not isnan(d)], default=0.0):
        return 1.0
    if any(load and _are_of_one_mix(load, now) for load in before):
        return 1.0
    return case.judged(distances[:-1], distances[-1], 0.5)[2]


def has_mix_of(case: Case, weekday: int) -> bool:
    """Whether each mix that is judged is that of some load of the weekday."""
    mixes = [mix for column, kind in case.kinds.items() if (mix := _mix_of(case, column, kind)) is not None]
    return all(
        any(
            load and day.weekday() == weekday and _are_of_one_mix(load, now)
            for load, day in zip(before, case.days, strict=True)
        )
        for before, now, _ in mixes
    )


def _are_of_one_mix(load: Counter[Any], now: Counter[Any]) -> bool:
    """Whether chance makes two samples so unlike of one mix: chi squared, two standard deviations beyond its mean."""
    values = {*load, *now}
    parts = [sqrt(load[v] / load.total()) - sqrt(now[v] / now.total()) for v in values]
    freedom = max(1, len(values) - 1)
    squares = 4 * sum(part * part for part in parts) * load.total() * now.total() / (load.total() + now.total())
    return squares <= freedom + 2 * sqrt(2 * freedom)


def _top(rows: Sequence[Row], column: str, kind: str) -> tuple[float, int]:
    """The share of the commonest value and how many there are; among different rows where values are not counted."""
    counts = counted(rows, column, kind) or Counter()
    if not counts:
        counts = Counter(values_of(rows, column))
        if len(counts) > 1:
            counts = Counter(values_of([dict(row) for row in {tuple(row.items()) for row in rows}], column))
    return (round(max(counts.values()) / counts.total(), 4), len(counts)) if counts else (0.0, 0)


def stuck(case: Case) -> Iterator[Found]:
    for column, kind in case.kinds.items():
        values = values_of(case.rows, column)
        loads = [values_of(rows, column) for rows in case.before]
        tops = [_top(rows, column, kind)[0] for rows in case.before]
        several = [(set(load), top) for load, top in zip(loads, tops, strict=True) if len(load) > 1]
        if len(several) < 7 or len(values) < 2:
            continue
        level = case.level / len(case.kinds)
        various = [top for different, top in several if len(different) > 1]
        if len(set(values)) == 1:
            same = len(several) - len(various)
            chance = fmean([top ** (len(values) - 1) for top in various] or [1.0])
            if (not same or (same + 1) * 50 <= len(several)) and chance < level:
                yield "stuck", frozenset({column}), case.places(column)
        elif _mix_of(case, column, kind) is None:
            now = _top(case.rows, column, kind)[0]
            shares = [
                (top * len(load), len(load)) if len(load) > 1 else (nan, nan)
                for load, top in zip(loads, tops, strict=True)
            ]
            usual, chance = case.chance_of_share(shares, (now * len(values), len(values)))
            if chance < level and now > max(various, default=1.0) and now - usual > 0.25:
                counts = Counter(values)
                most = next(value for value in counts if counts[value] == max(counts.values()))
                yield "stuck", frozenset({column}), case.places(column, most)


def _has_both_signs(case: Case, column: str) -> bool:
    every = [value for rows in case.before for value in values_of(rows, column)]
    return 0.02 * len(every) < sum(value < 0 for value in every) < 0.98 * len(every)


def _spread(numbers: Sequence[float]) -> float | None:
    low, high = figure.size(numbers, 0.25), figure.size(numbers, 0.75)
    return None if low is None or high is None else high - low


def _named(shift: float, spread: float) -> bool:
    away = min(abs(abs(shift) - log2(factor)) for factor in FACTORS)
    return away < (0.06 if abs(shift) < 3 else min(0.6, max(0.15, 2 * spread)))


def _by_digits(case: Case, column: str, shift: float) -> bool:
    """Whether of several factors within a doubling only one leaves as few digits as usual, three at most."""
    loads = [load for rows in case.before if (load := values_of(rows, column))]
    usual = max((figure.digits(number) for load in loads for number in load), default=6)
    near = [factor for factor in FACTORS if abs(abs(shift) - log2(factor)) < 1]
    fit = [
        factor
        for factor in near
        if all(figure.digits(n / factor if shift > 0 else n * factor) <= usual for n in values_of(case.rows, column))
    ]
    return usual < 4 and len(near) > 1 and len(fit) == 1


def scale(case: Case) -> Iterator[Found]:
    told, among = set(), len(case.numbers)
    for column in case.numbers:
        values = values_of(case.rows, column)
        now = figure.size(values, 0.5)
        if is_of_loads(case, column) or now is None or len(case.before) < 7:
            continue
        sizes = [figure.size(values_of(rows, column), 0.5) for rows in case.before]
        usual = figure.middle([s for rows in case.before if (s := _spread(values_of(rows, column))) is not None])
        known = [nan if s is None else s for s in sizes]
        floor = 1.25 * usual / 1.35 / sqrt(len(values))
        expected, spread, chance = case.judged(known, now, 1 / 16, floor)
        shift = now - expected
        factor = _named(shift, spread) or _by_digits(case, column, shift)
        if chance >= case.level / among or not (factor or (abs(shift) >= 1.5 and chance <= 1e-3 * case.level / among)):
            continue
        if (abs(shift) < 4.5 and _has_both_signs(case, column)) or (shift < 0 and identifies(words(column))):
            continue
        if abs(shift) < 3 and abs((_spread(values) or 0.0) - usual) > max(0.25, 0.2 * usual):
            continue
        there = [s for s in known if not isnan(s)]
        if not min(there) - 0.15 <= now <= max(there) + 0.15:
            told.add(column)
            yield "scale", frozenset({column}), frozenset(i for i in case.places(column) if case.rows[i][column])
    yield from _scale_of_groups(case, told)


def _groups(case: Case, rows: Sequence[Row]) -> dict[tuple[str, Any, str], float]:
    """Per text of few values, value and number the median of the logarithms, of groups of four and more."""
    kept = [dict(row) for row in {tuple(row.items()) for row in rows}]
    texts = [name for name, kind in case.kinds.items() if kind in ("text", "truth")]
    few = [name for name in texts if 1 < len(counted(rows, name, "text") or ()) <= 12][:3]
    found = {}
    for by in few:
        for value in set(values_of(rows, by)):
            for name in case.numbers:
                sizes = [log2(abs(row[name])) for row in kept if row[by] == value and row[name]]
                if len(sizes) >= 4:
                    found[by, value, name] = round(median(sizes), 4)
    return found


def _scale_of_groups(case: Case, told: set[str]) -> Iterator[Found]:
    apart = {name for name in case.numbers if is_of_loads(case, name) or _has_both_signs(case, name)}
    apart |= {name for name in case.numbers if identifies(words(name))}
    now = {group: s for group, s in _groups(case, case.rows).items() if group[2] not in told | apart}
    before = [_groups(case, rows) for rows in case.before]
    best: dict[str, tuple[float, tuple[str, Any]]] = {}
    for (by, value, name), size in now.items() if len(before) >= 7 else ():
        sizes = [load.get((by, value, name), nan) for load in before]
        expected, spread, chance = case.judged(sizes, size, 1 / 16)
        known = [s for s in sizes if not isnan(s)]
        beyond = not known or not min(known) - 0.15 <= size <= max(known) + 0.15
        kept = [dict(row) for row in {tuple(row.items()) for row in case.rows}]
        own = sorted(log2(abs(row[name])) for row in kept if row[by] == value and row[name])
        noise = 1.25 * (_percentile(own, 0.75) - _percentile(own, 0.25)) / 1.35 / sqrt(len(own))
        known = beyond and chance < case.level / len(now) and _named(size - expected, spread)
        luck = _luck(case, (by, value, name), now, before) if known else 1.0
        if (
            known
            and abs(size - expected) > 4 * noise
            and luck < case.level / len(now)
            and chance < best.get(name, (1.0,))[0]
        ):
            best[name] = chance, (by, value)
    for name, (_, (by, value)) in best.items():
        yield "scale", frozenset({name, by}), frozenset(i for i in case.places(by, value) if case.rows[i][name])


def _luck(
    case: Case,
    group: tuple[str, Any, str],
    now: Mapping[tuple[str, Any, str], float],
    before: Sequence[Mapping[tuple[str, Any, str], float]],
) -> float:
    """The chance that so many of a group's rows lie half of its shift away, were they as those of the other groups."""
    by, _, name = group
    usual = {g: case.judged([load.get(g, nan) for load in before], s, 1 / 16)[0] for g, s in now.items()}
    shift = now[group] - usual[group]
    rows: dict[bool, list[bool]] = {True: [], False: []}
    for row in [dict(row) for row in {tuple(row.items()) for row in case.rows}]:
        own = (by, row[by], name)
        if row[name] and not isnan(usual.get(own, nan)):
            away = (log2(abs(row[name])) - usual[own]) * (1 if shift > 0 else -1)
            rows[own == group].append(away > abs(shift) / 2)
    share, count = (1 + sum(rows[False])) / (2 + len(rows[False])), len(rows[True])
    return sum(comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(sum(rows[True]), count + 1))


def _percentile(ordered: Sequence[float], part: float) -> float:
    at = part * (len(ordered) - 1)
    low = int(at)
    return ordered[low] + (at - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])
