"""A step chart of one constraint's error over the days, as SVG: a small builder, no library, no outside resource.

Colours come from the page's CSS variables, so that light and dark are the page's business. A constraint's error does
not glide from one day to the next: it changes when a delta is applied, and so the line has steps.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from profiling_core.alert.figures import counted, error_text
from profiling_core.alert.report import Series
from profiling_core.alert.text_table import visible

WIDTH, HEIGHT = 640, 236
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 44, 34, 40
_CHARACTER = 6.6
_MOST_LABELLED = 14
_MOST_TICKS = 4


@dataclass(frozen=True, slots=True)
class _Frame:
    """The drawing area: from day number and error to coordinates. ``step`` is the error between two grid lines."""

    days: int
    step: float
    ticks: int

    @property
    def top(self) -> float:
        """The error at the upper edge."""
        return self.step * self.ticks

    def x(self, day: int) -> float:
        """The day's place; a single day stands in the middle."""
        room = WIDTH - _LEFT - _RIGHT
        return _LEFT + (room / 2 if self.days == 1 else room * day / (self.days - 1))

    def y(self, error: float) -> float:
        """The error's height; zero is the base line."""
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * error / self.top


def chart(series: Series) -> str:
    """The series as an SVG element; empty where it has no points."""
    if not series.points:
        return ""
    errors = [error for _, error, _ in series.points]
    frame = _Frame(len(errors), *_grid(max(errors)))
    svg = ET.Element("svg", {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "class": "chart", "role": "img"})
    _element(svg, "title", text=_description(series))
    _axis(svg, frame)
    _days(svg, frame, [label for label, _, _ in series.points], {*series.broke, *series.recovered})
    _marks(svg, frame, series)
    _line(svg, frame, errors)
    _points(svg, frame, series)
    return ET.tostring(svg, encoding="unicode")


def _description(series: Series) -> str:
    first, last = series.points[0], series.points[-1]
    return visible(
        f"Error of {series.constraint} from {first[0]} to {last[0]}: it ends at {error_text(last[1])}, "
        f"{counted(last[2], series.unit)}."
    )


def _grid(greatest: float) -> tuple[float, int]:
    """The least round step, and how many of them, that reach the greatest error; a full axis where there is none."""
    if greatest <= 0:
        return 1.0, 1
    unit = 10.0 ** math.floor(math.log10(greatest / _MOST_TICKS))
    step = float(next(factor * unit for factor in (1, 2, 5, 10) if factor * unit * _MOST_TICKS >= greatest))
    return step, max(1, math.ceil(greatest / step - 1e-9))


def _element(parent: ET.Element, tag: str, text: str = "", **attributes: object) -> ET.Element:
    named = {name.rstrip("_").replace("_", "-"): _number(value) for name, value in attributes.items()}
    element = ET.SubElement(parent, tag, named)
    element.text = text or None
    return element


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def _axis(svg: ET.Element, frame: _Frame) -> None:
    nothing_happens = frame.top == 1.0
    for tick in range(1, frame.ticks + 1):
        error = frame.step * tick
        y = frame.y(error)
        _element(svg, "line", class_="grid", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y, y2=y)
        if not nothing_happens:
            _element(svg, "text", error_text(error), class_="tick", x=_LEFT - 8, y=y + 4, text_anchor="end")
    base = frame.y(0)
    _element(svg, "line", class_="zero", x1=_LEFT, x2=WIDTH - _RIGHT, y1=base, y2=base)
    _element(svg, "text", "0 · holds", class_="tick holds", x=_LEFT - 8, y=base + 4, text_anchor="end")


def _days(svg: ET.Element, frame: _Frame, labels: Sequence[str], wanted: set[str]) -> None:
    """Labels as many days as fit, the first, the last and those on which something happened before others."""
    width = max(len(label) for label in labels) * _CHARACTER + 14
    first_ones = [0, len(labels) - 1, *(i for i, label in enumerate(labels) if label in wanted)]
    taken: list[float] = []
    for i in dict.fromkeys([*first_ones, *range(len(labels))]):
        x = min(max(frame.x(i), width / 2), WIDTH - width / 2)
        if all(abs(x - other) >= width for other in taken):
            taken.append(x)
            _element(svg, "text", visible(labels[i]), class_="tick", x=x, y=HEIGHT - 14, text_anchor="middle")
        _element(svg, "line", class_="zero", x1=frame.x(i), x2=frame.x(i), y1=frame.y(0), y2=frame.y(0) + 4)


def _marks(svg: ET.Element, frame: _Frame, series: Series) -> None:
    """A line down the day of each break and recovery, with its word on top."""
    for i, (label, _, _) in enumerate(series.points):
        for word, days in (("broke", series.broke), ("holds again", series.recovered)):
            if label in days:
                kind = "mark broke" if word == "broke" else "mark back"
                x = frame.x(i)
                _element(svg, "line", class_=kind, x1=x, x2=x, y1=_TOP - 12, y2=frame.y(0))
                anchor = "end" if x > WIDTH - _RIGHT - len(word) * _CHARACTER else "start"
                shift = -5 if anchor == "end" else 5
                _element(svg, "text", word, class_=f"{kind} word", x=x + shift, y=_TOP - 14, text_anchor=anchor)


def _line(svg: ET.Element, frame: _Frame, errors: Sequence[float]) -> None:
    path = [f"M {_number(frame.x(0))} {_number(frame.y(errors[0]))}"]
    for i, error in enumerate(errors[1:], start=1):
        path.append(f"H {_number(frame.x(i))} V {_number(frame.y(error))}")
    base = _number(frame.y(0))
    area = f"{' '.join(path)} V {base} H {_number(frame.x(0))} Z"
    _element(svg, "path", class_="area", d=area)
    _element(svg, "path", class_="line", d=" ".join(path))


def _points(svg: ET.Element, frame: _Frame, series: Series) -> None:
    """A dot per day; its violations beside it wherever the number is new."""
    previous = None
    right_end = -1.0
    for i, (label, error, violations) in enumerate(series.points):
        x, y = frame.x(i), frame.y(error)
        dot = _element(svg, "circle", class_="dot" if violations else "dot holds", cx=x, cy=y, r=4)
        words = f"{visible(label)}: {counted(violations, series.unit)}, error {error_text(error)}"
        _element(dot, "title", words)
        text = f"{violations:,}"
        half = len(text) * _CHARACTER / 2
        is_new = violations != previous and violations > 0
        if (is_new or len(series.points) <= _MOST_LABELLED) and violations and x - half > right_end:
            middle = min(x, WIDTH - half)
            _element(svg, "text", text, class_="value", x=middle, y=y - 9, text_anchor="middle")
            right_end = middle + half + 4
        previous = violations
