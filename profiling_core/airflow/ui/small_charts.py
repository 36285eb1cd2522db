"""Small charts of a figure over a table's loads: a line with the usual range as a band, and a bar per load's extremes.

A load outside of the usual range has a ring; a load with an incident is red, and links to it. Each mark has its numbers
as a tooltip.
"""

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from profiling_core.pipeline.column_story import Point, Reach

# The drawing's own units: two charts stand beside each other on a page. Figures of ten letters stand left of the axis.
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 440, 140, 62, 12, 12, 24
Write = Callable[[float], str]


def course_chart(points: Sequence[Point], said: str, write: Write, odd: Mapping[str, str]) -> Markup:
    """A figure of the latest loads as a line; empty for fewer than two.

    Args:
        points: the loads, oldest first.
        said: the figure's name, for screen readers.
        write: writes a figure for people.
        odd: by load the address of its incident.
    """
    if sum(point.value is not None for point in points) < 2:  # noqa: PLR2004 - one point is no line
        return Markup("")
    tops = [value for point in points for value in (point.value, point.high) if value is not None]
    highest = max(tops) or 1.0
    xs = _places(len(points))
    ys = [None if point.value is None else _y(point.value, 0.0, highest) for point in points]
    marks = Markup("").join(
        _dot(x, y, point, odd.get(point.label, ""), f"{point.label}: {_against_usual(point, write)}")
        for x, y, point in zip(xs, ys, points, strict=True)
        if y is not None
    )
    line = Markup('<path d="{}" class="course"/>').format(_line([(x, y) for x, y in zip(xs, ys, strict=True)]))
    return _framed(
        _band(points, xs, highest) + line + marks,
        (write(0.0), write(highest)),
        (points[0].label, points[-1].label),
        said,
    )


def reach_chart(reaches: Sequence[Reach], said: str, bounds: Reach | None, odd: Mapping[str, str]) -> Markup:
    """The least and the greatest value of the latest deltas as bars; empty for fewer than two.

    Args:
        reaches: the deltas, oldest first.
        said: the drawing's name, for screen readers.
        bounds: the bounds of a rule, drawn as a band; None: there is none.
        odd: by delta the address of its incident.
    """
    if len(reaches) < 2:  # noqa: PLR2004 - one bar is no course
        return Markup("")
    every = [*reaches, bounds] if bounds else reaches
    least, greatest = min(every, key=lambda r: r.low), max(every, key=lambda r: r.high)
    low, high = least.low, greatest.high if greatest.high > least.low else least.low + 1
    xs = _places(len(reaches))
    bars = Markup("").join(
        _bar(x, _y(reach.low, low, high), _y(reach.high, low, high), reach, odd.get(reach.label, ""))
        for x, reach in zip(xs, reaches, strict=True)
    )
    band = _between(bounds, low, high) if bounds else Markup("")
    return _framed(band + bars, (least.low_text, greatest.high_text), (reaches[0].label, reaches[-1].label), said)


def _against_usual(point: Point, write: Write) -> str:
    value = write(point.value or 0.0)
    known = point.low is not None and point.high is not None
    return f"{value}, usual {span(point, write)}" if known else value


def span(point: Point, write: Write) -> str:
    """The usual range of a load's figure: ``26 to 37``; empty if unknown."""
    if point.low is None or point.high is None:
        return ""
    low, high = write(point.low), write(point.high)
    return low if low == high else f"{low} to {high}"


def _places(count: int) -> list[float]:
    step = (WIDTH - LEFT - RIGHT - 12) / max(1, count - 1)
    return [LEFT + 6 + place * step for place in range(count)]


def _y(value: float, low: float, high: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low))


def _line(places: Sequence[tuple[float, float | None]]) -> str:
    """A path that skips the loads without a figure."""
    path, drawn = "", False
    for x, y in places:
        if y is not None:
            path += f"{'L' if drawn else 'M'}{x:.1f},{y:.1f}"
        drawn = y is not None
    return path


def _band(points: Sequence[Point], xs: Sequence[float], highest: float) -> Markup:
    known = [(x, p.low, p.high) for x, p in zip(xs, points, strict=True) if p.low is not None and p.high is not None]
    if not known:
        return Markup("")
    # A single load is as wide as its dot.
    known = (
        [(x - 4, low, high) for x, low, high in known[:1]]
        + known[1:]
        + [(x + 4, low, high) for x, low, high in known[-1:]]
    )
    upper = [f"{x:.1f},{_y(high, 0.0, highest):.1f}" for x, _, high in known]
    lower = [f"{x:.1f},{_y(low, 0.0, highest):.1f}" for x, low, _ in reversed(known)]
    return Markup('<path d="M{}Z" class="band"/>').format("L".join([*upper, *lower]))


def _between(bounds: Reach, low: float, high: float) -> Markup:
    bottom, top = _y(bounds.low, low, high), _y(bounds.high, low, high)
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" class="band"/>').format(
        LEFT, f"{top:.1f}", WIDTH - RIGHT - LEFT, f"{max(1.0, bottom - top):.1f}"
    )


def _dot(x: float, y: float, point: Point, place: str, said: str) -> Markup:
    size, kind = ("5", "odd") if place else ("4", "beyond") if point.is_beyond else ("2.5", "dot")
    mark = Markup('<circle cx="{}" cy="{}" r="{}" class="{}"><title>{}</title></circle>').format(
        f"{x:.1f}", f"{y:.1f}", size, kind, said
    )
    return Markup('<a href="{}" aria-label="{}">{}</a>').format(place, said, mark) if place else mark


def _bar(x: float, low: float, high: float, reach: Reach, place: str) -> Markup:
    said = f"{reach.label}: {reach.low_text} to {reach.high_text}"
    mark = Markup('<rect x="{}" y="{}" width="6" height="{}" class="{}"><title>{}</title></rect>').format(
        f"{x - 3:.1f}", f"{high:.1f}", f"{max(2.0, low - high):.1f}", "odd" if place else "reach", said
    )
    return Markup('<a href="{}" aria-label="{}">{}</a>').format(place, said, mark) if place else mark


def _framed(marks: Markup, ends: tuple[str, str], labels: tuple[str, str], said: str) -> Markup:
    base = HEIGHT - BOTTOM
    axis = Markup(
        '<path d="M{0},{1}V{2}H{3}" class="axis"/>'
        '<text x="{4}" y="{5}" class="tick" text-anchor="end">{6}</text>'
        '<text x="{4}" y="{2}" class="tick" text-anchor="end">{7}</text>'
        '<text x="{0}" y="{8}" class="tick">{9}</text>'
        '<text x="{3}" y="{8}" class="tick" text-anchor="end">{10}</text>'
    ).format(
        LEFT,
        TOP,
        base,
        WIDTH - RIGHT,
        LEFT - 6,
        TOP + 9,
        ends[1][:10],
        ends[0][:10],
        HEIGHT - 7,
        labels[0][:16],
        labels[1][:16],
    )
    return Markup('<svg class="chart small" viewBox="0 0 {} {}" role="group" aria-label="{}">{}{}</svg>').format(
        WIDTH, HEIGHT, said, axis, marks
    )
