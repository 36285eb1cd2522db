"""What stands for a missing value is found where other values are numbers or dates, and nowhere else."""

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from profiling_core.cli.main import app
from profiling_core.ingest.files import read_table
from profiling_core.ingest.missing import null_texts, without
from profiling_core.ingest.nulling import NullingReader
from profiling_core.ingest.sources.formats import CsvReader
from profiling_core.model.dialect import CsvDialect
from profiling_core.pipeline.configuration import load_dataset
from profiling_core.pipeline.init.landing_files import proposed
from profiling_core.pipeline.init.writing import text_of
from profiling_core.spark.sources import SourcePart


def test_usual_texts_among_numbers_and_dates_mean_null():
    texts = pa.table(
        {
            "sales": ["1.5", "NA", "2"],
            "since": ["2024-01-02", "?", "2024-02-03"],
            "country": ["NA", "DE", "FR"],
            "note": ["-", "none", "N/A"],
            "nothing": ["NA", "NA", "NA"],
        }
    )
    assert null_texts(texts) == {"sales": ["NA"], "since": ["?"]}
    found = without(texts, null_texts(texts))
    assert (found["sales"].to_pylist(), found["country"].to_pylist()) == (["1.5", None, "2"], ["NA", "DE", "FR"])


@pytest.mark.parametrize(
    "word", ["NaN", "<NA>", "#N/A", "n/a", "NaT", "NULL", "None", "nan", "na", "null", "NONE", r"\N"]
)
def test_a_word_for_no_value_among_numbers_is_none(word: str):
    texts = pa.table({"n": ["1", word, "3"], "at": ["2024-01-02", word, None], "name": ["a", word, "b"]})
    assert null_texts(texts) == {"n": [word], "at": [word]}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sales.csv"
    rows = [f"{n},{n * 7 % 50 + 1}.5,{'NA' if n == 3 else n % 9 + 1},DE" for n in range(40)]
    path.write_text("\n".join(["id,price,pieces,country", *rows, "40,NA,4,NA"]) + "\n", encoding="utf-8")
    return path


def test_a_file_is_read_as_it_is_unless_it_is_looked_for(file):
    told = []
    schema, rows = read_table(file, null_values=None, told=told.append)
    assert (str(schema.column("pieces").type), rows["pieces"].null_count, told) == (
        "integer",
        1,
        ["NA read as null (choose with --null-value)"],
    )
    assert rows["country"].null_count == 0
    assert str(read_table(file)[0].column("pieces").type) == "string"
    assert read_table(file, null_values=None, values="text")[1]["pieces"].null_count == 0


def test_discover_says_what_it_took_for_null(file):
    runner = CliRunner()
    found = json.loads(runner.invoke(app, ["discover", str(file), "--json", "-"]).stdout)
    (table,) = found["tables"]
    assert {c["column"]: c["role"] for c in table["columns"]}["price"] == "quantity"
    assert "NA read as null" in table["looked_at"]
    kept = runner.invoke(app, ["discover", str(file), "--json", "-", "--null-value", ""])
    assert "NA taken" not in kept.stdout
    exact = runner.invoke(app, ["discover", str(file), "--json", "-", "--kind", "ucc"])
    assert exact.exit_code == 0


NAMIBIA = "iso2,year,capital,people\nNA,2000,Windhoek,1819141\nFR,2000,Paris,NA\nDE,2000,Berlin,82211508\n"


def test_the_code_of_namibia_is_a_value_and_a_number_that_is_not_known_is_none(tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text(NAMIBIA)
    schema, rows = read_table(path, null_values=None)
    assert rows["iso2"].to_pylist() == ["NA", "FR", "DE"]
    assert (rows["people"].to_pylist()[1], str(schema.column("people").type)) == (None, "integer")
    made = tmp_path / "shop.yaml"
    made.write_text(text_of("shop", [proposed(path)]))
    table = load_dataset(made).tables["countries"]
    assert (table.source.null_values, table.columns["people"].null_values) == (("",), ("NA",))
    assert "iso2" not in table.columns


def test_null_values_of_a_column_are_null_in_it_alone(tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text(NAMIBIA)
    reader = NullingReader(CsvReader(CsvDialect(), ("",)), {"people": ("NA",)})
    part = SourcePart(0, 0, str(path), 0, str(path))
    (chunk,) = (chunk for chunk in reader.chunks(part, reader.names(part)) if len(chunk))
    assert chunk.cells["iso2"].to_pylist() == ["NA", "FR", "DE"]
    assert chunk.cells["people"].to_pylist() == ["1819141", None, "82211508"]
