"""``holdfast discover`` as a person and as a program call it: options, output, errors."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profiling_core.algorithms.evidence import pairs
from profiling_core.cli.main import COMMANDS

FLIGHTS = """origin,dest,distance,air_time
EWR,EGE,1726,250
JFK,EGE,1747,251
EWR,ORD,719,120
JFK,BOS,187,40
EWR,EGE,1726,261
"""


@pytest.fixture
def flights(tmp_path: Path) -> Path:
    path = tmp_path / "flights.csv"
    path.write_text(FLIGHTS, encoding="utf-8")
    return path


def texts(out: str) -> list[str]:
    return [c["text"] for c in json.loads(out)["constraints"]]


def test_a_dc_is_listed_by_its_predicates_whatever_its_familiar_text(holdfast, flights: Path):
    code, out, _ = holdfast("discover", flights, "--kind", "dc", "--space", "same-column", "--json", "-")
    assert code == 0
    found = {c["text"]: c for c in json.loads(out)["constraints"]}
    fd = found["{origin, dest} → distance"]
    assert fd["kind"] == "dc"
    assert fd["table"] == "flights"
    assert fd["error"] == 0
    assert fd["predicates"] == [
        {"left": {"tuple": "t", "column": c}, "op": op, "right": {"tuple": "s", "column": c}}
        for c, op in (("origin", "="), ("dest", "="), ("distance", "≠"))
    ]


def test_fds_count_the_left_side_plus_one(holdfast, flights: Path):
    _, two, _ = holdfast("discover", flights, "--kind", "fd", "--max-predicates", 2, "--json", "-")
    _, unbounded, _ = holdfast("discover", flights, "--kind", "fd", "--max-predicates", 0, "--json", "-")
    assert "{origin, dest} → distance" in texts(unbounded)
    assert "{distance} → dest" in texts(two)
    assert all(len(c["lhs"]["columns"]) <= 1 for c in json.loads(two)["constraints"])
    assert json.loads(two)["constraints"][0]["lhs"]["table"] == "flights"


def test_uccs(holdfast, flights: Path):
    _, out, _ = holdfast("discover", flights, "--kind", "ucc", "--json", "-")
    assert "unique {air_time}" in texts(out)


def test_an_error_admits_what_is_almost_true(holdfast, flights: Path):
    flights.write_text(FLIGHTS + "EWR,EGE,1725,249\n", encoding="utf-8")
    _, exact, _ = holdfast("discover", flights, "--kind", "fd", "--json", "-")
    _, relaxed, _ = holdfast("discover", flights, "--kind", "fd", "--max-error", 0.14, "--json", "-")
    assert "{origin, dest} → distance" not in texts(exact)
    found = {c["text"]: c["error"] for c in json.loads(relaxed)["constraints"]}
    assert found["{origin, dest} → distance"] == pytest.approx(4 / 30)


def test_inds_across_files_of_both_formats(holdfast, flights: Path):
    airports = flights.with_name("airports.parquet")
    pq.write_table(pa.table({"faa": ["EGE", "ORD", "BOS", "LAX"]}), airports)
    _, exact, _ = holdfast("discover", flights, airports, "--kind", "ind", "--json", "-")
    assert texts(exact) == ["flights.dest ⊆ airports.faa"]
    found = json.loads(exact)["constraints"][0]
    assert found["lhs"] == {"table": "flights", "columns": ["dest"]}
    assert found["rhs"] == {"table": "airports", "columns": ["faa"]}
    assert found["row_coverage"] == 1
    _, partial, _ = holdfast("discover", flights, airports, "--kind", "ind", "--max-error", 0.25, "--json", "-")
    assert {c["text"]: c["error"] for c in json.loads(partial)["constraints"]} == {
        "flights.dest ⊆ airports.faa": 0,
        "airports.faa ⊆ flights.dest": 0.25,
    }


def test_null_semantics_and_null_values(holdfast, tmp_path: Path):
    path = tmp_path / "people.csv"
    path.write_text("id,phone\n1,NA\n2,NA\n3,77\n", encoding="utf-8")
    arguments = ("discover", path, "--kind", "ucc", "--null-value", "NA", "--json", "-")
    assert "unique {phone}" in texts(holdfast(*arguments)[1])
    assert "unique {phone}" not in texts(holdfast(*arguments, "--nulls", "equal")[1])


def test_spark_is_for_inclusions(holdfast, tmp_path: Path):
    path = tmp_path / "r.csv"
    path.write_text("a\n1\n", encoding="utf-8")
    code, _, err = holdfast("discover", path, "--kind", "fd", "--spark")
    assert (code, "only inclusion dependencies are discovered on Spark" in err) == (2, True)


def test_inclusions_of_several_columns_stand_for_their_parts(holdfast, tmp_path: Path):
    for name, rows in (("lines", "1,a\n2,b\n"), ("stock", "1,a\n2,b\n1,b\n")):
        (tmp_path / f"{name}.csv").write_text("shop,article\n" + rows, encoding="utf-8")
    asked = (
        "discover",
        tmp_path / "lines.csv",
        tmp_path / "stock.csv",
        "--kind",
        "ind",
        "--max-arity",
        2,
        "--json",
        "-",
    )
    whole = "lines.(shop, article) ⊆ stock.(shop, article)"
    assert set(texts(holdfast(*asked)[1])) == {"stock.shop ⊆ lines.shop", "stock.article ⊆ lines.article", whole}
    listed = texts(holdfast(*asked, "--cover", "set-minimal")[1])
    assert set(listed) == {
        whole,
        *(f"{a}.{c} ⊆ {b}.{c}" for a, b in (("lines", "stock"), ("stock", "lines")) for c in ("shop", "article")),
    }


def test_fractions_begin_with_a_comma_where_asked(holdfast, tmp_path: Path):
    path = tmp_path / "prices.csv"
    path.write_text("low;high\n1,5;9,5\n9,5;10,25\n10,25;11\n", encoding="utf-8")
    asked = ("discover", path, "--kind", "dc", "--delimiter", ";", "--max-predicates", "1", "--json", "-")
    assert "low < high" not in texts(holdfast(*asked)[1])
    assert "low < high" in texts(holdfast(*asked, "--decimal", ",")[1])
    path.write_text("low;high\n999;1.003\n1.003;2.000,5\n2.000,5;11.000\n", encoding="utf-8")
    assert "low < high" not in texts(holdfast(*asked, "--decimal", ",")[1])
    assert "low < high" in texts(holdfast(*asked, "--decimal", ",", "--thousands", ".")[1])


def test_the_set_minimal_cover_lists_what_the_reduced_one_leaves_out(holdfast, flights: Path):
    _, reduced, _ = holdfast("discover", flights, "--kind", "dc", "--json", "-")
    _, minimal, _ = holdfast("discover", flights, "--kind", "dc", "--cover", "set-minimal", "--json", "-")
    assert set(texts(reduced)) < set(texts(minimal))


def test_people_get_a_table_and_a_summary(holdfast, flights: Path, tmp_path: Path):
    out_file = tmp_path / "out.json"
    code, out, _ = holdfast("discover", flights, "--kind", "fd", "--limit", 1, "--json", out_file)
    many = len(json.loads(out_file.read_text(encoding="utf-8"))["constraints"])
    assert code == 0
    assert f"{many} functional dependencies in flights (5 rows × 4 columns)" in out
    assert f"… and {many - 1} more" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "No such file"),
        (["ragged.csv"], "line 3"),
        (["flights.csv", "other/flights.csv"], "two files give tables of one name"),
        (["flights.csv", "--delimiter", "tab"], "a delimiter of several characters has no letter"),
        (["flights.csv", "--decimal", "x"], "a fraction begins with a point or a comma"),
        (["flights.csv", "--thousands", "."], "thousands are parted by"),
        (["flights.csv", "--thousands", "x"], "thousands are parted by"),
        (["flights.csv", "--json", "nowhere/out.json"], "cannot write"),
        (["flights.csv", "--max-error", "1.5"], "--max-error"),
        (["flights.csv", "--max-predicates", "-1"], "--max-predicates"),
        (["flights.csv", "--kind", "od"], "--kind"),
        ([], "FILES"),
    ],
)
def test_bad_input_ends_in_a_message_and_exit_code_2(
    holdfast, flights: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
):
    monkeypatch.chdir(flights.parent)
    Path("ragged.csv").write_text("a,b\n1,2\n3\n", encoding="utf-8")
    Path("other").mkdir()
    Path("other/flights.csv").write_text(FLIGHTS, encoding="utf-8")
    code, out, err = holdfast("discover", *arguments)
    assert code == 2
    assert message.lower() in err.lower()
    assert "Traceback" not in err
    assert not out


@pytest.mark.parametrize("asked", [[], *(["--kind", kind] for kind in ("dc", "fd", "ucc", "ind"))])
def test_an_empty_table_has_no_constraints(holdfast, tmp_path: Path, asked: list[str]):
    path = tmp_path / "empty.csv"
    path.write_text("a,b\n", encoding="utf-8")
    code, out, _ = holdfast("discover", path, *asked, "--json", "-")
    assert (code, texts(out)) == (0, [])


def test_a_column_without_values_is_not_unique(holdfast, tmp_path: Path):
    path = tmp_path / "void.csv"
    path.write_text("a,void\n" + "".join(f"{i % 3},\n" for i in range(30)), encoding="utf-8")
    assert texts(holdfast("discover", path, "--kind", "ucc", "--json", "-")[1]) == []
    assert texts(holdfast("discover", path, "--json", "-")[1]) == []


def test_help_names_every_command(holdfast):
    code, out, _ = holdfast("--help")
    assert code == 0
    assert all(entry.name in out for entry in COMMANDS)


def test_an_unknown_command_says_so(holdfast):
    code, _, err = holdfast("discovr")
    assert code == 2
    assert "discovr" in err


def test_discovery_needs_neither_spark_nor_the_rest(flights: Path):
    """In a process of its own: what the command imports, and that help imports next to nothing."""
    script = """
