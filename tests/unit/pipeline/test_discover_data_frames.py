"""The rules of DataFrames are those of the file that holds the same rows."""

import json
import random
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import profiling_core
from profiling_core.ingest.files import read_table
from profiling_core.model.errors import InputError
from profiling_core.pipeline.library import data_frames

ROWS = 240
PARTS = pa.table(
    {
        "part_id": [3 * i for i in range(ROWS)],
        "shelf": [f"S{i % 24:02}" for i in range(ROWS)],
        "aisle": [f"A{i % 24 // 6}" for i in range(ROWS)],
        "price": [(i * 37 % 901) / 100 for i in range(ROWS)],
        "count": [i * i % 29 for i in range(ROWS)],
    }
).append_column("worth", pa.array([(i * 37 % 901) * (i * i % 29) / 100 for i in range(ROWS)]))
EXPECTED = ["unique {part_id}", "worth = price·count", "{shelf} → aisle", "count = 0 ⇔ worth = 0"]


def texts(found) -> list[str]:
    return [constraint["text"] for constraint in found]


@pytest.mark.parametrize(
    "frame",
    [
        PARTS,
        PARTS.to_pandas(),
        PARTS.to_pandas(types_mapper=pd.ArrowDtype),
        pl.from_arrow(PARTS),
        duckdb.from_arrow(PARTS),
        pa.RecordBatchReader.from_batches(PARTS.schema, PARTS.to_batches()),
    ],
    ids=["arrow", "pandas", "pandas with Arrow types", "Polars", "another library's relation", "a stream of batches"],
)
def test_any_table_that_exports_arrow_has_its_rules(frame):
    assert texts(profiling_core.discover(frame)) == EXPECTED


def test_what_a_program_gets_is_what_the_command_writes(tmp_path: Path, holdfast):
    pq.write_table(PARTS, tmp_path / "parts.parquet")
    written = holdfast("discover", tmp_path / "parts.parquet", "--json", "-").out
    assert json.loads(written) == json.loads(profiling_core.discover(PARTS, name="parts").to_json())


def test_several_tables_refer_to_each_other():
    picks = pa.table({"pick": [f"p{i}" for i in range(90)], "part_id": [3 * (i * 7 % ROWS) for i in range(90)]})
    found = profiling_core.discover({"parts": PARTS, "picks": picks})
    assert "picks.part_id ⊆ parts.part_id" in texts(found)
    assert len(found) == len(texts(found))


def test_a_notebook_shows_names_and_values_as_text():
    hostile = PARTS.rename_columns(["<script>alert(1)</script>_id", *PARTS.column_names[1:]])
    shown = profiling_core.discover(hostile)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert shown.count("<tr>") == 1 + len(EXPECTED)


def test_what_is_no_table_is_an_error_in_words():
    with pytest.raises(InputError, match="is no table"):
        profiling_core.discover([1, 2, 3])
    with pytest.raises(InputError, match="there is no table"):
        profiling_core.discover({})
    for empty in (pd.DataFrame(), pa.table({}), pd.DataFrame(index=[3, 4]), {"orders": pd.DataFrame()}):
        with pytest.raises(InputError, match="the table has no columns"):
            profiling_core.discover(empty)
    assert texts(profiling_core.discover(PARTS.slice(0, 0))) == []
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    for odd in (twice, pd.DataFrame({"a": [1 + 2j]}), pd.DataFrame({"a": [1, "b"]})):
        with pytest.raises(InputError, match="Arrow cannot hold the table"):
            profiling_core.discover(odd)


