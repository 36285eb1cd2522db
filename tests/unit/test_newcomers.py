"""New values that are told from what comes by right: another column's, those beside a fixed set, and misspelt ones."""

from profiling_core.algorithms.columns.history import Seen
from profiling_core.algorithms.columns.newcomers import misplaced, unusual

PLACES = {name: Seen(90, 1, 30) for name in ("Ulm", "Köln", "Bonn", "Jena")}
LINES = {name: Seen(60, 1, 30) for name in ("Rote Linie", "Blaue Linie", "Grüne Linie")}


def test_a_value_of_another_column_is_told_where_the_two_share_none():
    assert misplaced({"Ulm": 4, "Rote Linie": 1, "Lila Linie": 1}, PLACES, [LINES]) == {"Rote Linie"}
    assert misplaced({"Ulm": 4}, PLACES, [LINES]) == set()


def test_a_value_is_no_others_where_it_came_there_seldom_or_columns_share_values():
    seldom = LINES | {"Rote Linie": Seen(2, 1, 30)}
    assert misplaced({"Rote Linie": 1}, PLACES, [seldom]) == set()
    assert misplaced({"Rote Linie": 1}, PLACES, [LINES | {"Ulm": Seen(9, 1, 30)}]) == set()


def test_where_the_same_values_come_each_time_any_new_one_is_told():
    states = {f"{a}{b}": Seen(30, 1, 30) for a in "ABCDEF" for b in "KLMNO"}
    del states["CN"]
    found = dict.fromkeys(states, 1)
    assert unusual(found | {"CN": 1}, states, 30) == {"CN"}
    assert unusual(found, states, 30) == set()
    came_later = states | {"FO": Seen(20, 11, 30)}
    assert unusual(found | {"CN": 1}, came_later, 30) == set()


def test_a_misspelt_name_is_told_though_a_season_brought_many_new_ones():
    names = {
        f"{a} {b}": Seen(25, 1, 53) for a in ("Real", "Inter", "Sparta", "Union") for b in ("Prag", "Graz", "Linz")
    }
    names |= {f"{a} {b}": Seen(9, 40, 53) for a in ("Dynamo", "Eintracht") for b in ("Kiel", "Bern", "Essen")}
    assert unusual({"Inter Graz": 3, "Inter Grez": 1}, names, 53) == {"Inter Grez"}
