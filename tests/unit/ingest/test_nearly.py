"""What becomes text though most of it looks like something else is said, with an example."""

from pathlib import Path

import pyarrow as pa
import pytest

from profiling_core.ingest.files import read_table
from profiling_core.ingest.nearly import said_of, said_of_all
from profiling_core.ingest.sources.objects import Copies
from profiling_core.pipeline.init.landing_files import proposed
from profiling_core.pipeline.init.looking import look
from profiling_core.pipeline.init.writing import text_of
from profiling_core.state.settings import Settings


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["1", "2", "3", "n.v."], "3 of 4 distinct values are whole numbers, but 'n.v.' is not"),
        (["1", "2", "3", "two"], "null_values: ['two']; to have its row rejected, type: integer)"),
        (["2024-01-02", "2024-01-03", "soon"], "null_values: ['soon']; to have its row rejected, type: date)"),
        (["1.5", "2", "3", "$4.20"], "3 of 4 distinct values are numbers, but '$4.20' is not"),
        (["2024-01-02", "2024-01-03", "soon"], "2 of 3 distinct values are days, but 'soon' is not"),
        (["5 %", "7 %", "7"], "to read it as 7 write under columns.x type: decimal, unit: '%'"),
        (["$5", "$7", "€7"], "2 of 3 distinct values are whole numbers with '$', but '€7' is not"),
        (["08:15", "09:00", "36:15"], "2 of 3 distinct values are times of a day, but '36:15' is not"),
        (["01.02.24", "31.12.24"], "its years have two digits"),
        (["01/02/2024", "03/04/2024"], "the order of day and month is ambiguous"),
        (
            ["1.5", "2.5", "3.5", "inf"],
            "'inf' is not (where it means no value, write under columns.x null_values: ['inf'])",
        ),
        (
            ["1", "2", "3", "NaN"],
            "'NaN' is not (where it means no value, write under columns.x null_values: ['NaN']; to have its row",
        ),
        (["2024-01-01 10:00:00.1234567"], "its moments are finer than microseconds"),
        (["01067", "50667", "A1"], ""),
        (["12 High Street", "7 Low Street"], ""),
        (["Bonn", "Ulm", "1"], ""),
        ([None], ""),
    ],
)
def test_the_value_in_the_way_is_named(texts: list[str | None], said: str):
    found = said_of("x", pa.array(texts, pa.string()))
    assert said in found
    assert bool(said) == bool(found)


def test_a_value_in_the_way_is_named_where_it_comes_late(tmp_path: Path):
    path = tmp_path / "orders.csv"
    path.write_text("id,share\n" + "".join(f"{i},{i} %\n" for i in range(200_000)) + "200000,7\n")
    told: list[str] = []
    read_table(path, null_values=None, told=told.append)
    assert "but '7' is not" in " ".join(told)


def test_the_value_that_no_wider_type_holds_is_named():
    chunks = [pa.array(["1", "2", "3"]), pa.array(["4", "5.5"]), pa.array(["6.5", "A20"])]
    assert "'A20' is not" in said_of_all("x", chunks)
    assert not said_of_all("x", chunks[:2])


def test_a_feed_with_one_day_a_file_says_which_day_is_none():
    days = [pa.array([f"2024-05-{day:02}"] * 40) for day in (1, 2, 3)]
    assert "3 of 4 distinct values are days, but '2024-06-31' is not" in said_of_all(
        "x", [days[0], pa.array(["2024-06-31"]), *days[1:]]
    )


def test_the_place_of_the_value_in_the_way_is_named(tmp_path: Path):
    for day, odd in ((1, "7"), (2, "seven"), (3, "8")):
        rows = "".join(f"{day}{i},{i}\n" for i in range(6))
        (tmp_path / f"2024-05-0{day}.csv").write_text(f"id,count\n{rows}{day}6,{odd}\n")
    (made,) = look(str(tmp_path), settings := Settings.of_new(), Copies(settings))
    assert made.notes["null_values"].endswith("): see 2024-05-02.csv, line 8")
    told: list[str] = []
    read_table(tmp_path / "2024-05-02.csv", null_values=None, told=told.append)
    assert told[0].endswith("): see line 8")


def test_the_form_of_numbers_is_said(tmp_path: Path):
    path = tmp_path / "orders.csv"
    path.write_text("id,share\n1,5 %\n2,7 %\n")
    told: list[str] = []
    read_table(path, null_values=None, told=told.append)
    assert told == ["share is read as numbers with '%'"]
    assert "# share is read as numbers with '%'" in text_of("shop", [proposed(path)])


@pytest.mark.parametrize(("text", "form"), [("(1,234.50)", "in brackets"), ("1,234.50-", "a minus follows")])
def test_columns_of_negative_numbers_alone_are_read_exactly_and_said(tmp_path: Path, text: str, form: str):
    path, said = (
        tmp_path / "costs.csv",
        f"negative where {form} (where it means no minus, write under columns.cost type: string)",
    )
    path.write_text("id,cost\n" + "".join(f'{i},"{text.replace("234", str(200 + i))}"\n' for i in range(20)))
    told: list[str] = []
    _, table = read_table(path, null_values=None, told=told.append)
    assert table["cost"].to_pylist() == [-1200.5 - i for i in range(20)]
    assert told[-1] == f"cost is read as numbers {said}"
    assert said in text_of("shop", [proposed(path)])


def test_discover_and_init_say_it(tmp_path: Path):
    path = tmp_path / "orders.csv"
    path.write_text("id,amount\n1,5\n2,6\n3,n.v.\n")
    told: list[str] = []
    read_table(path, null_values=None, told=told.append)
    (said,) = told
    assert said.startswith("amount is text, though 2 of 3 distinct values are whole numbers, but 'n.v.' is not")
    assert f"# {said.replace('see line 4', 'see orders.csv, line 4')}" in text_of("shop", [proposed(path)])