def test_lists_times_and_structs_are_texts():
    rows = PARTS.append_column("tags", pa.array([[i // 24] for i in range(ROWS)])).append_column(
        "at", pa.array([60 * (i * 7 % 24) for i in range(ROWS)], pa.time32("s"))
    )
    found = profiling_core.discover(rows)
    assert {"{shelf} → aisle", "{shelf} → at"} <= set(texts(found))


def test_texts_of_a_data_frame_are_days_and_its_nameless_index_is_no_column():
    days = [f"2024-{1 + i // 56:02}-{1 + i // 2 % 28:02}" for i in range(ROWS)]
    frame = pd.DataFrame(
        {"code": [f"{i:04}" for i in range(ROWS)], "ordered": days, "shipped": [*days[1:], "2024-12-24"]}
    )
    (table,) = profiling_core.discover(frame).tables
    assert [table.roles[name].role.value for name in ("ordered", "shipped")] == ["date", "date"]
    assert table.roles["code"].role.value == "identifier"
    (table,) = profiling_core.discover(frame.set_index(pd.Index(range(7, ROWS + 7)))).tables
    assert "__index_level_0__" not in table.roles
    (table,) = profiling_core.discover(frame.set_index(pd.Index(range(7, ROWS + 7), name="no"))).tables
    assert "no" in table.roles
    assert data_frames.as_arrow("some of the rows", frame[5:9]).column_names == ["code", "ordered", "shipped"]


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "Polars", "Arrow"])
def test_texts_of_a_data_frame_are_read_as_the_file_would_be(tmp_path: Path, made):
    rows = 60
    texts = {
        "code": [f"{i:05}" for i in range(rows)],
        "price": [f"€ {i % 7},50" for i in range(rows)],
        "share": [f"{i % 9} %" for i in range(rows)],
        "opens": [f"0{i % 5 + 5}:15" for i in range(rows)],
        "day": [f"{i % 28 + 1}.3.2024" for i in range(rows)],
        "count": [str(i % 11) if i % 10 else "n/a" for i in range(rows)],
    }
    frame = made(texts)
    path = tmp_path / "table.csv"
    pd.DataFrame(texts).to_csv(path, index=False)
    schema, table = read_table(path, null_values=None)
    found = data_frames._rows("table", frame)
    assert [c.type for c in found.schema.columns] == [c.type for c in schema.columns]
    assert found.rows.to_pylist() == table.to_pylist()
    assert [str(c.type) for c in schema.columns] == ["string", "float", "integer", "time", "date", "integer"]


def test_rules_are_printed_a_line_each_and_the_package_says_what_it_has():
    found = profiling_core.discover(PARTS)
    shown = str(found)
    assert shown == repr(found)
    assert len(shown.splitlines()) == 1 + len(EXPECTED)
    assert all(text in shown for text in EXPECTED)
    assert profiling_core.__version__[0].isdigit()
    assert {"discover", "Dataset", "__version__"} <= set(dir(profiling_core))


def test_the_package_imports_nothing_heavy_until_it_is_asked():
    with pytest.raises(AttributeError):
        _ = profiling_core.nothing


def test_whole_numbers_that_pandas_keeps_as_floats_name_rows_as_well():
    rng = random.Random(1)
    cards = [f"L{rng.randrange(10**6):06}" if rng.random() < 0.4 else None for _ in range(400)]
    rows = pa.table(
        {
            "guest": list(range(1, 401)),
            "invited_by": [rng.randrange(1, i // 6 + 2) if i and rng.random() < 0.6 else None for i in range(400)],
            "total": [10 * rng.randrange(900, 40_000) for _ in range(400)],
            "card": cards,
            "since": [rng.randrange(2000, 2020) if card else None for card in cards],
        }
    )
    rows = rows.append_column("deposit", pa.array([3 * total // 10 for total in rows["total"].to_pylist()]))
    assert str(rows.to_pandas()["invited_by"].dtype) == "float64"
    found = texts(profiling_core.discover(rows))
    assert set(found) > {"table.invited_by ⊆ table.guest", "deposit = 0.3·total"}
    assert "card is there ⇔ since is there" in found
    assert texts(profiling_core.discover(rows.to_pandas())) == found
    assert texts(profiling_core.discover(pl.from_arrow(rows))) == found


@pytest.mark.parametrize("values", [[10**30, 2, 3], pd.arrays.SparseArray([0, 1, 0])])
def test_columns_of_pandas_that_arrow_cannot_hold_are_refused_in_words(values):
    with pytest.raises(InputError, match="Arrow cannot hold the table"):
        profiling_core.discover(pd.DataFrame({"id": range(3), "odd": values}))


@pytest.mark.parametrize("type_", [pl.Enum(["x", "y"]), pl.Categorical])
def test_categories_of_polars_are_texts(type_):
    frame = pl.DataFrame({"id": range(24), "kind": pl.Series(["x", "y"] * 12, dtype=type_)})
    assert texts(profiling_core.discover(frame)) == texts(profiling_core.discover(frame.cast({"kind": pl.String})))


def test_two_columns_of_one_name_are_refused_in_words():
    with pytest.raises(InputError, match="two columns are called 'a'"):
        profiling_core.discover(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))
