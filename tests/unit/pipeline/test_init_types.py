"""What init proposes where a column has other types in other files: types are united as ingest unites them."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.landing import put

from profiling_core.ingest.sources.objects import Copies
from profiling_core.model.errors import ConfigurationError, InputError
from profiling_core.pipeline.init.looking import look
from profiling_core.pipeline.init.proposal import TableProposal
from profiling_core.pipeline.init.writing import write
from profiling_core.state.settings import Settings


def looked(root: Path, files: dict[str, object], name: str = "orders") -> list[TableProposal]:
    """What is proposed of a folder after files are written into it."""
    put(root / name, files)
    settings = Settings.discover(root, {"HOLDFAST_ROOT": str(root)})
    return look(str(root / name), settings, Copies(settings))


@pytest.mark.parametrize(
    ("first", "second", "null"),
    [
        ("", "1,5\n2,6", None),
        ("1,5\n2,6", "1,5.5\n3,6.5", None),
        ("1,5\n2,6", "1,5\n2,NA", "NA"),
        ("1,1004\n2,1005", "1,A1004\n2,1005", None),
        ("1,2024-01-01\n2,2024-01-02", "1,2024-01-01 10:00:00\n2,2024-01-02 11:00:00", None),
        ("1,true\n2,false", "1,1\n2,0", None),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_two_files_of_other_types_are_proposed_as_one_table(tmp_path: Path, first: str, second: str, null, order: int):
    days = enumerate([first, second][::order], 1)
    (made,) = looked(tmp_path, {f"2024-01-0{day}.csv": f"id,x\n{rows}\n" if rows else "id,x\n" for day, rows in days})
    assert made.key == ("id",)
    assert made.nulls == ({"x": [null]} if null else {})


@pytest.mark.parametrize(
    ("types", "said"),
    [
        ([pa.int32(), pa.float64(), pa.decimal128(10, 2), pa.int64(), pa.int8()], ""),
        ([pa.int32(), pa.int32(), pa.int32(), pa.string(), pa.int32()], "'x' is integer in the files before, but str"),
        ([pa.date32(), pa.timestamp("us"), pa.bool_()], "'x' is timestamp in the files before, but boolean here"),
    ],
)
def test_parquet_files_are_proposed_if_ingest_can_unite_their_types(
    tmp_path: Path, types: list[pa.DataType], said: str
):
    files = {
        f"2024-01-0{day}.parquet": {"id": [2 * day, 2 * day + 1], "x": pa.nulls(2, type_)}
        for day, type_ in enumerate(types, 1)
    }
    if said:
        with pytest.raises(InputError, match=said):
            looked(tmp_path, files)
    else:
        assert [made.key for made in looked(tmp_path, files)] == [("id",)]


def test_a_parquet_column_without_a_type_is_one_of_texts(tmp_path: Path):
    rows = {"id": [1, 2], "x": [None, None]}
    (made,) = looked(tmp_path, {"2024-01-01.parquet": rows, "2024-01-02.parquet": rows})
    assert made.key == ("id",)


def test_empty_file_beside_others_is_passed_over_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    files = {"2024-01-01.csv": "id,x\n1,a\n", "2024-01-02.csv": "", "2024-01-03.csv": "id,x\n2,b\n"}
    (made,) = looked(tmp_path, files)
    assert made.table == "orders"
    said = "is passed over: it is empty; apply refuses it beside other deltas of its table"
    assert caplog.messages == [f"{tmp_path / 'orders' / '2024-01-02.csv'} {said}"]


@pytest.mark.parametrize(("csv", "said"), [("2024-01-01", True), ("customers", False)])
def test_deltas_of_two_formats_are_tables_of_their_own_and_said(tmp_path: Path, caplog, csv: str, said: bool):
    files = {f"{csv}.csv": "id,x\n1,a\n2,b\n", "2024-01-02.parquet": {"id": [3, 4], "x": ["c", "d"]}}
    assert {one.source["format"] for one in looked(tmp_path, files)} == {"csv", "parquet"}
    told = f"the files of {tmp_path / 'orders'} are taken for a table each: they end in .csv and .parquet, "
    assert [message.startswith(told) for message in caplog.messages] == [True] * said


@pytest.mark.parametrize(
    ("rows", "nulls"),
    [
        ([1, "n/a", 3.5], {"x": ["n/a"]}),
        (["2024-01-01", "NULL", "2024-02-01"], {"x": ["NULL"]}),
        ([True, "NA", False], {"x": ["NA"]}),
        (["1", "NULL", "3"], {}),
        (["Smith", "None", "Li"], {}),
    ],
)
def test_null_words_among_values_of_json_are_proposed(tmp_path: Path, rows: list[object], nulls: dict[str, list[str]]):
    lines = "".join(json.dumps({"id": i, "x": x}) + "\n" for i, x in enumerate(rows))
    (made,) = looked(tmp_path, {"2024-01-01.jsonl": lines})
    assert made.nulls == nulls


def test_tables_that_would_have_one_name_are_named_with_their_places(tmp_path: Path):
    settings = Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)})
    files = {f"{name}/2024-01-01.csv": "id,x\n1,5\n2,6\n" for name in ("Продажи", "Клиенты")}
    with pytest.raises(ConfigurationError, match="Latin letters") as refused:
        write(settings, "shop", looked(tmp_path, files, "landing"))
    assert "Продажи" in str(refused.value)
    assert "Клиенты" in str(refused.value)


def test_parquet_file_without_columns_is_refused_as_one(tmp_path: Path):
    with pytest.raises(InputError, match="the file has no columns"):
        looked(tmp_path, {"2024-01-01.parquet": {}})


@pytest.mark.parametrize(("place", "told"), [(2, "c"), (9, "c and y"), (0, "")])
def test_the_first_delta_with_other_columns_is_told_wherever_it_lies(tmp_path: Path, caplog, place: int, told: str):
    files = {f"2024-01-{day:02d}.csv": f"id,y\n{2 * day},1\n{2 * day + 1},2\n" for day in range(1, 20)}
    if place:
        files[f"2024-01-{place:02d}.csv"] = "id,c\n3,1\n" if "y" in told else "id,y,c\n3,1,2\n"
    looked(tmp_path, files)
    said = f"2024-01-{place:02d}.csv has other columns than the files before ({told}): apply those by themselves first"
    assert [said in message for message in caplog.messages] == [True] * bool(told)


def test_directories_of_years_are_told_to_be_tables(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    made = looked(tmp_path, {f"2024/0{month}/1.csv": f"id\n{month}\n" for month in (1, 2)})
    assert [one.table for one in made] == ["2024"]
    said = "is taken for a table of its own; what lands in a directory beside it is not read"
    assert caplog.messages == [f"{tmp_path / 'orders' / '2024'} {said}"]


def test_a_file_where_it_would_land_is_the_first_delta(tmp_path: Path):
    put(tmp_path / "landing" / "orders", {"orders.csv": "id,n\n1,2\n2,3\n"})
    places = Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)})
    write(places, "one", look(str(tmp_path / "landing" / "orders" / "orders.csv"), places, Copies(places)))
    assert [path.name for path in (tmp_path / "landing" / "orders").iterdir()] == ["orders.csv"]
