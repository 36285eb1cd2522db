"""Bad input ends in a message that says what, where and what to do, in the quarantine, and in unchanged state."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.project import TABLE, Project

from profiling_core.model.account import Account
from profiling_core.model.errors import ConfigurationError, HoldfastError, InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MakeProject = Callable[..., Project]


@pytest.fixture
def make(spark: "SparkSession", tmp_path: Path) -> MakeProject:
    def make(source: dict[str, Any] | None = None, **options: Any) -> Project:
        return Project(spark, tmp_path, source or {}, {"key": ("id",), **options})

    return make


@pytest.fixture
def shop(make: MakeProject) -> Project:
    """A table of three rows."""
    project = make()
    project.land_text(
        "d1", "_op,id,day,price,note\n" + "".join(f"insert,{i},2013-03-0{i},{i}.5,n\n" for i in (1, 2, 3))
    )
    project.ingest()
    return project


def refused(project: Project) -> HoldfastError:
    """The error of an ingest that must fail, after which nothing is published but quarantines, and mending helps."""
    version, before = project.version, set(published(project))
    with pytest.raises(HoldfastError) as raised:
        project.ingest()
    assert project.version is version
    assert set(published(project)) == before
    error = raised.value
    assert error.what
    assert error.where
    assert error.remedy
    return error


def published(project: Project) -> list[Path]:
    state = project.settings.home / "state"
    return [path for path in state.rglob("*") if path.is_file() and "quarantine" not in path.parts]


HEADER = "_op,id,day,price,note\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file has no header"),
        ("\n_op,id\n", "begins with an empty line"),
        (b"_op,id,day,price,note\ninsert,4,2013-03-04,1.0,caf\xe9\n", "not UTF-8"),
        ("_op,id,day,price\ninsert,4,2013-03-04,1.0\n", "missing: 'note'"),
        ("_op,id,day,price,note,more\ninsert,4,2013-03-04,1.0,n,m\n", "unexpected: 'more'"),
        ("id,day,price,note\n4,2013-03-04,1.0,n\n", "missing: '_op'"),
        ("_op,id,day,price,note,note\n", "unexpected: 'note_2'"),
        ("_op,id,day,price,note,,x\n", "unexpected: 'col_5', 'x'"),
        ("_op,id,day,price,note,_row_id\n", "'_row_id' is reserved"),
        ("_op,carrier,name\ninsert,AA,American\n", "does not belong to table 'orders'"),
        (HEADER + 'insert,4,2013-03-04,1.0,"never closed\ninsert,5,2013-03-05,1.0,n\n', "never closed"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(shop: Project, text: str | bytes, said: str) -> None:
    path = shop.land_text("d2", text)
    error = refused(shop)
    assert isinstance(error, InputError)
    assert said in error.what
    assert str(path) in error.where
    path.write_text(HEADER + "insert,4,2013-03-04,1.0,n\n")
    assert shop.ingest().inserts == 1


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (b"\x1f\x8b\x08\x00\xff\xff", "unpack it"),
        (b"PK\x03\x04\xff\xff", "as CSV"),
        ("_op,id\n".encode("utf-16"), "convert it to UTF-8"),
        ("_op;id;day;price;note\n", "source.delimiter to ';'"),
        ("_OP,ID,Day,Price,Note\n", "capitals"),
        ("_op, id, day, price, note\n", "blanks"),
        ("_op,carrier,name\n", "the directory of the table it belongs to"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_what_to_do(shop: Project, text: str | bytes, remedy: str) -> None:
    shop.land_text("d2", text)
    assert remedy in refused(shop).remedy


def test_the_line_of_an_open_quote_and_of_bad_bytes_is_named(shop: Project) -> None:
    path = shop.land_text("d2", HEADER + 'insert,4,2013-03-04,1.0,"a\nb"\ninsert,5,2013-03-05,1.0,"open\n')
    assert refused(shop).where == f"{path}, line 4"
    path.write_bytes(HEADER.encode() + b"insert,4,2013-03-04,1.0,n\n" * 20_000 + b"insert,5,2013-03-05,1.0,\xff\n")
    assert refused(shop).where == f"{path}, line 20002"


def test_a_header_alone_is_an_empty_delta(shop: Project) -> None:
    shop.land_text("d2", HEADER)
    done = shop.ingest()
    assert (done.inserts, done.deletes, done.updates) == (0, 0, 0)
    assert (done.rejects, done.superseded, done.next_row_id) == (0, 0, 3)
    assert len(shop.live()) == 3


def test_bad_rows_go_to_the_quarantine_and_good_ones_on(shop: Project) -> None:
    shop.config = shop.configured(max_reject_ratio=0.9)
    bad = [
        ("foo,4,2013-03-04,1.0,n", "unknown operation", "the operation is 'foo'"),
        (",4,2013-03-04,1.0,n", "unknown operation", "the operation is ''"),
        ("insert,4,2013-03-04,1.0", "unreadable row", "4 values, where the header names 5"),
        ("insert,4,2013-03-04,1.0,n,m", "unreadable row", "6 values"),
        ('insert,4,2013-03-04,1.0,"n"m', "unreadable row", "expected after"),
        ("insert,4.5,2013-03-04,1.0,n", "wrong type", "column 'id' is integer, not '4.5'"),
        ("insert,9223372036854775808,2013-03-04,1.0,n", "wrong type", "column 'id' is integer"),
        ("insert,4,2013-02-29,1.0,n", "wrong type", "column 'day' is date, not '2013-02-29'"),
        ('insert,4,2013-03-04,"1,0",n', "wrong type", "column 'price' is float, not '1,0'"),
        ("insert,,2013-03-04,1.0,n", "missing key value", "column 'id'"),
        ("insert,1,2013-03-04,1.0,n", "insert of an existing key", "id = 1"),
        ("update,77,2013-03-04,1.0,n", "delete or update of a missing key", "id = 77"),
        ("delete,78,,,", "delete or update of a missing key", "id = 78"),
    ]
    good = 'insert,5,2013-03-05,5.5,"two\nlines"\n'
    shop.land_text("d2", HEADER + good + "".join(f"{row}\n" for row, _, _ in bad) + "\ndelete,3,,,\n")
    done = shop.ingest()
    assert [row["id"] for row in shop.live()] == [1, 2, 5]
    assert (done.inserts, done.deletes, done.rejects) == (1, 1, len(bad))
    found = shop.quarantine(done)
    assert [(row["line"], row["row"], row["reason"]) for row in found] == [
        (4 + i, row, reason) for i, (row, reason, _) in enumerate(bad)
    ]
    for row, (_, _, detail) in zip(found, bad, strict=True):
        assert detail in row["detail"]
        assert (row["delta_id"], row["file"]) == ("d2", f"landing/{TABLE}/d2.csv")


def test_a_decimal_comma_is_read_and_other_marks_are_rejected_with_what_to_set(make: MakeProject) -> None:
    exact = {"type": "decimal"}
    shop = make({"delimiter": ";", "decimal": ","}, max_reject_ratio=0.9, columns={"exact": exact})
    shop.land_text("d1", "_op;id;price;exact;text\ninsert;1;1,5;2,125;1,5\ninsert;2;,25;3,5;x\n")
    shop.ingest()
    columns = {column.name: column for column in shop.version.tables[TABLE].schema.columns}
    assert [str(columns[name].type) for name in ("id", "price", "text")] == ["integer", "float", "string"]
    assert columns["exact"].scale == 3
    shop.land_text("d2", "_op;id;price;exact;text\ninsert;3;1.234,5;1;a\ninsert;4;1234,5;1;a\ninsert;5;1.5;1;a\n")
    assert (done := shop.ingest()).rejects == 2
    assert done.inserts == 1
    assert [row["detail"].partition("; ")[2] for row in shop.quarantine(done)] == [
        'where that is a number, set in its source thousands: "." for 1234.5',
        'where that is a number, set in its source decimal: "." for 1.5',
    ]
    rows = {row["id"]: row for row in shop.live()}
    assert [(rows[i]["price"], str(rows[i]["exact"]), rows[i]["text"]) for i in (1, 4)] == [
        (1.5, "2.125", "1,5"),
        (1234.5, "1.000", "a"),
    ]


def test_marks_between_thousands_are_read_from_the_delta_on_that_follows_their_setting(make: MakeProject) -> None:
    shop = make(max_reject_ratio=1.0, columns={"exact": {"type": "decimal"}})
    shop.land_text("d1", '_op,id,price,exact,code\ninsert,1,1.5,2.25,"1,234"\ninsert,2,.25,3,x\n')
    shop.ingest()
    d2 = '_op,id,price,exact,code\ninsert,{0},"1,234.5","1,000,000.25","1,5"\ninsert,{1},"1,2,3",1,a\n'
    shop.land_text("d2", d2.format(3, 4))
    assert [row["detail"] for row in shop.quarantine(shop.ingest())] == [
        "column 'price' is float, not '1,234.5'; where that is a number, set in its source thousands: \",\" for 1234.5",
        "column 'price' is float, not '1,2,3'",
    ]
    shop.source = {"thousands": ","}
    shop.config = shop.configured()
    shop.land_text("d3", d2.format(5, 6))
    assert (done := shop.ingest()).rejects == 1
    assert done.inserts == 1
    (row,) = [row for row in shop.live() if row["id"] == 5]
    assert (row["price"], str(row["exact"]), row["code"]) == (1234.5, "1000000.25", "1,5")


def test_too_many_rejects_refuse_the_delta_and_keep_the_quarantine(shop: Project) -> None:
    rows = ["insert,4,2013-03-04,1.0,n", *["insert,x,2013-03-04,1.0,n"] * 3, "delete,99,,,"]
    path = shop.land_text("d2", HEADER + "".join(f"{row}\n" for row in rows))
    error = refused(shop)
    for said in ("4 of its 5 rows", "80.0%", "allowed are 5.0%", "3 times wrong type", "line 3", "'x'"):
        assert said in error.what
    folder = Path(error.where.removeprefix("the rejects are in "))
    assert sorted(row["line"] for row in pq.read_table(folder).to_pylist()) == [3, 4, 5, 6]
    path.write_text(HEADER + f"{rows[0]}\n")
    assert shop.ingest().inserts == 1


def test_a_share_of_rejects_is_taken_of_each_delta(shop: Project) -> None:
    shop.land_text("d2", HEADER + "".join(f"insert,{i},2013-03-04,1.0,n\n" for i in range(10, 110)))
    shop.land_text("d3", HEADER + "insert,x,2013-03-04,1.0,n\n")  # 1 of 101 in all, but 1 of 1 here
    assert "delta 'd3'" in refused(shop).what


@pytest.mark.parametrize("field", ["key", "leave_out", "columns"])
def test_a_configuration_that_names_a_missing_column(make: MakeProject, field: str) -> None:
    project = make(**{field: {"nope": {}} if field == "columns" else ("nope",)})
    project.land("d1", [{"_op": "insert", "id": 1}])
    error = refused(project)
    assert isinstance(error, ConfigurationError)
    assert "'nope'" in error.what
    assert error.where == f"tables.{TABLE}.{field} of the dataset's file"
    assert "id" in error.remedy


def test_a_key_that_changed_since_the_bootstrap(shop: Project) -> None:
    shop.config = shop.configured(key=("id", "day"))
    shop.land_text("d2", HEADER)
    assert "(id) since its bootstrap, and (id, day)" in refused(shop).what


def test_files_of_one_bootstrap_that_differ_in_columns(make: MakeProject) -> None:
    project = make()
    project.land_text("d1", "_op,id,a,b\ninsert,1,1,1\n")
    other = project.land_text("d2", "_op,id,a,c\ninsert,2,1,1\n")
    error = refused(project)
    assert "missing: 'b'; unexpected: 'c'" in error.what
    assert error.gist == "other columns came (missing: 'b'; unexpected: 'c')"
    assert "renamed_from: b" in error.remedy
    assert error.remedy.endswith("; under follow, apply what came before by itself: holdfast apply --delta d1")
    assert error.where == str(other)


def test_an_operation_column_where_none_belongs(make: MakeProject) -> None:
    project = make({"kind": "append"})
    project.land_text("d1", "_op,id\ninsert,1\n")
    assert "set source.kind to changes" in refused(project).remedy


def test_an_existing_key_in_an_append_only_file(make: MakeProject) -> None:
    project = make({"kind": "append"}, max_reject_ratio=0.5)
    project.land_text("d1", "id,v\n1,a\n")
    project.land_text("d2", "id,v\n1,b\n2,c\n")
    done = project.ingest()
    assert [(row["id"], row["v"]) for row in project.live()] == [(1, "a"), (2, "c")]
    assert [row["reason"] for row in project.quarantine(done)] == ["insert of an existing key"]
    project.land_text("d3", "id,v\n1,a\n2,c\n3,d\n")
    assert "where each file is the whole table, set kind: snapshot" in refused(project).remedy


def test_a_key_that_comes_again_in_an_append_only_file_is_told(make: MakeProject) -> None:
    project = make({"kind": "append"})
    project.land_text("d1", "id,v\n1,a\n2,b\n1,c\n")
    done = project.ingest()
    assert sorted((row["id"], row["v"]) for row in project.live()) == [(1, "c"), (2, "b")]
    assert [finding["headline"] for finding in done.findings] == ["1 of 3 rows came again with other values (same id)"]


def test_a_duplicate_key_in_a_snapshot(make: MakeProject) -> None:
    project = make({"kind": "snapshot"}, max_reject_ratio=0.5)
    project.land_text("d1", "id,v\n1,a\n2,b\n1,c\n")
    done = project.ingest()
    assert [(row["id"], row["v"]) for row in project.live()] == [(1, "a"), (2, "b")]
    assert [(row["line"], row["reason"]) for row in project.quarantine(done)] == [(4, "duplicate key")]


def test_a_delete_of_a_row_that_is_not_there_and_an_update_without_a_key(make: MakeProject) -> None:
    project = make(key=(), max_reject_ratio=0.9)
    project.land_text("d1", "_op,a,b\ninsert,1,\ndelete,1,\ndelete,1,\ndelete,1,x\nupdate,1,y\ninsert,2,z\n")
    done = project.ingest()
    assert [row["a"] for row in project.live()] == [2]
    assert [(row["line"], row["reason"]) for row in project.quarantine(done)] == [
        (4, "delete of a missing row"),
        (5, "delete of a missing row"),
        (6, "unknown operation"),
    ]


def test_json_lines_that_are_none(make: MakeProject) -> None:
    project = make({"format": "jsonl"}, max_reject_ratio=0.9)
    lines = ['{"_op": "insert", "id": 1, "v": "a"}', "{", "[1]", '{"_op": "insert", "id": 2, "v": 1, "v": 2}', ""]
    project.land_text("d1", "\n".join([*lines, '{"_op": "insert", "id": 3}', '{"_op": "insert", "id": "\\ud800"}']))
    done = project.ingest()
    assert [(row["id"], row["v"]) for row in project.live()] == [(1, "a"), (3, None)]
    assert [(row["line"], row["reason"]) for row in project.quarantine(done)] == [
        (line, "unreadable row") for line in (2, 3, 4, 7)
    ]
    project.land_text("d2", '{"_op": "insert", "id": 4, "w": 1}\n')
    assert "missing: 'v'; unexpected: 'w'" in refused(project).what


def test_parquet_that_is_none_or_of_other_types(make: MakeProject) -> None:
    project = make({"format": "parquet"}, max_reject_ratio=0.9)
    types = pa.schema({"_op": pa.string(), "id": pa.int32(), "v": pa.uint64()})
    project.land("d1", [{"_op": "insert", "id": i, "v": 2**64 - 1 - i} for i in range(3)], types)
    project.ingest()
    assert [row["v"] for row in project.values()] == [2**64 - 1 - i for i in range(3)]
    path = project.land_text("d2", "_op,id,v\n")
    assert "cannot be read" in refused(project).what
    damaged = project.directory / "d1.parquet"
    path.write_bytes(damaged.read_bytes()[:-100])
    assert "cannot be read" in refused(project).what
    project.land("d2", [{"_op": "insert", "id": 9, "v": [1]}])
    assert "wrong type" in refused(project).what  # lists come as texts
    project.land("d2", [{"_op": "insert", "id": 9, "v": True}])
    assert "column 'v' has the type bool in the file, but is decimal in the table" in refused(project).what
    project.land("d2", [{"_op": "insert", "id": 8, "v": 2.0}, {"_op": "insert", "id": 9, "v": 2.5}])
    done = project.ingest()
    assert [row["id"] for row in project.live()] == [0, 1, 2, 8]
    assert [(row["line"], row["detail"]) for row in project.quarantine(done)] == [
        (2, "column 'v' is decimal(20, 0), not '2.5'")
    ]


def test_a_table_that_has_neither_rows_nor_deltas(make: MakeProject) -> None:
    assert "has no rows and no deltas" in refused(make()).what


def test_lines_that_a_quote_swallows_count_as_rejects(make: MakeProject) -> None:
    rows = [f"{4000 + i},part {i},{i}" for i in range(2000)]
    rows[50], rows[1900] = '4050,"part 0,4', '5900,"part 0,6'
    shop = make({"kind": "append"}, key=("sku",))
    shop.land_text("d1", "\n".join(["sku,name,pieces", *rows]) + "\n")
    error = refused(shop)
    assert "1,851 of its 2,000 lines are lost" in error.what
    assert "a quote opened in line 52 swallows 1,851 lines, up to line 1902" in error.what
    assert error.what.endswith(': 4050,"part 0,4…')


def test_the_lines_of_a_file_add_up(make: MakeProject) -> None:
    shop = make({"kind": "append"}, key=("id",), max_reject_ratio=0.5)
    rows = "".join(f'{i},"part {i}"\n' for i in range(20))
    shop.land_text("d1", f'id,name\n{rows}20,"three\nlines\nhere"\n21,"part 0\n22,"part 1"\n\n')
    done = shop.ingest()
    lines = Account.from_json(done.positions["d1"]["lines"])
    assert (done.inserts, done.rejects, lines.lost, lines.within) == (21, 1, 1, 2)
    left_out = sum(lines.left_out.values())
    assert lines.total == 27 == done.inserts + done.rejects + lines.lost + lines.within + left_out


def test_a_last_row_behind_an_empty_line_is_named(make, caplog):
    shop = make({"kind": "append", "skip_footer": 1}, key=())
    shop.land_text("d1", "id,note,n\n1,a,1\n2,b,2\n\nTotal,,3\n")
    shop.land_text("d2", "id,note,n\n3,c,3\n\n4,d,4\n")
    shop.land_text("d3", "id,note,n\n5,e,5\n\nSource: us\n")
    delta = shop.ingest()
    assert [row["id"] for row in shop.values()] == [1, 2, 3, 5]
    assert [delta.positions[f"d{i}"]["lines"]["last"] for i in (1, 2, 3)] == [[5], [4], []]
    said = [record.getMessage() for record in caplog.records]
    assert [text.partition(":")[2] for text in said if "d2: line 4 at the end is left out as a footer" in text]
    assert not [text for text in said if "delta d3" in text]


def test_every_line_of_a_file_is_a_row_or_left_out_for_a_reason(make: MakeProject) -> None:
    shop = make({"kind": "append", "comment": "#", "skip_rows": 1, "skip_footer": 2}, key=("id",), max_reject_ratio=0.5)
    shop.land_text("d1", 'Report\nid,name,n\n1,"two\nlines",1\n# said\n\n2,b,2\n3,c\n4,d,4\nSource: us\n')
    done = shop.ingest()
    lines = done.positions["d1"]["lines"]
    assert (done.inserts, done.rejects) == (3, 1)
    left_out = {"in front": 1, "header": 1, "comment": 1, "empty": 1, "at the end": 1}
    assert lines == {"rows": 5, "lost": 0, "left_out": left_out, "last": [], "within": 1}


def test_a_type_that_changed_since_the_bootstrap(shop: Project) -> None:
    shop.config = shop.configured(columns={"price": {"type": "string"}})
    shop.land_text("d2", HEADER)
    error = refused(shop)
    assert "'price' of table 'orders' is float since its bootstrap, and string in the configuration" in error.what
    assert error.remedy.startswith("set schema_changes: follow, put the type back, or begin anew")
    shop.config = shop.configured(columns={"price": {"type": "float"}})
    assert shop.ingest().inserts == 0
