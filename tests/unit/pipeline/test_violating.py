"""All rows that violate a rule now, and those that were kept out, of a small table that is really applied."""

import pytest
from helpers.catalog import REPOSITORY
from helpers.changing import changed

from profiling_core.airflow.ui.kept_rows import ShownRows, csv_text
from profiling_core.model.delta import ROW_ID
from profiling_core.model.errors import InputError
from profiling_core.pipeline import steps
from profiling_core.pipeline.lifecycle_step import origins_of
from profiling_core.pipeline.quarantine import quarantined, set_aside
from profiling_core.pipeline.violating import HIDDEN, violating
from profiling_core.pipeline.workspace import Workspace
from profiling_core.spark.snapshot import snapshot_rows
from profiling_core.state.settings import Settings, using

DATASET_FILE = """\
dataset: shop
tables:
  parcels:
    source: {{path: {landing}, format: csv, kind: append, null_values: [""]}}
    key: [parcel]
    columns: {{{columns}}}
    max_reject_ratio: 0.9
"""
THIRD_DAY = """\
parcel,depot,city,sent,arrived
73,B1,Köln,2024-05-01,2024-05-03
74,B2,Bonn,2024-05-02,2024-05-03
xx,U1,Ulm,2024-05-02,2024-05-03
1,U1,Ulm,2024-05-02,2024-05-03
"""


def applied(place, columns=""):
    landing = place / "landing"
    landing.mkdir(parents=True)
    (place / "datasets").mkdir()
    (place / "datasets" / "shop.yaml").write_text(DATASET_FILE.format(landing=landing, columns=columns), "utf-8")
    settings = Settings(place, place / "home", f"sqlite:///{place}/home/catalog.db", place / "datasets")
    examples = REPOSITORY / "docs" / "examples" / "parcels"
    with using(settings):
        for day in ("2024-05-01", "2024-05-02", "2024-05-03"):
            known = examples / f"{day}.csv"
            text = known.read_text("utf-8") if known.exists() else THIRD_DAY
            (landing / f"{day}.csv").write_text(text, "utf-8")
            work = changed("shop")
        return work


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return applied(tmp_path_factory.mktemp("shop"))


def rule(work, text):
    return next(t.measured for t in work.catalog.tracked("shop") if t.measured.constraint.text == text)


def rows_of_depot(work):
    """By hand: the rows of depots that have several cities, as the landing files have them."""
    lines = [
        line.split(",")
        for path in sorted((work.settings.root / "landing").iterdir())
        for line in path.read_text("utf-8").splitlines()[1:]
    ]
    good = {parcel: (depot, city) for parcel, depot, city, *_ in reversed(lines) if parcel.isdigit()}
    cities = {depot: {city for of, city in good.values() if of == depot} for depot, _ in good.values()}
    return {(depot, city, parcel) for parcel, (depot, city) in good.items() if len(cities[depot]) > 1}


def test_all_rows_that_contradict_each_other_are_found_in_pages(work):
    version, wanted = work.catalog.current("shop"), rule(work, "{depot} → city").constraint
    pages = [violating(work, version, wanted, first=place, count=5) for place in range(0, 40, 5)]
    found = [row for page in pages for row in page.rows]
    assert {page.columns for page in pages} == {("depot", "city", "parcel")}
    assert set(found) == rows_of_depot(work)
    assert len(found) == len(set(found)) == pages[0].total > 10
    assert [row[0] for row in found] == sorted(row[0] for row in found)
    assert [row[1] for row in found if row[0] == "B1"][:2] == ["Köln", "Köln"]  # which few rows of this depot say


def test_each_row_names_the_line_that_it_stands_on(work):
    version, wanted = work.catalog.current("shop"), rule(work, "{depot} → city").constraint
    found = violating(work, version, wanted, first=0, count=50)
    for (_, _, parcel), origin in zip(found.rows, found.origins, strict=True):
        lines = (work.settings.root / "landing" / origin.file).read_text("utf-8").splitlines()
        assert lines[origin.line - 1].split(",")[0] == parcel
        assert origin.file == f"{origin.delta}.csv"
    assert {origin.delta for origin in found.origins} == {"2024-05-01", "2024-05-02", "2024-05-03"}


