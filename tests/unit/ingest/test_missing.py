"""What stands for a missing value is found where other values are numbers or dates, and nowhere else."""

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from profiling_core.cli.main import app
from profiling_core.ingest.files import read_table
from profiling_core.ingest.missing import null_texts, without


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
    assert null_texts(texts) == ["", "NA", "?"]
    assert null_texts(texts.select(["country", "note", "nothing"])) == [""]
    assert without(texts, ["NA", "?"])["sales"].to_pylist() == ["1.5", None, "2"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sales.csv"
    rows = [f"{n},{n * 7 % 50 + 1}.5,{'NA' if n == 3 else n % 9 + 1},DE" for n in range(40)]
    path.write_text("\n".join(["id,price,pieces,country", *rows, "40,NA,4,NA"]) + "\n", encoding="utf-8")
    return path


def test_a_file_is_read_as_it_is_unless_it_is_looked_for(file):
    told = []
    schema, rows = read_table(file, null_values=None, told=told.append)
    assert (str(schema.column("pieces").type), rows["pieces"].null_count, told) == ("integer", 1, [["NA"]])
    assert rows["country"].null_count == 1
    assert str(read_table(file)[0].column("pieces").type) == "string"
    assert read_table(file, null_values=None, values="text")[1]["pieces"].null_count == 0


def test_discover_says_what_it_took_for_null(file):
    runner = CliRunner()
    found = json.loads(runner.invoke(app, ["discover", str(file), "--json", "-"]).stdout)
    (table,) = found["tables"]
    assert {c["column"]: c["role"] for c in table["columns"]}["price"] == "quantity"
    assert "NA taken for no value" in table["looked_at"]
    kept = runner.invoke(app, ["discover", str(file), "--json", "-", "--null-value", ""])
    assert "NA taken" not in kept.stdout
    exact = runner.invoke(app, ["discover", str(file), "--json", "-", "--kind", "ucc"])
    assert exact.exit_code == 0
