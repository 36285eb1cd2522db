"""The join graph as an SVG picture: a box per table with its key columns, an arrow per join, nothing from outside.

Tables that others refer to stand right of those that refer to them; within a layer they are ordered by where their
neighbours stand, so that few arrows cross, and as high as those stand. Where many tables refer to others, half of them
stand at the right end. Tables without a join stand in rows below the others. Each arrow says where
it begins how likely the reference is and which share of its values is found. All text is set through the XML builder,
and so escaped.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from xml.etree import ElementTree as ET

from profiling_core.pipeline.joins import Join, JoinGraph

# In pixels of letters 13 high: a line, a head of two lines, and between two layers room for what an arrow says.
_ROW, _HEAD, _GAP, _LAYER_GAP, _MARGIN = 22, 46, 34, 180, 24
# How wide a letter of 13 pixels is on average.
_CHARACTER = 7.4
# A name in a box is cut where it is longer, and one that is pointed at where it is no name any more.
_MOST_CHARACTERS, _LONGEST_NAME = 34, 200
# How often the layers are ordered by their neighbours, forth and back: a bound on the time, as it may go on.
_SWEEPS = 4
# Tables that nothing refers to stand on both sides from here on: a screen shows some ten below each other.
_MOST_BELOW_EACH_OTHER = 10
# Boxes of tables without a join go on in another row from here on, where no joined tables reach further.
_WIDEST_ROW = 900.0
_STYLE = """
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1f2933 }
.name { font-weight: 600 } .rows { fill: #616e7c; font-size: 11px }
.share { font-size: 11px; fill: #3e4c59; stroke: #f5f7fa; stroke-width: 3px; paint-order: stroke }
.box { fill: #ffffff; stroke: #9aa5b1 } .head { fill: #e4e7eb } .join { fill: none; stroke: #2b6cb0; stroke-width: 1.5 }
.join.partial { stroke-dasharray: 5 4; stroke: #b7791f } .join.broken { stroke: #c53030; stroke-width: 2.5 }
.share.broken { fill: #c53030; font-weight: 600 } .ground { fill: #f5f7fa } .tip { fill: context-stroke }
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
        return _HEAD + _ROW * len(self.columns) + (6 if self.columns else -4)

    def line(self, columns: Sequence[str]) -> float:
        """The height at which arrows of these columns begin or end."""
        at = [self.columns.index(column) for column in columns]
        return self.y + _HEAD + _ROW * (sum(at) / len(at) + 0.5)


def draw(graph: JoinGraph) -> str:
    """The picture as an SVG file, with its own colours."""
    root = _root(graph, role="img")
    ET.SubElement(root, "style").text = _STYLE
    ET.SubElement(root, "rect", {"class": "ground", "width": "100%", "height": "100%"})
    _fill(root, graph, None)
    return ET.tostring(root, encoding="unicode") + "\n"


def drawn_in_a_page(graph: JoinGraph, place: Callable[[Join], str]) -> str:
    """The picture as a part of a page that has the colours; each arrow leads to the ``place`` of its join."""
    root = _root(graph, role="group")
    _fill(root, graph, place)
    return ET.tostring(root, encoding="unicode")


def _root(graph: JoinGraph, *, role: str) -> ET.Element:
    boxes = _boxes(graph).values()
    ends = {join.inclusion.lhs.table: _LAYER_GAP for join in graph.joins}  # room for what stands on arrows
    width = max((box.x + box.width + ends.get(box.table, 0) for box in boxes), default=0) + _MARGIN
    height = max((box.y + box.height for box in boxes), default=0) + _MARGIN
    size = {"width": f"{width:.0f}", "height": f"{height:.0f}", "viewBox": f"0 0 {width:.0f} {height:.0f}"}
    title = f"Joins of {graph.dataset}, version {graph.version}"
    named = {"xmlns": "http://www.w3.org/2000/svg", "class": "joins", "role": role, "aria-label": _short(title)}
    root = ET.Element("svg", named | size)
    ET.SubElement(root, "title").text = title
    return root


def _fill(root: ET.Element, graph: JoinGraph, place: Callable[[Join], str] | None) -> None:
    boxes = _boxes(graph)
    _arrow_head(root)
    for join in graph.joins:  # first, so that what is in an arrow's way stays legible
        named = {"aria-label": _short(join.inclusion.words, _LONGEST_NAME), "class": "line"}
        link = ET.SubElement(root, "a", {"href": place(join)} | named) if place else root
        _draw_join(link, join, boxes)
    for join in graph.joins:
        _draw_said(root, join, boxes)
    for box in boxes.values():
        _draw_box(root, box, graph.tables[box.table])


def _boxes(graph: JoinGraph) -> dict[str, _Box]:
    columns = _columns(graph)
    joined = [table for table in graph.tables if columns[table]]
    near = _neighbours(graph)
    boxes: dict[str, _Box] = {}
    x = float(_MARGIN)
    for layer in _layers(graph, joined):
        width = max(_width(table, columns[table], graph.tables[table]) for table in layer)
        boxes |= _stacked([_Box(table, x, 0.0, width, columns[table]) for table in layer], near, boxes)
        x += width + _LAYER_GAP
    below = max((box.y + box.height + _GAP for box in boxes.values()), default=float(_MARGIN))
    return boxes | _alone(graph, below, max(x - _LAYER_GAP, _WIDEST_ROW))


def _stacked(
    layer: Sequence[_Box], near: Mapping[str, set[str]], placed: Mapping[str, _Box]
) -> Iterator[tuple[str, _Box]]:
    """The boxes of a layer one below another, each as near to the middle of its neighbours as the others allow."""
    y, moved, stacked = float(_MARGIN), [], []
    for box in layer:
        middles = [placed[other].y + placed[other].height / 2 for other in near[box.table] if other in placed]
        wanted = sum(middles) / len(middles) - box.height / 2 if middles else y
        stacked.append(replace(box, y=max(y, wanted)))
        moved.append(stacked[-1].y - wanted)
        y = stacked[-1].y + box.height + _GAP
    up = min(sum(moved) / len(moved), stacked[0].y - _MARGIN)
    return ((box.table, replace(box, y=box.y - up)) for box in stacked)


def _alone(graph: JoinGraph, y: float, right: float) -> dict[str, _Box]:
    """The tables without a join, in rows that end at ``right``."""
    columns, boxes, x = _columns(graph), dict[str, _Box](), float(_MARGIN)
    for table in sorted(table for table in graph.tables if not columns[table]):
        width = _width(table, (), graph.tables[table])
        if x > _MARGIN and x + width > right:
            x, y = float(_MARGIN), y + _HEAD + _GAP / 2
        boxes[table] = _Box(table, x, y, width, ())
        x += width + _GAP / 2
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
    bold = 1.1 * len(_short(table))
    longest = max(bold, *(len(_short(text)) for text in (f"{rows:,} rows", *columns)))
    return 24 + _CHARACTER * max(longest, 10)


def _neighbours(graph: JoinGraph) -> dict[str, set[str]]:
    """Per table those that it refers to, or that refer to it."""
    near: defaultdict[str, set[str]] = defaultdict(set)
    for join in graph.joins:
        near[join.inclusion.lhs.table].add(join.inclusion.rhs.table)
        near[join.inclusion.rhs.table].add(join.inclusion.lhs.table)
    return near


def _layers(graph: JoinGraph, joined: Sequence[str]) -> list[list[str]]:
    """The joined tables by how many joins lead up to them at most, the fewest first; cycles are cut where they are met.

    Every other one of many that nothing refers to comes last.
    """
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

    for table in joined:
        deepest(table, frozenset())
    layers = [sorted(t for t in joined if depth[t] == d) for d in range(max(depth.values(), default=0) + 1)]
    if len(layers[0]) > _MOST_BELOW_EACH_OTHER:
        layers = _uncrossed(layers, sources)
        layers = [layers[0][::2], *layers[1:], layers[0][1::2]]
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
    ET.SubElement(marker, "path", {"d": "M0 0 L8 4 L0 8 z", "class": "tip"})


def _draw_box(root: ET.Element, box: _Box, rows: int) -> None:
    frame = {"x": f"{box.x:.1f}", "y": f"{box.y:.1f}", "width": f"{box.width:.1f}", "rx": "4"}
    ET.SubElement(root, "rect", frame | {"class": "box", "height": f"{box.height:.1f}"})
    ET.SubElement(root, "rect", frame | {"class": "head", "height": f"{_HEAD - 4}"})
    _text(root, box.x + 10, box.y + 18, box.table, {"class": "name"})
    _text(root, box.x + 10, box.y + 34, f"{rows:,} rows", {"class": "rows"})
    for column in box.columns:
        _text(root, box.x + 10, box.line([column]) + 4, column, {"class": "column"})


def _draw_join(parent: ET.Element, join: Join, boxes: Mapping[str, _Box]) -> None:
    lhs, rhs = join.inclusion.lhs, join.inclusion.rhs
    start, end = boxes[lhs.table], boxes[rhs.table]
    y0, y1 = start.line(lhs.columns), end.line(rhs.columns)
    if start.x < end.x:
        x0, x1, bend0, bend1 = start.x + start.width, end.x - 1, _LAYER_GAP / 2, -_LAYER_GAP / 2
    elif start.x > end.x:
        x0, x1, bend0, bend1 = start.x, end.x + end.width + 1, -_LAYER_GAP / 2, _LAYER_GAP / 2
    else:  # within a layer: around the right side
        x0, x1, bend0, bend1 = start.x + start.width, end.x + end.width + 1, 60.0, 60.0
    curve = f"M{x0:.1f} {y0:.1f} C{x0 + bend0:.1f} {y0:.1f} {x1 + bend1:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    path = ET.SubElement(
        parent, "path", {"d": curve, "class": f"join {_style(join)}".strip(), "marker-end": "url(#tip)"}
    )
    ET.SubElement(path, "title").text = f"{join.inclusion.text}\n{join.reading.text}"


def _style(join: Join) -> str:
    return "broken" if join.broken else "" if join.measured.holds else "partial"


def _draw_said(root: ET.Element, join: Join, boxes: Mapping[str, _Box]) -> None:
    """What stands on an arrow, where it begins: above it, and below where it leads to the left."""
    start, end = boxes[join.inclusion.lhs.table], boxes[join.inclusion.rhs.table]
    y, leftwards = start.line(join.inclusion.lhs.columns), start.x > end.x
    x, y = (start.x - 5, y + 12) if leftwards else (start.x + start.width + 5, y - 4)
    share = {"class": f"share {_style(join)}".strip(), "text-anchor": "end" if leftwards else "start"}
    _text(root, x, y, said(join), share)


def said(join: Join) -> str:
    """What stands on an arrow: ``98% likely, all found``, ``broken, 99.2% found``."""
    found = "all found" if join.measured.holds else f"{min(99.99, 100 * (1 - join.measured.error)):.4g}% found"
    return f"broken, {found}" if join.broken else f"{join.reading.likelihood:.0%} likely, {found}"


def _text(root: ET.Element, x: float, y: float, text: str, style: Mapping[str, str]) -> None:
    ET.SubElement(root, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", **style}).text = _short(text)


def _short(text: str, most: int = _MOST_CHARACTERS) -> str:
    """Without characters that XML does not have, and not too long."""
    plain = "".join(c if c.isprintable() else "�" for c in text)
    return plain if len(plain) <= most else plain[: most - 1] + "…"