ODD_LINES = """\
# written by hand
parcel,note
1,"two
lines"

# a remark
2,plain
3,"three

lines"
x,rejected
4,plain
"""


def test_lines_are_right_beside_values_of_several_lines_remarks_rejects_updates_and_parts(tmp_path):
    landing = tmp_path / "landing"
    landing.mkdir()
    (tmp_path / "datasets").mkdir()
    file = DATASET_FILE.format(landing=landing, columns="parcel: {type: integer}").replace("append", "snapshot")
    file = file.replace("format: csv,", "format: csv, comment: '#',")
    (tmp_path / "datasets" / "shop.yaml").write_text(file, "utf-8")
    parts = {"2/a.csv": "parcel,note\n1,changed\n2,plain\n", "2/b.csv": 'parcel,note\n3,"three\n\nlines"\n5,new\n'}
    settings = Settings(tmp_path, tmp_path / "home", f"sqlite:///{tmp_path}/home/catalog.db", tmp_path / "datasets")
    with using(settings):
        for landed in ({"1.csv": ODD_LINES}, parts):
            for name, text in landed.items():
                (landing / name).parent.mkdir(exist_ok=True)
                (landing / name).write_text(text, "utf-8")
            run = steps.plan("shop")["run_id"]
            steps.ingest("shop", run, "parcels")
            steps.maintain_table("shop", run, "parcels")
            steps.maintain_inclusions("shop", run)
            steps.commit("shop", run)
        work = Workspace.open("shop")
        version = work.catalog.current("shop")
        portions = snapshot_rows(None, work.store, version, "parcels").portions([ROW_ID, "parcel"])
        rows = [row for portion in portions for row in portion.to_pylist()]
        origins = origins_of(work, version)("parcels")
    found = {row["parcel"]: origins.of(row[ROW_ID]).words for row in rows}
    assert found == {1: "2/a.csv, line 2", 2: "1.csv, line 7", 3: "1.csv, line 8", 5: "2/b.csv, line 5"}


def test_values_of_redacted_columns_are_on_no_page(tmp_path):
    work = applied(tmp_path, "city: {redacted: true}")
    version = work.catalog.current("shop")
    found = violating(work, version, rule(work, "{depot} → city").constraint, first=0, count=50)
    assert {row[found.columns.index("city")] for row in found.rows} == {HIDDEN}
    assert quarantined(work, version, "parcels").columns == ("delta_id", "file", "line", "reason")


def test_rejected_rows_come_with_file_line_and_reason(work):
    version = work.catalog.current("shop")
    kept = quarantined(work, version, "parcels")
    assert kept.total == 2
    assert [(row[0], row[2]) for row in kept.rows] == [("2024-05-03", "4"), ("2024-05-03", "5")]
    assert kept.reasons == {"wrong type": 1, "insert of an existing key": 1}
    assert all(str(row[1]).endswith("2024-05-03.csv") for row in kept.rows)
    of_one = quarantined(work, version, "parcels", reason="wrong type")
    assert (of_one.total, of_one.reasons) == (1, kept.reasons)
    assert set_aside(work, version, "parcels").total == 0
    with pytest.raises(InputError, match="no table"):
        quarantined(work, version, "nope")


def test_a_file_for_spreadsheets_holds_no_formula():
    shown = ShownRows(("=1+1", "b"), (("=cmd|' /C calc'!A0", "-5"), ("@SUM(1)", None), ("a,b", '"')), 0, 3)
    assert csv_text(shown).splitlines() == ["'=1+1,b", "'=cmd|' /C calc'!A0,-5", "'@SUM(1),", '"a,b",""""']
