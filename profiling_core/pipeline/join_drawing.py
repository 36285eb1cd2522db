"""The join graph as an SVG picture: a box per table with its key columns, an arrow per join, nothing from outside.

Tables that others refer to stand right of those that refer to them; within a layer they are ordered by where their
neighbours stand, so that few arrows cross. All text is set through the XML builder, and so escaped.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from profiling_core.pipeline.joins import Join, JoinGraph

_ROW, _HEAD, _GAP, _LAYER_GAP, _MARGIN = 22, 46, 34, 170, 24
_CHARACTER = 7.4
_MOST_CHARACTERS = 34
_SWEEPS = 4
_STYLE = """
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1f2933 }
.name { font-weight: 600 } .rows { fill: #616e7c; font-size: 11px } .share { font-size: 11px; fill: #3e4c59 }
.box { fill: #ffffff; stroke: #9aa5b1 } .head { fill: #e4e7eb } .join { fill: none; stroke: #2b6cb0; stroke-width: 1.5 }
.partial { stroke-dasharray: 5 4; stroke: #b7791f } .ground { fill: #f5f7fa }
""".strip()


@dataclass(frozen=True, slots=True)
class _Box:
    """A table: where its box stands, and its columns that take part in joins."""

    table: str
    x: float
    y: float
    width: float
    columns: tuple[str, ...]

    @property
    def height(self) -> float:
        return _HEAD + _ROW * len(self.columns) + 6

    def line(self, columns: Sequence[str]) -> float:
        """The height at which arrows of these columns begin or end."""
        at = [self.columns.index(column) for column in columns]
        return self.y + _HEAD + _ROW * (sum(at) / len(at) + 0.5)


def draw(graph: JoinGraph) -> str:
    """The picture as SVG."""
    boxes = _boxes(graph)
    width = max((box.x + box.width for box in boxes.values()), default=0) + 3 * _MARGIN
    height = max((box.y + box.height for box in boxes.values()), default=0) + _MARGIN
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}", "viewBox": f"0 0 {width:.0f} {height:.0f}"}
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size})
    ET.SubElement(root, "title").text = f"Joins of {graph.dataset}, version {graph.version}"
    ET.SubElement(root, "style").text = _STYLE
    _arrow_head(root)
    ET.SubElement(root, "rect", {"class": "ground", "width": "100%", "height": "100%"})
    for join in graph.joins:  # first, so that what is in an arrow's way stays legible
        _draw_join(root, join, boxes)
    for box in boxes.values():
        _draw_box(root, box, graph.tables[box.table])
    return ET.tostring(root, encoding="unicode") + "\n"


def _boxes(graph: JoinGraph) -> dict[str, _Box]:
    columns = _columns(graph)
    boxes: dict[str, _Box] = {}
    x = float(_MARGIN)
    for layer in _layers(graph):
        width = max(_width(table, columns[table], graph.tables[table]) for table in layer)
        y = float(_MARGIN)
        for table in layer:
            boxes[table] = _Box(table, x, y, width, columns[table])
            y += boxes[table].height + _GAP
        x += width + _LAYER_GAP
    return boxes


def _columns(graph: JoinGraph) -> dict[str, tuple[str, ...]]:
    """Per table the columns of its joins: those referred to first."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for join in graph.joins:
        found[join.inclusion.rhs.table] |= dict.fromkeys(join.inclusion.rhs.columns)
    for join in graph.joins:
        found[join.inclusion.lhs.table] |= dict.fromkeys(join.inclusion.lhs.columns)
    return {table: tuple(found[table]) for table in graph.tables}


def _width(table: str, columns: Sequence[str], rows: int) -> float:
    longest = max(len(_short(text)) for text in (table, f"{rows:,} rows", *columns))
    return 24 + _CHARACTER * max(longest, 10)


def _layers(graph: JoinGraph) -> list[list[str]]:
    """The tables by how many joins lead up to them at most, the fewest first; cycles are cut where they are met."""
    sources: defaultdict[str, set[str]] = defaultdict(set)
    for join in graph.joins:
        if join.inclusion.lhs.table != join.inclusion.rhs.table:
            sources[join.inclusion.rhs.table].add(join.inclusion.lhs.table)
    depth: dict[str, int] = {}

    def deepest(table: str, beyond: frozenset[str]) -> int:
        if table not in depth:
            before = [deepest(t, beyond | {table}) for t in sorted(sources[table]) if t not in beyond | {table}]
            depth[table] = 1 + max(before, default=-1)
        return depth[table]

    for table in graph.tables:
        deepest(table, frozenset())
    layers = [sorted(t for t in graph.tables if depth[t] == d) for d in range(max(depth.values(), default=0) + 1)]
    return _uncrossed([layer for layer in layers if layer], sources)


def _uncrossed(layers: list[list[str]], sources: Mapping[str, set[str]]) -> list[list[str]]:
    """The layers, each ordered by the mean place of its tables' neighbours (the barycentre method)."""
    for _ in range(_SWEEPS):
        place = {table: i / len(layer) for layer in layers for i, table in enumerate(layer)}
        near = {table: [place[n] for n in place if n in sources[table] or table in sources[n]] for table in place}
        layers = [
            sorted(layer, key=lambda t: (sum(near[t]) / len(near[t]) if near[t] else place[t], t)) for layer in layers
        ]
    return layers


def _arrow_head(root: ET.Element) -> None:
    shape = {"id": "tip", "viewBox": "0 0 8 8", "refX": "7", "refY": "4", "markerWidth": "7", "markerHeight": "7"}
    marker = ET.SubElement(ET.SubElement(root, "defs"), "marker", shape | {"orient": "auto"})
    ET.SubElement(marker, "path", {"d": "M0 0 L8 4 L0 8 z", "fill": "#2b6cb0"})


def _draw_box(root: ET.Element, box: _Box, rows: int) -> None:
    frame = {"x": f"{box.x:.1f}", "y": f"{box.y:.1f}", "width": f"{box.width:.1f}", "rx": "4"}
    ET.SubElement(root, "rect", frame | {"class": "box", "height": f"{box.height:.1f}"})
    ET.SubElement(root, "rect", frame | {"class": "head", "height": f"{_HEAD - 4}"})
    _text(root, box.x + 10, box.y + 18, box.table, "name")
    _text(root, box.x + 10, box.y + 34, f"{rows:,} rows", "rows")
    for column in box.columns:
        _text(root, box.x + 10, box.line([column]) + 4, column, "column")


def _draw_join(root: ET.Element, join: Join, boxes: Mapping[str, _Box]) -> None:
    lhs, rhs = join.inclusion.lhs, join.inclusion.rhs
    start, end = boxes[lhs.table], boxes[rhs.table]
    y0, y1 = start.line(lhs.columns), end.line(rhs.columns)
    if start.x < end.x:
        x0, x1, bend0, bend1 = start.x + start.width, end.x - 1, _LAYER_GAP / 2, -_LAYER_GAP / 2
    else:  # within a layer, or back: around the right side
        x0, x1, bend0, bend1 = start.x + start.width, end.x + end.width + 1, 60.0, 60.0
    curve = f"M{x0:.1f} {y0:.1f} C{x0 + bend0:.1f} {y0:.1f} {x1 + bend1:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    style = "join" if join.measured.holds else "join partial"
    path = ET.SubElement(root, "path", {"d": curve, "class": style, "marker-end": "url(#tip)"})
    ET.SubElement(path, "title").text = f"{join.inclusion.text}\n{join.reading.text}"
    if not join.measured.holds:
        label = f"{100 * (1 - join.measured.error):.2f}%"
        middle = (x0 + x1) / 2 + 0.375 * (bend0 + bend1)
        _text(root, middle - len(label) * 3, (y0 + y1) / 2 - 5, label, "share")


def _text(root: ET.Element, x: float, y: float, text: str, style: str) -> None:
    ET.SubElement(root, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": style}).text = _short(text)


def _short(text: str) -> str:
    """Without characters that XML does not have, and not too long."""
    plain = "".join(c if c.isprintable() else "�" for c in text)
    return plain if len(plain) <= _MOST_CHARACTERS else plain[: _MOST_CHARACTERS - 1] + "…"