import sys
from profiling_core.cli.main import main
sys.argv[0] = "holdfast"
try:
    main()
finally:
    print(sorted({m.split(".")[0] for m in sys.modules} & set(sys.argv[-1].split("+"))), file=sys.stderr)
"""
    heavy = "pyspark+great_expectations+airflow+sqlalchemy"

    def imported(*arguments: object) -> str:
        command = [sys.executable, "-c", script, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()[-1]

    assert imported("discover", flights, "--json", "-", "--null-value", heavy) == "[]"
    assert imported("--help", f"{heavy}+numpy+numba+pyarrow+pandas") == "[]"


def test_a_second_discovery_compiles_nothing_and_loads_no_compiler(tmp_path: Path):
    script = """
import sys
from profiling_core.cli.main import main
try:
    main()
finally:
    print({"pandas", "scipy.linalg", "numba.np.arraymath"} & set(sys.modules), file=sys.stderr)
"""
    (tmp_path / "orders.csv").write_text("order,ordered,price\n1,2024-01-02,1.5\n2,2024-01-03,2.5\n3,2024-01-03,x\n")
    command = [sys.executable, "-c", script, "discover", str(tmp_path / "orders.csv"), "--kind", "dc"]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2))
    assert second.stderr.splitlines()[-1] == "set()"
    assert first.stdout.rpartition(";")[0] == second.stdout.rpartition(";")[0]


def shops(rows: int = 400) -> str:
    """Rows by two rules, ``zip → city`` and ``city → state``; no two columns else have to do with each other."""
    lines = ["id,zip,city,state,stars"]
    lines += [f"{i},z{i % 40},c{i % 40 // 2},s{i % 40 // 10},{i * 7 % 5}" for i in range(rows)]
    return "\n".join(lines) + "\n"


def test_what_follows_from_others_comes_after_them(holdfast, tmp_path: Path):
    path = tmp_path / "shops.csv"
    path.write_text(shops(), encoding="utf-8")
    found = texts(holdfast("discover", path, "--kind", "fd", "--json", "-")[1])
    followed = ("{zip} → city", "{city} → state", "{zip} → state")
    assert sorted(found.index(text) for text in followed[:2]) == [0, 1]
    assert all(found.index(text) > found.index("{city} → state") for text in followed[2:])
    assert found.index("{zip} → state") > 2


def test_each_of_several_tables_has_its_turn_in_the_list(holdfast, tmp_path: Path):
    for name in ("east", "west"):
        (tmp_path / f"{name}.csv").write_text(shops(), encoding="utf-8")
    _, out, _ = holdfast("discover", tmp_path / "east.csv", tmp_path / "west.csv", "--kind", "fd", "--limit", 4)
    assert [line.split()[0] for line in out.splitlines()[1:5]] == ["east", "west", "east", "west"]


def test_a_wide_table_whose_columns_all_compare_is_refused_and_told_what_to_do(holdfast, tmp_path: Path):
    path = tmp_path / "wide.csv"
    lines = [
        ",".join(f"c{c}" for c in range(50)),
        *(",".join(str((r * c) % 13) for c in range(50)) for r in range(600)),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, out, err = holdfast("discover", path, "--kind", "dc")
    assert code == 2
    assert not out
    assert "predicates over 50 columns are too many" in " ".join(err.split())
    assert "--space same-column" in err
    code, _, _ = holdfast("discover", path, "--kind", "dc", "--space", "same-column", "--max-predicates", 1)
    assert code == 0


def test_more_kinds_of_pairs_than_memory_holds_end_in_words(holdfast, flights: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pairs, "most_evidences", lambda _: 3)
    code, out, err = holdfast("discover", flights, "--kind", "dc")
    said = " ".join(err.split())
    assert (code, out) == (2, "")
    assert "pairs of rows differ in more than" in said
    assert "where: table flights" in said
    assert "--space same-column" in said


@pytest.mark.parametrize("kind", [[], ["--kind", "ucc"], ["--kind", "ind"]])
def test_a_first_column_without_a_name_gets_one_and_that_is_said(holdfast, tmp_path: Path, kind: list[str]):
    path = tmp_path / "from_r.csv"
    path.write_text(',x,index\n"1",a,b\n"2",b,a\n', encoding="utf-8")
    code, out, err = holdfast("discover", path, *kind, "--json", "-")
    assert code == 0
    assert "called 'index_1'" in " ".join(err.split())
    named = {c for constraint in json.loads(out)["constraints"] for c in constraint["columns"]}
    assert named <= {"index_1", "x", "index"}


@pytest.mark.parametrize("option", [["--space", "cross"], ["--max-error", "0.1"], ["--engine", "hydra"]])
def test_options_of_one_kind_ask_for_a_kind(holdfast, flights: Path, option: list[str]):
    code, _, err = holdfast("discover", flights, *option)
    assert code == 2
    assert "--kind" in err
    assert holdfast("discover", flights, "--kind", "fd", "--budget", "9")[0] == 2


def test_rules_of_all_kinds_are_told_for_programs(holdfast, tmp_path: Path):
    path = tmp_path / "shops.csv"
    path.write_text(shops(), encoding="utf-8")
    data = json.loads(holdfast("discover", path, "--json", "-", "--implied")[1])
    told = [(c["rank"], c["kind"], c["table"], c["columns"], c["text"]) for c in data["constraints"]]
    assert told == [
        (1, "ucc", "shops", ["id"], "unique {id}"),
        (2, "fd", "shops", ["zip", "city"], "{zip} → city"),
        (2, "fd", "shops", ["zip", "stars"], "{zip} → stars"),  # told in one line; 40 zips go round, and so do 5 stars
        (3, "fd", "shops", ["city", "state"], "{city} → state"),
    ]
    assert all(c["words"].endswith(".") for c in data["constraints"])
    assert [c["text"] for c in data["implied"]] == ["{zip} → state"]
    (table,) = data["tables"]
    assert (table["table"], table["rows"], table["key"]) == ("shops", 400, ["id"])
    assert {c["column"]: c["role"] for c in table["columns"]}["city"] == "category"
