"""New values that are told from what comes by right: another column's, those beside a fixed set, and misspelt ones."""

import random

from profiling_core.algorithms.columns.history import Seen
from profiling_core.algorithms.columns.new_values import misplaced, unusual

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


AIRPORTS = (
    "ATL ALB AMA AUS BHM BNA BOI BUR BWI CLE CMH CRP DAL DTW ELP FLL HOU HRL IAD IND ISP JAN JAX LAS LAX LBB LIT MAF "
    "MCI MCO MDW MHT MSY OAK OKC OMA ONT ORF PBI PDX PHL PHX PIT PVD RDU RNO RSW SAN SAT SDF SEA SFO SJC SLC SMF SNA "
    "STL TPA TUL TUS"
)


def test_a_code_of_characters_that_others_hardly_have_is_told_where_new_ones_come_often():
    codes = {name: Seen(90, max(1, place - 25), 40) for place, name in enumerate(AIRPORTS.split())}
    assert unusual({"QXQ": 1}, codes, 40) == {"QXQ"}
    assert unusual({"ABI": 1}, codes, 40) == set()


def test_what_is_common_is_misspelt_though_there_are_rare_names_alike():
    names = {
        f"{a} AIR{b}": Seen(3, 1 + place, 40) for place, a in enumerate(["NORTH", "SOUTH", "COAST"]) for b in "SWXZ"
    }
    lines = ["DELTA LINES", "UNITED LINES", "AMERICAN LINES", "ALASKA LINES"]
    names |= {name: Seen(40, 1 + place, 40) for place, name in enumerate(lines)}
    assert unusual({"AMERICN LINES": 1}, names, 40) == {"AMERICN LINES"}
    assert unusual({"NORTH AIRT": 1}, names, 40) == set()


def test_types_that_differ_by_digits_do_not_hide_one_that_differs_by_a_letter():
    types = {f"{maker}-{number}": Seen(30, 1 + number % 30, 40) for maker in "ABCD" for number in range(310, 350, 4)}
    assert unusual({"B-332": 1}, types, 40) == set()
    assert unusual({"B-33o": 1}, types, 40) == {"B-33o"}


def test_a_known_value_in_capitals_or_with_blanks_is_told_though_new_ones_come():
    names = {
        name: Seen(40, 1 + place * 3, 40)
        for place, name in enumerate(("Zug Altstadt", "Bern West", "Chur Ost", "Thun Süd", "Biel", "Olten", "Uster"))
    }
    assert unusual({"Zug  Altstadt": 1}, names, 40) == {"Zug  Altstadt"}
    assert unusual({"BERN WEST": 1}, names, 40) == {"BERN WEST"}
    assert unusual({"Lugano Centro": 1}, names, 40) == set()
    capitals = {name.upper(): 2 for name in names}
    assert unusual(capitals, names, 40) == set(capitals)


def test_a_new_value_in_many_rows_is_no_news_where_new_ones_have_come_so():
    campaigns = {f"C{n}": Seen(20 * 12, 1, 20) for n in range(1, 7)}
    seldom = campaigns | {"C7": Seen(2, 16, 17)}
    often = campaigns | {"C7": Seen(14 * 20, 16, 29), "C8": Seen(9 * 30, 21, 29)}
    found = {"C3": 80, "C4": 60, "C9": 34}
    assert unusual(found, seldom, 29) == {"C9"}
    assert unusual(found, often, 29) == set()
    assert unusual(found | {"C9": 120}, often, 29) == {"C9"}


def test_a_long_name_that_is_a_letter_from_another_is_told_though_new_ones_come_now_and_then():
    programs = ("Web Client", "for Android", "for iPhone", "for iPad", "Ads Manager", "Media Studio", "for Websites")
    more = ("for BlackBerry", "Mirror Image", "Lite Edition", "for Windows", "Mobile Web")
    names = {f"Twitter {name}": Seen(60, 1 + 6 * place, 68) for place, name in enumerate(programs + more)}
    assert unusual({"Twitter for iPad": 3, "Twitter Media Stadio": 1}, names, 68) == {"Twitter Media Stadio"}
    assert unusual({"Twitter for Tablets": 1}, names, 68) == set()
    codes = {f"kx-{number:04}": Seen(60, 1 + number // 2, 68) for number in range(1, 133, 11)}
    assert unusual({"kx-0002": 1}, codes, 68) == set()


def test_of_names_that_come_new_in_each_delta_one_may_be_like_a_known_one():
    rng = random.Random(1)
    names = ["".join(rng.choices("abcdefghijklmnop", k=7)) + "01" for _ in range(840)]
    players = {name: Seen(1 + place % 17, 1 + place // 20, 40) for place, name in enumerate(names[:800])}
    alike = names[16][:2] + ("a" if names[16][2] != "a" else "b") + names[16][3:]
    assert unusual({**dict.fromkeys(names[800:], 1), alike: 1}, players, 40) == set()


TEAMS = (
    "Bayern Muenchen, Werder Bremen, 1. FC Koeln, VfB Stuttgart, Hamburger SV, Bayer Leverkusen, Borussia Dortmund, "
    "Eintracht Frankfurt, Karlsruher SC, Wattenscheid 09, 1. FC Kaiserslautern, VfL Bochum, Fortuna Duesseldorf, "
    "1. FC Nuernberg, Hertha BSC, FC St. Pauli, Bayer Uerdingen, Borussia Moenchengladbach"
)


def test_a_season_that_begins_after_a_pause_has_new_teams():
    teams = {name: Seen(20, 1, 40) for name in TEAMS.split(", ")}
    promoted = {"MSV Duisburg": 1, "Schalke 04": 1, "Hansa Rostock": 1, "Dynamo Dresden": 1, "Stuttgarter Kickers": 1}
    found = dict.fromkeys(list(teams)[:5], 1) | promoted
    assert unusual(found, teams, 40) == set(promoted)
    assert unusual(found, teams, 40, after_pause=True) == set()
    assert unusual(found | {"Werder  bremen": 1}, teams, 40, after_pause=True) == {"Werder  bremen"}
