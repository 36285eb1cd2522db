"""Columns that go together, nulls, texts, digits, and rows that came before: docs/loads.md, "Loads"."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import atanh, inf, isnan, nan, sqrt, tanh
from re import findall
from statistics import fmean, pvariance
from typing import Any

from oracle import load_figures as figure
from oracle.load_case import Case, Found, Row, counted, values_of

Pair = tuple[str, ...]


def joint(case: Case) -> Iterator[Found]:
    """Two columns exchanged, else pairs that have parted."""
    if len(case.before) >= 7:
        exchanged = list(_exchanged(case))
        yield from exchanged or _parted(case)


def _exchanged(case: Case) -> Iterator[Found]:
    sizes = {name: figure.size(values_of(case.rows, name), 0.5) for name in case.numbers}
    now = {name: size for name, size in sizes.items() if size is not None}
    judged = {}
    for name, size in now.items():
        before = [figure.size(values_of(rows, name), 0.5) for rows in case.before]
        judged[name] = case.judged([nan if s is None else s for s in before], size, 1 / 16)
    for one, other in combinations(now, 2) if len(now) > 1 else ():
        sure = max(judged[one][2], judged[other][2]) < case.level / len(now)
        if sure and _fits(now, judged, one, other) and _fits(now, judged, other, one):
            yield "exchange", frozenset({one, other}), frozenset(range(len(case.rows)))
            return


def _fits(now: Mapping[str, float], judged: Mapping[str, tuple[float, float, float]], one: str, other: str) -> bool:
    away = abs(now[one] - judged[other][0])
    return away < 3 * judged[other][1] and away < abs(now[one] - judged[one][0]) / 3


def _different(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [dict(row) for row in {tuple(row.items()): None for row in rows}]


def bonds(loads: Sequence[Sequence[Row]], kinds: Mapping[str, str]) -> list[dict[Pair, float]]:
    """Per load how its columns go together, and with what their values have had in the loads before."""
    found: list[dict[Pair, float]] = []
    habits: list[dict[str, dict[Any, dict[str, float]]]] = []
    for rows in loads:
        found.append(_bonds(rows, kinds) | _habits(rows, kinds, habits))
        habits.append({by: _means(rows, kinds, by) for by in _naming(rows, kinds)})
    return found


def _numbers(kinds: Mapping[str, str]) -> list[str]:
    return [name for name, kind in kinds.items() if kind in ("number", "whole")][:14]


def _bonds(rows: Sequence[Row], kinds: Mapping[str, str]) -> dict[Pair, float]:
    sample = _different(rows)
    ranks = {name: figure.ranks([row[name] for row in sample]) for name in _numbers(kinds)}
    texts = [name for name, kind in kinds.items() if kind in ("text", "truth")]
    few = [name for name in texts if 1 < len(counted(rows, name, "text") or ()) <= 30][:6]
    found: dict[Pair, float | None] = {}
    for one, other in combinations(ranks, 2):
        found[one, other] = figure.correlation(*_both(ranks[one], ranks[other]))
    for by in few:
        for name, places in ranks.items():
            found[by, name] = figure.ratio(*_both([row[by] for row in sample], places))
    for one, other in combinations(few, 2):
        found[one, other] = figure.association(*_both([row[one] for row in sample], [row[other] for row in sample]))
    return {pair: round(bond, 4) for pair, bond in found.items() if bond is not None}


def _habits(
    rows: Sequence[Row], kinds: Mapping[str, str], before: Sequence[Mapping[str, Mapping[Any, Mapping[str, float]]]]
) -> dict[Pair, float]:
    """Per column of few values and number how well rows lie where those of their value have lain."""
    found: dict[Pair, float | None] = {}
    sample = _different(rows)
    for by in _naming(rows, kinds):
        came: Counter[Any] = Counter()
        usual: dict[tuple[Any, str], float] = {}
        for load in before:
            for value, means in load.get(by, {}).items():
                came[value] += 1
                for name, place in means.items():
                    mean = usual.get((value, name), place)
                    usual[value, name] = round(mean + (place - mean) / min(28, came[value]), 4)
        for name in _numbers(kinds):
            if name != by:
                expected = [usual.get((row[by], name)) if came[row[by]] >= 3 else None for row in sample]
                found[by, name, ""] = figure.correlation(*_both(expected, _centred([row[name] for row in sample])))
    return {pair: round(bond, 4) for pair, bond in found.items() if bond is not None}


def _naming(rows: Sequence[Row], kinds: Mapping[str, str]) -> list[str]:
    few = [name for name in kinds if len(counted(rows, name, kinds[name]) or ()) > 1]
    return sorted(few, key=lambda name: kinds[name] == "whole")[:3]


def _means(rows: Sequence[Row], kinds: Mapping[str, str], by: str) -> dict[Any, dict[str, float]]:
    sample = _different(rows)
    found: dict[Any, dict[str, float]] = {value: {} for value in values_of(sample, by)}
    for name in _numbers(kinds):
        own: dict[Any, list[float]] = {}
        for row, place in zip(sample, _centred([row[name] for row in sample]), strict=True):
            if row[by] is not None and place is not None:
                own.setdefault(row[by], []).append(place)
        for value, places in own.items():
            found[value][name] = fmean(places)
    return found


def _centred(values: Sequence[float | None]) -> list[float | None]:
    count = max(1, len(values) - values.count(None))
    return [None if rank is None else (rank + 0.5) / count - 0.5 for rank in figure.ranks(values)]


def _both(one: Sequence[Any], other: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _stretched(bond: float) -> float:
    return atanh(max(-0.999, min(0.999, bond)))


def _parted(case: Case) -> Iterator[Found]:
    now, before = case.bonds[-1], case.bonds[:-1]
    lost: dict[tuple[str, ...], float] = {}
    rows: dict[tuple[str, ...], int] = {}
    sample = _different(case.rows)
    for pair, bond in now.items():
        count = sum(row[pair[0]] is not None and row[pair[1]] is not None for row in sample)
        count = min(count, len(set(values_of(sample, pair[0])))) if len(pair) > 2 else count
        if len(pair) == 2 and case.kinds[pair[1]] in ("number", "whole"):
            pairs = {(row[pair[0]], row[pair[1]]) for row in sample}
            count = min(count, sum(None not in both for both in pairs))
        rows[pair] = max(1, count - 3)
        series = [_stretched(load[pair]) if pair in load else nan for load in before]
        expected, _, chance = case.judged(series, _stretched(bond), 0.0, 1.06 / sqrt(rows[pair]))
        usual = tanh(expected)
        sign = (usual > 0) - (usual < 0)
        loss = abs(usual) - bond * sign
        beyond = bond * sign < min((load[pair] * sign for load in before if pair in load), default=inf)
        if chance < case.level / 2 / len(now) and loss > max(0.15, abs(usual) / 2) and beyond:
            lost[pair] = abs(usual)
    if lost:
        counts = Counter(name for pair in lost for name in pair[:2])
        name = max(counts, key=lambda n: counts[n])
        pair = max((p for p in lost if name in p), key=lambda p: lost[p])
        yield "joint", frozenset(pair[:2]), frozenset(range(len(case.rows)))
    elif now:
        yield from _parted_as_a_whole(case, now, before, rows)


def _parted_as_a_whole(
    case: Case,
    now: Mapping[tuple[str, ...], float],
    before: Sequence[Mapping[tuple[str, ...], float]],
    rows: Mapping[tuple[str, ...], int],
) -> Iterator[Found]:
    usual, sure = {}, {}
    for pair in now:
        known = [load[pair] for load in before if pair in load] or [0.0]
        usual[pair] = fmean(known)
        sure[pair] = usual[pair] / (pvariance(known) + 1 / rows[pair])
    names = list(dict.fromkeys(name for pair in now for name in pair[:2]))
    lost: dict[str, float] = {}
    for name in names:
        own = [pair for pair in now if name in pair[:2]]

        def share(load: Mapping[tuple[str, ...], float], own: Sequence[tuple[str, ...]] = own) -> float:
            there = [pair for pair in own if pair in load]
            weight = sum(usual[pair] * sure[pair] for pair in there)
            return sum(load[pair] * sure[pair] for pair in there) / max(1e-9, weight) if weight > 0 else nan

        by_chance = sqrt(sum(sure[pair] ** 2 / rows[pair] for pair in own))
        floor = by_chance / max(1e-9, sum(usual[pair] * sure[pair] for pair in own))
        shares = [share(load) for load in before]
        expected, _, chance = case.judged(shares, share(now), 0.0, floor)
        beyond = share(now) < min((one for one in shares if not isnan(one)), default=inf)
        if chance < case.level / 2 / len(names) and beyond and share(now) < expected / 2:
            lost[name] = sum((usual[pair] - now[pair]) * sure[pair] for pair in own)
    if lost:
        name = max(lost, key=lambda n: lost[n])
        own = [pair for pair in now if name in pair[:2]]
        pair = max(own, key=lambda p: abs(usual[p]) - now[p] * ((usual[p] > 0) - (usual[p] < 0)))
        yield "joint", frozenset(pair[:2]), frozenset(range(len(case.rows)))


def nulls(case: Case) -> Iterator[Found]:
    if len(case.before) < 7 or not all(case.before):
        return
    for name in case.kinds:
        before = [fmean([row[name] is None for row in rows]) for rows in case.before]
        now = fmean([row[name] is None for row in case.rows])
        counts = [(sum(row[name] is None for row in rows), len(rows)) for rows in case.before]
        usual, chance = case.chance_of_share(counts, (sum(row[name] is None for row in case.rows), len(case.rows)))
        latest = counts[-28:]
        usually = (sum(lacking for lacking, _ in latest) + 0.5) / (sum(rows for _, rows in latest) + 1)
        lacking = sum(row[name] is None for row in case.rows)
        chance = max(chance, figure.chernoff(lacking, len(case.rows), usually))
        if chance < case.level / len(case.kinds) and abs(now - usual) >= 0.2 and not min(before) <= now <= max(before):
            wrong = case.places(name)
            yield "nulls", frozenset({name}), wrong if now < usual else frozenset(range(len(case.rows))) - wrong


def form(case: Case) -> Iterator[Found]:
    for name, kind in case.kinds.items():
        before = [load for rows in case.before if (load := values_of(rows, name))]
        now = values_of(case.rows, name)
        if kind == "text":
            yield from _encoding(case, name, before, now)
            if len(before) >= 7 and now:
                yield from _cut(case, name, before, now)
        elif kind in ("number", "whole") and len(before) >= 7:
            yield from _precision(case, name, before, now)
            if len(before) == len(case.before) and now:
                yield from _signs(case, name, before, now)


def _is_garbled(text: str) -> bool:
    for encoding in ("cp1252", "latin-1"):
        try:
            if len(text.encode(encoding).decode()) < len(text):
                return True
        except UnicodeError:
            continue
    words = [word for word in text.split() if not any(mark in word[1:] for mark in "/:=&@")]
    between = [pair for word in words for pair in findall(r"(?=([^\W\d_])\?([^\W\d_]))", word)]
    return "\ufffd" in text or any(not (before.islower() and after.isupper()) for before, after in between)


def _encoding(case: Case, name: str, before: Sequence[Sequence[str]], now: Sequence[str]) -> Iterator[Found]:
    usual = max((fmean([_is_garbled(text) for text in load]) for load in before), default=1.0)
    wrong = frozenset(i for i in case.places(name) if _is_garbled(case.rows[i][name]))
    if wrong and len(wrong) / len(now) > 3 * usual:
        yield "encoding", frozenset({name}), wrong


def _cut(case: Case, name: str, before: Sequence[Sequence[str]], now: Sequence[str]) -> Iterator[Found]:
    ever = [len(text) for text in values_of(case.ever, name)]
    longest = max(len(text) for text in now)
    distinct = len(set(now))
    chance = (1 - sum(length > longest for length in ever) / len(ever)) ** distinct
    at_end = fmean([len(text) == longest for text in now])
    usually = (ever.count(longest) + 1) / len(ever)
    shorter = longest < min(max(len(text) for text in load) for load in before)
    if chance < case.level / len(case.kinds) and shorter and at_end > max(2 / len(now), 3 * usually):
        yield (
            "truncation",
            frozenset({name}),
            frozenset(i for i in case.places(name) if len(case.rows[i][name]) == longest),
        )


def _precision(case: Case, name: str, before: Sequence[Sequence[float]], now: Sequence[float]) -> Iterator[Found]:
    rows = _different(case.rows) if counted(case.rows, name, case.kinds[name]) is None else case.rows
    distinct = len(set(values_of(rows, name)))
    if distinct < 2:
        return
    grains, loads = (
        [figure.digits(number) for number in now],
        [[figure.digits(number) for number in load] for load in before],
    )
    finest, least, most = max(grains), min(map(max, loads)), max(map(max, loads))
    finer = [fmean([grain > finest for grain in load]) for load in loads]
    level = case.level / len(case.kinds)
    if finest < least and min(finer) > 0.1 and fmean([(1 - part) ** distinct for part in finer]) < level:
        yield "precision", frozenset({name}), case.places(name)
    more, every = sum(grain > most for grain in grains), sum(map(len, loads))
    if more / len(grains) > 0.5 and (len(now) / (every + len(now))) ** more < level:
        yield (
            "precision",
            frozenset({name}),
            frozenset(i for i in case.places(name) if figure.digits(case.rows[i][name]) > most),
        )


def _telling(case: Case) -> list[str]:
    """Columns in which no two loads had the same values, and rows of one differ."""
    found = []
    for name in case.kinds:
        loads = [tuple(sorted(map(repr, values_of(rows, name)))) for rows in case.before]
        various = [load for load in loads if len(set(load)) != 1 and len(load) >= 3]
        if len(various) > max(1, len(loads) / 2) and len(set(various)) == len(various):
            found.append(name)
    return found


def _signs(case: Case, name: str, before: Sequence[Sequence[float]], now: Sequence[float]) -> Iterator[Found]:
    counts = [(sum(value < 0 for value in load), len(load)) for load in before]
    negative = sum(value < 0 for value in now)
    part = negative / len(now)
    usual, chance = case.chance_of_share(counts, (negative, len(now)))
    latest = counts[-28:]
    together = (sum(below for below, _ in latest) + 0.5) / (sum(rows for _, rows in latest) + 1)
    chance = max(chance, figure.chernoff(negative, len(now), together))
    known = [below / rows for below, rows in counts]
    large = abs(part - usual) >= 0.2 or part in (0, 1)
    if chance < case.level / len(case.kinds) and large and not min(known) <= part <= max(known):
        fewer = frozenset(i for i in case.places(name) if case.rows[i][name] < 0) if part > usual else frozenset()
        yield "signs", frozenset({name}), fewer


def repetition(case: Case) -> Iterator[Found]:
    everything = frozenset(range(len(case.rows)))
    if len(case.rows) >= 3 and case.before and _is_of_an_earlier_load(case):
        yield "repeated load", frozenset(), everything
        return
    seen, twice = set(), set()
    for i, row in enumerate(case.rows):
        key = tuple(row.items())
        twice |= {i} if key in seen else set()
        seen.add(key)
    usual = max((_repeats(rows) for rows in case.before), default=1.0)
    share = 1 - len(seen) / len(case.rows)
    whole = all(count > 1 for count in Counter(tuple(row.items()) for row in case.rows).values())
    if round(share * len(case.rows)) >= 3 and (share >= max(0.1, 3 * usual) or (whole and usual < 0.5)):
        yield "repeated rows", frozenset(), frozenset(twice)
    yield from _again(case)


def _repeats(rows: Sequence[Row]) -> float:
    return round(1 - len({tuple(row.items()) for row in rows}) / len(rows), 4) if rows else 0.0


def _is_of_an_earlier_load(case: Case) -> bool:
    sets = [frozenset(tuple(row.items()) for row in rows) for rows in case.before]
    now = frozenset(tuple(row.items()) for row in case.rows)
    if len(set(sets)) == len(sets) and any(
        s == now and len(rows) == len(case.rows) for s, rows in zip(sets, case.before, strict=True)
    ):
        return True
    telling = _telling(case)
    if telling:
        telling = [*telling, *(name for name in case.kinds if len(set(values_of(case.rows, name))) > 1)]
    same = [Counter(values_of(case.rows, name)) for name in telling]
    return bool(telling) and any(
        len(rows) == len(case.rows) and [Counter(values_of(rows, name)) for name in telling] == same
        for rows in case.before
    )


def _overlap(rows: Sequence[Row], before: Sequence[Sequence[Row]]) -> tuple[float, frozenset[Any]]:
    own, best = frozenset(tuple(row.items()) for row in rows), (0.0, frozenset[Any]())
    for load in before:
        shared = frozenset(tuple(row.items()) for row in load)
        if own and len(own & shared) / len(own) > best[0]:
            best = len(own & shared) / len(own), shared
    return best


def _again(case: Case) -> Iterator[Found]:
    first = len(case.before)
    usual = max((round(_overlap(case.before[i], case.before[:i])[0], 4) for i in range(first)), default=1.0)
    share, known = _overlap(case.rows, case.before)
    if known and round(share * len(case.rows)) >= 3 and share >= max(0.1, 3 * usual):
        rows = frozenset(i for i, row in enumerate(case.rows) if tuple(row.items()) in known)
        yield "repeated load", frozenset(), rows
