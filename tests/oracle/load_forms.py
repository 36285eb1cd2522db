"""Columns that go together, nulls, texts, digits, and rows that came before: docs/semantics.md, "Loads"."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import atanh, inf, nan, sqrt, tanh
from re import search
from statistics import fmean
from typing import Any

from oracle import load_figures as figure
from oracle.load_case import Case, Found, Row, counted, values_of


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


def _bonds(case: Case, rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    sample = _different(rows)
    ranks = {name: figure.ranks([row[name] for row in sample]) for name in case.numbers[:14]}
    texts = [name for name, kind in case.kinds.items() if kind in ("text", "truth")]
    few = [name for name in texts if 1 < len(counted(rows, name, "text") or ()) <= 30][:6]
    found: dict[tuple[str, str], float | None] = {}
    for one, other in combinations(ranks, 2):
        found[one, other] = figure.correlation(*_both(ranks[one], ranks[other]))
    for by in few:
        for name, places in ranks.items():
            found[by, name] = figure.ratio(*_both([row[by] for row in sample], places))
    for one, other in combinations(few, 2):
        found[one, other] = figure.association(*_both([row[one] for row in sample], [row[other] for row in sample]))
    return {pair: round(bond, 4) for pair, bond in found.items() if bond is not None}


def _both(one: Sequence[Any], other: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _stretched(bond: float) -> float:
    return atanh(max(-0.999, min(0.999, bond)))


def _parted(case: Case) -> Iterator[Found]:
    now, before = _bonds(case, case.rows), [_bonds(case, rows) for rows in case.before]
    lost: dict[tuple[str, str], float] = {}
    sample = _different(case.rows)
    for pair, bond in now.items():
        both = sum(row[pair[0]] is not None and row[pair[1]] is not None for row in sample)
        series = [_stretched(load[pair]) if pair in load else nan for load in before]
        expected, _, chance = case.judged(series, _stretched(bond), 0.0, 1.06 / sqrt(max(1, both - 3)))
        usual = tanh(expected)
        sign = (usual > 0) - (usual < 0)
        loss = abs(usual) - bond * sign
        beyond = bond * sign < min((load[pair] * sign for load in before if pair in load), default=inf)
        if chance < case.level / len(now) and loss > max(0.15, abs(usual) / 2) and beyond:
            lost[pair] = abs(usual)
    if lost:
        counts = Counter(name for pair in lost for name in pair)
        name = max(counts, key=lambda n: counts[n])
        pair = max((p for p in lost if name in p), key=lambda p: lost[p])
        yield "joint", frozenset(pair), frozenset(range(len(case.rows)))


def nulls(case: Case) -> Iterator[Found]:
    if len(case.before) < 7 or not all(case.before):
        return
    for name in case.kinds:
        before = [fmean([row[name] is None for row in rows]) for rows in case.before]
        now = fmean([row[name] is None for row in case.rows])
        usual, chance = case.chance_of_share(before, now)
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


def _is_garbled(text: str) -> bool:
    if text.isascii():
        return bool(search(r"[a-zA-Z]\?[a-zA-Z]", text))
    for encoding in ("cp1252", "latin-1"):
        try:
            if len(text.encode(encoding).decode()) < len(text):
                return True
        except UnicodeError:
            continue
    return bool(search(r"\ufffd|[^\W\d_]\?[^\W\d_]", text))


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


def _digits(number: float) -> int:
    """How many digits after the point it needs; of whole numbers minus how many zeros they end in, three at most."""
    if not number:
        return 0
    for digits in range(-3, 6):
        scaled = number * 10.0**digits
        if abs(scaled - round(scaled)) <= 1e-9 * max(1.0, abs(scaled)):
            return digits
    return 6


def _precision(case: Case, name: str, before: Sequence[Sequence[float]], now: Sequence[float]) -> Iterator[Found]:
    rows = _different(case.rows) if counted(case.rows, name, case.kinds[name]) is None else case.rows
    distinct = len(set(values_of(rows, name)))
    if distinct < 2:
        return
    grains, loads = [_digits(number) for number in now], [[_digits(number) for number in load] for load in before]
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
            frozenset(i for i in case.places(name) if _digits(case.rows[i][name]) > most),
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
    if round(share * len(case.rows)) >= 3 and share >= max(0.1, 3 * usual):
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
