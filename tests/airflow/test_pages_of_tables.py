"""The pages of tables, columns, rules and references, over a shop that is really applied."""

import re

import pytest
from helpers.morning_shop import BAD, DATASET, make
from helpers.pages_client import asking

pytestmark = pytest.mark.airflow
HERE = f"/datasets/{DATASET}"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return make(tmp_path_factory.mktemp("shop"))


@pytest.fixture
def client(shop):
    with asking(shop) as asked:
        yield asked


def page(client, path):
    answer = client.get(HERE + path)
    assert answer.status_code == 200, answer.text
    return re.sub(r"<style>.*?</style>|<script>.*?</script>", "", answer.text, flags=re.DOTALL)


def data(client, path):
    answer = client.get(f"/api/v1{HERE}{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_table_says_how_many_rows_came_and_how_many_are_usual(client):
    found = data(client, "/table?name=orders")
    newest = found["loads"][-1]
    assert (newest["label"], newest["value"]) == (BAD, 95)
    assert 20 < newest["low"] < 34 < newest["high"] < 50
    assert [load["low"] is None for load in found["loads"]] == [True] * 7 + [False] * 6
    assert [load["low"] <= load["value"] <= load["high"] for load in found["loads"][7:]] == [True] * 5 + [False]
    said = page(client, "/table?name=orders")
    assert (
        f"brought <b>95</b> new or changed rows; <b>{newest['low']:.0f} to {newest['high']:.0f}</b> were usual" in said
    )
    (odd,) = re.findall(r'<a href="([^"]*)" aria-label="([^"]*)"><circle', said)
    assert odd[0] == f"{HERE}/incidents/{found['incidents'][0]}"
    assert odd[1].startswith(f"{BAD}: 95, usual ")


def test_rules_of_single_columns_are_folded_with_their_column(client):
    said = page(client, "/table?name=parcels")
    folded = dict(
        re.findall(r'name=(\w+)"><bdi>\w+</bdi></a>.*?(<td>(?:<details.*?</details>)?\s*</td>)</tr>', said, re.DOTALL)
    )
    assert "weight in parcels is" in folded["weight"]
    assert "weight" not in folded["city"]


def test_the_list_of_rules_has_one_line_for_those_of_a_single_column_that_hold(client):
    said = page(client, "/rules")
    assert re.search(r"2 rules<bdi> of orders.order alone, which hold</bdi>", said)
    assert said.index("order in orders looks like") > said.index("of orders.order alone")
    assert "of orders.order alone" not in page(client, "/rules?kind=column")


def test_a_column_says_what_it_is_and_what_is_usual_of_it(client):
    found = data(client, "/column?table=orders&name=note")
    assert found["role"]["role"] == "flag"
    assert found["nulls"] + found["valued"] == 473
    assert found["distinct"] == 1
    assert found["commonest"] == [["fragile", found["valued"]]]
    shares = [load["value"] for load in found["empty"]]
    assert all(0.7 < share < 0.9 for share in shares)
    said = page(client, "/column?table=orders&name=note")
    assert re.search(
        r"<b>\d+%</b> of the rows have none in the newest load, 2024-05-13; <b>\d+% to \d+%</b> are usual", said
    )


def test_a_column_of_numbers_shows_its_reach_beside_its_rule(client):
    found = data(client, "/column?table=parcels&name=weight")
    assert {(day["low_text"], day["high_text"]) for day in found["reach"]} == {("2", "5")}
    assert "its rule says <b><bdi>2</bdi> to <bdi>5</bdi></b>" in page(client, "/column?table=parcels&name=weight")


def test_a_column_names_its_incidents_references_and_rules_with_others(client):
    said = page(client, "/column?table=customers&name=zip")
    assert "Rules with other columns" in said
    assert "{zip} → city" in said
    said = page(client, "/column?table=orders&name=customer")
    assert "broken" in said
    assert "Every customer in orders occurs in customers" in said


def test_a_broken_reference_is_marked_in_the_picture_and_leads_to_its_rule(client):
    broken = [join for join in data(client, "/joins")["joins"] if join["broken"]]
    orders = next(join for join in broken if join["from"]["table"] == "orders")
    said = page(client, "/joins")
    drawn = re.search(rf'<a href="([^"]*{orders["fingerprint"]})"[^>]*><path [^>]*class="join broken"', said)
    assert drawn
    assert client.get(drawn[1]).status_code == 200
    assert "broken, 98." in said


def test_a_rule_counts_a_pair_of_rows_once_and_says_which_rows_each_delta_brought(client, shop):
    (found,) = [t for t in shop.catalog().tracked(DATASET) if t.measured.constraint.text == "{zip} → city"]
    place = f"/constraints/{found.fingerprint}"
    said, pairs = page(client, place), found.measured.violations // 2
    assert f"{pairs} pairs of rows contradict each other, since {BAD}" in said
    assert f"<title>{BAD}: {pairs} pairs</title>" in said
    assert f"<title>{BAD}: 2 rows</title>" in said
    assert [delta["rows"] for delta in data(client, place)["rows_per_delta"]] == [0, 2]


def test_an_incident_names_the_file_and_line_of_each_row_and_of_the_one_that_it_contradicts(client, shop):
    (number,) = [i.number for i in shop.catalog().incidents(DATASET) if i.table == "customers"]
    said = page(client, f"/incidents/{number}")
    assert f"from the file <bdi>{BAD}.csv</bdi>" in said
    assert data(client, f"/incidents/{number}")["files"] == [f"{BAD}.csv"]
    landing = shop.root / "landing" / "customers"
    for finding in data(client, f"/incidents/{number}")["findings"]:
        for row in finding["rows"]:
            for place, values in ((row["place"], row["values"]), (row["beside_place"], row["beside"])):
                file, line = re.fullmatch(r"(.+\.csv), line (\d+)", place).groups()
                assert (landing / file).read_text("utf-8").splitlines()[int(line) - 1].startswith(values["customer"])
                assert f"<bdi>{place}</bdi>" in said
    (message,) = [a.message for a in shop.catalog().alerts(DATASET) if a.table == "customers"]
    assert f"customer c1390, {BAD}.csv, line 15: " in message


def test_all_rows_of_a_rule_and_their_csv_say_where_each_came_from(client, shop):
    (found,) = [t for t in shop.catalog().tracked(DATASET) if t.measured.constraint.text == "{zip} → city"]
    said = page(client, f"/constraints/{found.fingerprint}/rows")
    assert f"<bdi>{BAD}.csv, line 15</bdi>" in said
    header, *rows = client.get(f"{HERE}/constraints/{found.fingerprint}/rows.csv").text.splitlines()
    assert header == "zip,city,customer,delta,file,line"
    assert f"10,Kiel,c1390,{BAD},{BAD}.csv,15" in rows


def test_two_changes_of_which_either_would_mend_a_row_are_told_as_alternatives(client, shop):
    (number,) = [i.number for i in shop.catalog().incidents(DATASET) if i.table == "customers"]
    said = page(client, f"/incidents/{number}")
    assert "zip is wrong: which of them cannot be told" in said
    assert said.count(">either should be <bdi>14</bdi></span>") == 2
    assert said.count(">or should be <bdi>Bonn</bdi></span>") == 1
    (message,) = [a.message for a in shop.catalog().alerts(DATASET) if a.table == "customers"]
    assert "▶ either city Kiel should be Bonn, or zip 10 should be 14" in message
    assert "city or zip is wrong: which of them cannot be told" in message


def test_values_of_a_redacted_column_are_on_no_page(tmp_path):
    shop = make(tmp_path)
    file = shop.datasets_dir / f"{DATASET}.yaml"
    file.write_text(
        file.read_text("utf-8").replace("key: [order]", "key: [order], columns: {note: {redacted: true}}"), "utf-8"
    )
    with asking(shop) as client:
        for path in ("/table?name=orders", "/column?table=orders&name=note"):
            assert "fragile" not in page(client, path)
            assert "fragile" not in client.get(f"/api/v1{HERE}{path}").text


@pytest.mark.parametrize(
    "path", ["/table?name=nothing", "/column?table=orders&name=nothing", "/column?table=x&name=note"]
)
def test_what_is_not_there_is_said(client, path):
    assert client.get(HERE + path).status_code == 404
