"""The join graph as a picture: what stands on it, and that three tables and thirty can be read."""

from itertools import combinations
from xml.etree import ElementTree as ET

import pytest

from profiling_core.algorithms.inclusions.foreign_keys import KeyReading
from profiling_core.model.constraint import ColumnList, InclusionDependency, Measured
from profiling_core.pipeline.join_drawing import draw, drawn_in_a_page
from profiling_core.pipeline.joins import Join, JoinGraph

SVG = "{http://www.w3.org/2000/svg}"
LIKELY = KeyReading(0.93, True, 1.0, 1.0, 1.0, True, True, True, True, False, False, False)


def join(included, referenced, missing=0, *, broken=False):
    sides = [ColumnList(table, tuple(columns.split(","))) for table, columns in (included, referenced)]
    inclusion = InclusionDependency(*sides)
    return Join(inclusion, Measured(inclusion, missing, 2000, 2000 - missing, 1.0), LIKELY, broken)


def graph(*joins, **tables):
    return JoinGraph("shop <1>", 3, tables, joins)


LINES = join(("lines", "l_part"), ("parts", "p_part"))
STOCK = join(("lines", "l_part,l_supplier"), ("stock", "s_part,s_supplier"))
PARTIAL = join(("stock", "s_part"), ("parts", "p_part"), 20)
BROKEN = join(("lines", "l_supplier"), ("suppliers", "id"), 14, broken=True)
TABLES = {"lines": 9000, "stock": 8000, "parts": 2000, "suppliers": 10, "<script>": 0}


def texts(picture):
    return ["".join(element.itertext()) for element in ET.fromstring(picture).iter(f"{SVG}text")]  # our own picture


def test_the_picture_shows_tables_columns_and_joins_with_text_escaped():
    picture = draw(graph(LINES, STOCK, PARTIAL, **TABLES))
    assert {"lines", "parts", "stock", "l_part", "s_supplier", "<script>", "9,000 rows"} <= set(texts(picture))
    assert picture.count("marker-end") == 3
    assert "<script>" not in picture


def test_an_arrow_says_how_likely_it_is_which_share_is_found_and_whether_it_is_broken():
    said = texts(draw(graph(LINES, PARTIAL, BROKEN, **TABLES)))
    assert {"93% likely, all found", "93% likely, 99% found", "broken, 99.3% found"} <= set(said)


def test_in_a_page_each_arrow_leads_to_its_rule_and_no_colour_is_written():
    picture = drawn_in_a_page(graph(LINES, BROKEN, **TABLES), lambda one: f"/rules/{one.inclusion.fingerprint}")
    links = [element.get("href") for element in ET.fromstring(picture).iter(f"{SVG}a")]
    assert links == [f"/rules/{one.inclusion.fingerprint}" for one in (LINES, BROKEN)]
    assert 'class="join broken"' in picture
    assert "<style" not in picture
    assert 'style="' not in picture


def test_cycles_joins_within_a_table_and_no_tables_at_all_are_drawn():
    cycle = [join(("lines", "l_part"), ("parts", "p_part")), join(("parts", "p_size"), ("lines", "l_part"))]
    within = join(("parts", "p_size"), ("parts", "p_part"))
    assert draw(graph(*cycle, within, lines=1, parts=2)).count("marker-end") == 3
    assert draw(graph(alone=1)).count('class="box"') == 1


@pytest.mark.parametrize("sources", [2, 30])
def test_boxes_do_not_overlap_and_stay_within_the_picture(sources):
    names = [f"fact{number:02}" for number in range(sources)]
    hubs = [join((name, hub), (hub, "id")) for name in names for hub in ("country", "product")]
    tables = dict.fromkeys([*names, "country", "product", "alone"], 7)
    root = ET.fromstring(draw(graph(*hubs, **tables)))
    places = [
        [float(box.get(name)) for name in ("x", "y", "width", "height")]
        for box in root.iter(f"{SVG}rect")
        if box.get("class") == "box"
    ]
    assert len(places) == sources + 3
    for (x, y, width, height), (other_x, other_y, other_width, other_height) in combinations(places, 2):
        beside = x + width <= other_x or other_x + other_width <= x
        assert beside or y + height <= other_y or other_y + other_height <= y
    wide, high = float(root.get("width")), float(root.get("height"))
    assert all(x >= 0 and x + width <= wide and y >= 0 and y + height <= high for x, y, width, height in places)
    assert high < 70 * sources + 300
    assert ET.tostring(root) == ET.tostring(ET.fromstring(draw(graph(*hubs, **tables))))
