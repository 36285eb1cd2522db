"""The drawings on the pages, as SVG without script: rows per delta as bars, and a rule's violations over the versions.

Each has labelled axes, a title for screen readers, and the figure of each mark as a tooltip.
"""

from collections.abc import Sequence

from markupsafe import Markup

from profiling_core.airflow.ui import words
from profiling_core.airflow.ui.figures import MOST_BARS, DeltaRows
from profiling_core.model.lifecycle import Tracked

# The drawing's own units, which the page scales to its width: a third of a page high; figures of seven digits and their
# unit stand left of the axis, a line of labels below it.
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 820, 170, 64, 16, 28
_WIDEST = 36.0
"""The width of a bar if there are few: a third of a label's, so that one bar does not fill the chart."""
_LABELS = 6
"""Labels below the axis: as many dates of ten letters as fit beside each other on a phone."""


def bars(rows: Sequence[DeltaRows]) -> Markup:
    """Rows per delta, the newest last; empty if no delta showed any, or for a single delta."""
    shown = list(rows)[-MOST_BARS:]
    highest = max((one.rows for one in shown), default=0)
    if not highest or len(shown) < 2:  # noqa: PLR2004 - one bar compares with nothing
        return Markup("")
    step = (WIDTH - LEFT) / len(shown)
    wide, each = min(_WIDEST, step * 0.7), max(1, -(-len(shown) // _LABELS))
    marks = Markup("").join(
        Markup('<rect x="{}" y="{}" width="{}" height="{}" class="{}"><title>{}: {} rows</title></rect>{}').format(
            f"{LEFT + place * step + (step - wide) / 2:.1f}",
            f"{_y(one.rows, highest):.1f}",
            f"{wide:.1f}",
            f"{HEIGHT - BOTTOM - _y(one.rows, highest):.1f}",
            "bar now" if place == len(shown) - 1 else "bar",
            one.label,
            f"{one.rows:,}",
            _label(LEFT + (place + 0.5) * step, one.label) if place % each == 0 else "",
        )
        for place, one in enumerate(shown)
    )
    said = f"Rows per delta, from {shown[0].label} to {shown[-1].label}; at most {highest:,}, last {shown[-1].rows:,}."
    return _framed(marks, highest, "rows", said)


def history_chart(history: Sequence[tuple[str, Tracked]]) -> Markup:
    """A rule's violations over the versions as a step line; empty without violations, or with a single version."""
    counts = [words.violating(tracked.measured) for _, tracked in history]
    highest = max(counts, default=0)
    if len(counts) < 2 or not highest:  # noqa: PLR2004 - one point is no line
        return Markup("")
    unit = words.unit(history[-1][1].measured)
    step, each = (WIDTH - LEFT - 20) / (len(counts) - 1), max(1, -(-len(counts) // _LABELS))
    points = [(LEFT + place * step + 6, _y(count, highest)) for place, count in enumerate(counts)]
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in points[1:])
    dots = Markup("").join(
        Markup('<circle cx="{}" cy="{}" r="3" class="{}"><title>{}: {} {}</title></circle>{}').format(
            f"{x:.1f}",
            f"{y:.1f}",
            "bad" if count else "good",
            label,
            f"{count:,}",
            unit,
            _label(x, label) if place % each == 0 else "",
        )
        for place, ((x, y), count, (label, _)) in enumerate(zip(points, counts, history, strict=True))
    )
    time = f"from {history[0][0]} to {history[-1][0]}"
    said = f"What violates it, in {unit}, {time}; at most {highest:,}, last {counts[-1]:,}."
    return _framed(Markup('<path d="{}" class="line"/>{}').format(path, dots), highest, unit, said)


def _y(count: int, highest: int) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - count / highest)


def _label(x: float, text: str) -> Markup:
    # On a phone letters are twice as wide: at the ends a label stands inside of the chart.
    place, anchor = (x, "middle")
    if x < LEFT + WIDTH / _LABELS / 2:
        place, anchor = LEFT, "start"
    elif x > WIDTH - WIDTH / _LABELS / 2:
        place, anchor = WIDTH, "end"
    return Markup('<text x="{}" y="{}" class="tick" text-anchor="{}">{}</text>').format(
        f"{place:.1f}", HEIGHT - 8, anchor, text[:12]
    )


def _framed(marks: Markup, highest: int, unit: str, said: str) -> Markup:
    axis = Markup(
        '<path d="M{0},{1}V{2}H{3}" class="axis"/><text x="{4}" y="{5}" class="tick" text-anchor="end">{6}</text>'
        '<text x="{4}" y="{2}" class="tick" text-anchor="end">0</text>'
        '<text x="{4}" y="{7}" class="tick" text-anchor="end">{8}</text>'
    ).format(LEFT, TOP, HEIGHT - BOTTOM, WIDTH, LEFT - 8, TOP + 5, f"{highest:,}", TOP + 20, unit[:10])
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img"><title>{}</title>{}{}</svg>').format(
        WIDTH, HEIGHT, said, axis, marks
    )
