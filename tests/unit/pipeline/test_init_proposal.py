"""What ``holdfast init`` proposes, from files, directories, lakehouse tables and databases; and that it validates."""

from pathlib import Path
from urllib.parse import urlsplit

import duckdb
import psycopg
import pyarrow as pa
import pytest
from databases.bucket import BUCKET, bucket  # noqa: F401 - fixture
from databases.catalogs import server
from deltalake import write_deltalake
from helpers.landing import put
from pyiceberg.catalog import load_catalog
from pyiceberg.utils.config import Config

from profiling_core.model.dataset import DatasetConfig
from profiling_core.pipeline.configuration import load_dataset


@pytest.fixture
def init(here, holdfast):
    """Runs the command in an empty directory."""
    return lambda *arguments: holdfast("init", *arguments, "--yes", "--name", "shop")


def written(root: Path) -> DatasetConfig:
    return load_dataset(root / "dags" / "datasets" / "shop.yaml")


@pytest.fixture
def proposed(init, tmp_path):
    """Writes files, and gives the tables that are proposed for what is named."""

    def tables(files, *what):
        put(tmp_path, files)
        code, _, err = init(*what)
        assert code == 0, err
        return written(tmp_path).tables

    return tables


def test_a_file_is_looked_at_and_landed(init, tmp_path):
    people = "id;email;age;null\n1;a@b.de;33;x\n2;c@d.de;NA;y\n3;e@f.de;41;x\n"
    (tmp_path / "people.csv").write_text(people, "utf-8")
    code, out, _ = init("people.csv")
    table = written(tmp_path).tables["people"]
    assert (code, table.key, table.source.delimiter, table.source.null_values) == (0, ("id",), ";", ("",))
    assert table.columns["age"].null_values == ("NA",)
    assert [name for name, options in table.columns.items() if options.redacted] == ["email"]
    (landed,) = (tmp_path / "landing" / "people").iterdir()
    assert landed.read_text("utf-8") == people
    assert "NA read as null in age" in " ".join(out.split())
    assert "A guess from one file: append" in " ".join(out.split())
    assert "Next: holdfast apply shop" in out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id;price;pair\n1;1,500;1,2\n2;2,250;x\n3;2;3,4\n", "Numbers with marks (price) are text"),
        ("1;2;3\n4;5;6\n", "read as: ';' between cells, no header."),
        ("id;2024;2025\n1;4;5\n2;5;6\n", ""),
    ],
)
def test_what_a_text_file_means_otherwise_is_said(init, tmp_path, text, words):
    (tmp_path / "prices.csv").write_text(text, "utf-8")
    _, out, _ = init("prices.csv")
    comments = (tmp_path / "dags" / "datasets" / "shop.yaml").read_text("utf-8")
    assert words in " ".join(out.split())
    assert words in comments
    assert len([word for word in ("no header", "with marks") if word in comments]) == bool(words)
    assert "price, pair" not in comments


@pytest.mark.parametrize(
    ("prices", "marks"),
    [
        (["1,50", "12", "-3,25"], (",", "")),
        (["1,500", "2,250"], (".", "")),  # thousands, or three digits of a fraction
        (["0,125", "0,500"], (",", "")),
        (["1.003,10", "2,50"], (",", ".")),
        (["1,003.10", "2.50"], (".", ",")),
        (["1,003,000", "250"], (".", ",")),
        (["12,34,567", "1,000"], (".", ",")),
        (["1.003.000", "250"], (",", ".")),
        (["1 003", "250", "-12 000,5"], (",", " ")),
        (["1\u202f003", "250"], (".", " ")),
        (["1'003.50", "250"], (".", "'")),
        (["732 829 320", "404 833 048"], (".", "")),  # numbers of accounts
        (["1.2.3", "10.0.0.1"], (".", "")),
        (["31.05.2024", "01.06.2024"], (".", "")),
        (["2024-05-31", "2024-06-01"], (".", "")),
        (["1,5", "1.5"], (".", "")),
        (['1,50";"1.5', '2,25";"2.5'], (".", "")),
        (['1.003,50";"1.500', '2,25";"2.750'], (",", ".")),  # what stands beside it is written alike
        (['1.003,50";"1.5', '2,25";"2.75'], (".", "")),
        (['1,50";"12.345', '2,25";"7'], (".", "")),
    ],
)
def test_how_numbers_are_written_is_proposed_where_it_is_sure(proposed, prices, marks):
    rows = "".join(f'{i};"{price}"\n' for i, price in enumerate(prices))
    header = "id;price;other\n" if ";" in prices[0] else "id;price\n"
    source = proposed({"prices.csv": header + rows}, "prices.csv")["prices"].source
    assert (source.decimal, source.thousands) == marks


@pytest.mark.parametrize(("second", "kind"), [("id,x\n1,a\n2,b\n3,c\n", "snapshot"), ("id,x\n3,a\n4,b\n", "append")])
def test_files_of_days_are_deltas_whose_kind_shows(proposed, second, kind):
    files = {"days/2024-01-01.csv": "id,x\n1,a\n2,b\n", "days/2024-01-02.csv": second}
    source = proposed(files, "days")["days"].source
    assert (source.path, source.kind.value) == ("days", kind)


def test_change_files_and_keys_of_two_columns_are_seen(proposed):
    lines = "_op,order,line,sold\ninsert,1,1,5\ninsert,1,2,5\ninsert,2,1,7\n"
    table = proposed({"yes.csv": lines}, "yes.csv")["yes"]  # a word that YAML must not take for a truth value
    assert (table.source.kind.value, table.key) == ("changes", ("order", "line"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("op", "IUD"),
        ("operation", ("insert", "update", "delete")),
        ("Change_Type", "+~-"),
        ("__op", "cud"),
        ("what", ("Created", "Modified", "Removed")),  # by its values and the keys that come again alone
    ],
)
def test_a_column_of_operations_is_seen_and_said(init, tmp_path, name, words):
    insert, update, delete = words
    first = [f"{insert},{100 + i},{3 * i % 7}.50,OPEN" for i in range(8)]
    second = [f"{insert},108,2.50,OPEN", f"{update},102,6.50,PAID", f"{delete},103,2.50,OPEN"]
    header = f"{name},bill,amount,status"
    days = {"bills/2024-01-01.csv": first, "bills/2024-01-02.csv": second}
    put(tmp_path, {path: "\n".join([header, *rows, ""]) for path, rows in days.items()})
    code, out, _ = init("bills")
    table = written(tmp_path).tables["bills"]
    found = (code, table.source.kind.value, table.source.operation, table.key)
    assert found == (0, "changes", name, ("bill",))
    assert f"bills: csv, changes by {name}, key bill" in out
    assert f"{name} says what becomes of a row: " in " ".join(out.split())


@pytest.mark.parametrize(
    ("name", "words", "kind"),
    [
        ("state", ("new", "changed"), "snapshot"),  # new rows come again
        ("grade", ("A", "D"), "append"),
        ("op", ("I", "X"), "append"),
    ],
)
def test_words_of_operations_alone_make_no_changes(proposed, name, words, kind):
    files = {}
    for day in (1, 2):
        again = 0 if kind == "snapshot" else 8 * day
        rows = [f"{again + i},{words[i % 2]},{i * day}" for i in range(8)]
        files[f"jobs/2024-01-0{day}.csv"] = "\n".join([f"id,{name},size", *rows, ""])
    source = proposed(files, "jobs")["jobs"].source
    assert (source.kind.value, source.operation) == (kind, "_op")


def test_directories_of_tables_and_databases_are_told_apart(proposed, tmp_path):
    with duckdb.connect(tmp_path / "shop.duckdb") as connection:
        connection.execute("CREATE TABLE orders (id int, line int, phone text, PRIMARY KEY (line, id))")
    url = f"duckdb://{tmp_path}/shop.duckdb"
    tables = proposed({"sales/day=2024-01-01/part.parquet": {"id": [1, 2]}}, f"file://{tmp_path}/sales", url)
    assert (tables["sales"].source.format.value, tables["orders"].source.table) == ("parquet-table", "main.orders")
    assert tables["orders"].key == ("line", "id")
    assert tables["orders"].columns["phone"].redacted


def test_it_writes_into_the_project_that_the_environment_names(init, tmp_path, monkeypatch):
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path / "project"))
    (tmp_path / "dags" / "datasets").mkdir(parents=True)
    put(tmp_path, {"days/2024-01-01.csv": "id\n1\n"})
    code, _, err = init("days")
    assert code == 0, err
    assert written(tmp_path / "project").tables["days"].source.path == str(tmp_path / "days")


def test_it_writes_where_the_environment_has_dataset_files(init, tmp_path, monkeypatch):
    monkeypatch.setenv("HOLDFAST_DATASETS", str(tmp_path / "sets"))
    put(tmp_path, {"days/2024-01-01.csv": "id\n1\n"})
    code, _, err = init("days")
    assert (code, "no project was found" in err) == (2, True)  # as of `holdfast apply`, which needs a root beside them
    assert not (tmp_path / "sets").exists()
    monkeypatch.setenv("HOLDFAST_ROOT", str(tmp_path))
    code, out, err = init("days")
    assert code == 0, err
    assert load_dataset(tmp_path / "sets" / "shop.yaml").tables["days"].source.path == "days"
    assert str(tmp_path / "sets" / "shop.yaml") in "".join(out.split())
    assert not (tmp_path / "dags").exists()
    monkeypatch.setenv("HOLDFAST_DATASETS", "")
    assert init("days")[0] == 0
    assert written(tmp_path)


def test_names_are_personal_where_they_are_peoples(proposed):
    files = {
        "landing/customers/2024-01-01.csv": "id,name,city\n1,Ana,Bonn\n2,Bo,Ulm\n",
        "landing/products/2024-01-01.csv": "id,name,unit\n1,Tea,g\n2,Rice,kg\n",
        "landing/orders/2024-01-01.csv": "id,customer_name,parent_name\n1,Ana,x\n2,Bo,y\n",
    }
    redacted = {
        f"{name}.{column}"
        for name, table in proposed(files, "landing").items()
        for column, options in table.columns.items()
        if options.redacted
    }
    assert redacted == {"customers.name", "orders.customer_name"}


def test_partitions_have_keys_and_personal_columns_too(proposed, tmp_path):
    numbers = {("sales", 1): [1, 2], ("sales", 2): [3, 4], ("counters", 1): [3, 4], ("counters", 2): [3, 4]}
    files = {
        f"lake/{table}/day=2024-01-0{day}/part.parquet": {"n": ns, "email": ["a@b.de", "c@d.de"], "sold": [None, 5]}
        for (table, day), ns in numbers.items()
    }
    (tmp_path / "lake" / "empty" / "day=2024-01-01").mkdir(parents=True)
    tables = proposed(files, "lake")
    keys = {name: table.key for name, table in tables.items()}
    assert keys == {"sales": ("n",), "counters": ("n", "day"), "empty": ()}
    assert [name for name, options in tables["sales"].columns.items() if options.redacted] == ["email"]


@pytest.mark.postgres
def test_the_tables_of_a_postgresql_database_and_no_secret(init, tmp_path, request):
    url = server(request.config).new_database()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE orders (line int, id int, email text, PRIMARY KEY (id, line))")
        connection.execute("CREATE SCHEMA depot")
        connection.execute('CREATE TABLE depot."Parcels" (n numeric)')
        connection.execute('CREATE TABLE depot."a.b" (n int)')
        connection.execute("CREATE TABLE depot.orders (day date) PARTITION BY LIST (day)")
        connection.execute("CREATE TABLE depot.part PARTITION OF depot.orders DEFAULT")
        connection.execute("CREATE TABLE nothing ()")
        connection.execute(
            'CREATE TABLE depot.clients ("No" int, "E-Mail" text, "dateOfBirth" date, "homeAddress" text, '
            '"birthDate" date, '
            "reached jsonb, login text, code text NOT NULL, shop int NOT NULL, tag text UNIQUE, UNIQUE (code, shop))"
        )
        connection.execute("INSERT INTO depot.clients (login, code, shop) VALUES ('ana@shop.example', 'a', 1)")
        connection.execute("CREATE VIEW of_orders AS SELECT id FROM orders")
    code, out, err = init(url)
    assert code == 0, err
    tables = written(tmp_path).tables
    assert {name: table.source.table for name, table in tables.items()} == {
        "public_orders": "public.orders",
        "depot_orders": "depot.orders",
        "Parcels": "depot.Parcels",
        "a_b": 'depot."a.b"',
        "clients": "depot.clients",
    }
    clients = tables["clients"]
    assert clients.key == ("code", "shop")  # a unique column with nulls tells no rows apart
    redacted = {name for name, options in clients.columns.items() if options.redacted}
    assert redacted == {"E-Mail", "dateOfBirth", "homeAddress", "birthDate", "login"}
    assert tables["public_orders"].key == ("id", "line")
    assert tables["public_orders"].columns["email"].redacted
    assert {table.source.url_env for table in tables.values()} == {"HOLDFAST_SOURCE_URL"}
    assert "Next: export HOLDFAST_SOURCE_URL=" in out
    assert urlsplit(url).password not in out + err + (tmp_path / "dags" / "datasets" / "shop.yaml").read_text("utf-8")


@pytest.fixture
def lake(tmp_path, monkeypatch):
    """An Iceberg catalog, as pyiceberg's environment names it, with two tables."""
    monkeypatch.setenv("PYICEBERG_CATALOG__LAKE__TYPE", "sql")
    monkeypatch.setenv("PYICEBERG_CATALOG__LAKE__URI", f"sqlite:///{tmp_path}/c.db")
    monkeypatch.setenv("PYICEBERG_CATALOG__LAKE__WAREHOUSE", f"file://{tmp_path}")
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config())  # read once a process, when it is imported
    catalog = load_catalog("lake")
    catalog.create_namespace("shop")
    orders = pa.table({"sold": [5, 5, 7], "order_id": [1, 2, 3], "phone": ["1", "2", "3"]})
    catalog.create_table("shop.orders", orders.schema).append(orders)
    catalog.create_table("shop.empty", orders.schema)


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("iceberg://lake", {"orders", "empty"}),
        ("iceberg://lake/shop", {"orders", "empty"}),
        ("iceberg://lake/shop.orders", {"orders"}),
    ],
)
def test_the_tables_of_an_iceberg_catalog(proposed, lake, what, names):
    tables = proposed({}, what)
    assert set(tables) == names
    assert tables["orders"].key == ("order_id",)
    assert (tables["orders"].source.catalog, tables["orders"].source.table) == ("lake", "shop.orders")
    assert tables["orders"].columns["phone"].redacted


@pytest.mark.parametrize("what", ["iceberg://lake/nowhere", "iceberg://nolake"])
def test_an_iceberg_catalog_that_does_not_show_it_is_told(init, lake, what):
    code, _, err = init(what)
    assert code == 2
    assert "cannot be read" in err


def test_a_catalog_that_does_not_answer_is_told_with_host_and_user_and_no_secret(init, monkeypatch):
    monkeypatch.setenv("PYICEBERG_CATALOG__DEAD__TYPE", "sql")
    monkeypatch.setenv("PYICEBERG_CATALOG__DEAD__URI", "postgresql+psycopg://me:canary@127.0.0.1:1/c")
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config())
    code, out, err = init("iceberg://dead")
    assert "'dead' does not answer at postgresql+psycopg://127.0.0.1:1/c (user 'me')" in " ".join(err.split())
    assert code != 0
    assert "canary" not in out + err


def test_a_bucket_is_looked_at(init, tmp_path, bucket):  # noqa: F811 - fixture
    objects = tmp_path / "store" / BUCKET / "in"
    two = "id;email\n1;a@b.de\n2;c@d.de\n"
    put(objects, {"orders/2024-01-01.csv": two, "orders/2024-01-02.csv": f"{two}3;e@f.de\n"})
    put(objects, {"clicks/day=1/a.parquet": {"id": [1, 2]}, "loose/one.csv": "id\n1\n"})
    write_deltalake(objects / "people", pa.table({"id": [1, 2], "name": ["a", "b"]}))
    code, out, err = init(f"{bucket}/in/")
    assert code == 0, err
    tables = written(tmp_path).tables
    assert {name: (table.source.format, table.source.path) for name, table in tables.items()} == {
        "orders": ("csv", f"{bucket}/in/orders"),
        "clicks": ("parquet-table", f"{bucket}/in/clicks"),
        "people": ("delta", f"{bucket}/in/people"),
    }
    assert (tables["orders"].key, tables["orders"].source.kind) == (("id",), "snapshot")
    assert [name for name, options in tables["orders"].columns.items() if options.redacted] == ["email"]
    assert not list((tmp_path / ".holdfast").rglob("*.csv"))
    assert "canary" not in out + (tmp_path / "dags" / "datasets" / "shop.yaml").read_text("utf-8")
    for what in (f"{bucket}/in/loose", f"{bucket}/nowhere"):
        code, _, err = init(what)
        assert (code, "no table was found" in err) == (2, True)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("s3://me:canary@bucket/x", "holds no user, password or parameters"),
        ("gs://me:canary@bucket/x", "gs:// is not supported"),
        ("nowhere.csv", "there is no such file"),
        (".", "no table was found"),
    ],
)
def test_what_cannot_be_looked_at_is_told(init, tmp_path, what, words):
    code, _, err = init(what)
    assert code == 2
    assert words in err
    assert "canary" not in err
    assert not list((tmp_path / "dags").rglob("*.yaml")) if (tmp_path / "dags").exists() else True


def test_nothing_is_overwritten(init, tmp_path):
    (tmp_path / "a.csv").write_text("id\n1\n2\n", "utf-8")
    assert init("a.csv")[0] == 0
    before = (tmp_path / "dags" / "datasets" / "shop.yaml").read_text("utf-8")
    code, _, err = init("a.csv")
    assert (code, "is there already" in err) == (2, True)
    assert (tmp_path / "dags" / "datasets" / "shop.yaml").read_text("utf-8") == before


def test_nested_columns_are_looked_at_as_they_land(proposed):
    rows = {"id": [1, 2], "tags": [["a"], []], "at": pa.array([1, 2], pa.time64("us")), "email": ["a@b.c"] * 2}
    table = proposed({"orders.parquet": rows}, "orders.parquet")["orders"]
    assert (table.source.format.value, table.key, list(table.columns)) == ("parquet", ("id",), ["email"])


def test_directories_of_part_files_are_deltas(proposed):
    files = {f"orders/2024-01-0{day}/_SUCCESS": "" for day in (1, 2)}
    for number in range(4):
        text = f"id;city\n{2 * number + 1};Bonn\n{2 * number + 2};Bonn\n"
        files[f"orders/2024-01-0{number // 2 + 1}/part-{number % 2}.csv"] = text
    tables = proposed(files, "orders")
    assert [*tables] == ["orders"]
    table = tables["orders"]
    assert (table.source.path, table.source.kind.value, table.key) == ("orders", "append", ("id",))


def test_partitions_of_csv_files_are_read_by_what_is_proposed(proposed, holdfast):
    texts = {month: f"id,v\n{month},1\n{month + 20},2\n" for month in (2, 10, 1)}
    tables = proposed({f"t/year=2024/month={month}/part-0.csv": text for month, text in texts.items()}, "t")
    assert [table.source.format.value for table in tables.values()] == ["csv"]
    assert "6 rows now" in holdfast("apply", "shop").out


def test_files_without_a_column_in_common_are_no_table(init, tmp_path):
    put(tmp_path, {"t/2024-01-01.csv": "id,v\n1,2\n2,3\n", "t/2024-01-02.csv": "id;v\n3;2\n4;3\n"})
    code, _, err = init("t")
    assert (code, "none of the columns of 2024-01-01.csv (id, v)" in err, "2024-01-02.csv" in err) == (2, True, True)


def test_rows_of_which_one_is_empty_have_no_key(proposed):
    assert proposed({"t.csv": "id,v\n1,2\n2,3\n,\n"}, "t.csv")["t"].key == ()


def test_first_rows_after_headers_alone_give_the_types(init, holdfast, tmp_path, caplog):
    put(tmp_path, {"t/2024-01-01.csv": "id,day\n"})
    assert init("t")[0] == 0
    assert "0 rows now" in holdfast("apply", "shop").out
    (tmp_path / "t" / "2024-01-02.csv").write_text("id,day\n1,2024-01-01\n2,2024-01-02\n", "utf-8")
    assert "2 rows now" in holdfast("apply", "shop").out
    (tmp_path / "t" / "2024-01-03.csv").write_text("id,day\n3,soon\n", "utf-8")
    assert holdfast("apply", "shop").code == 2
    assert "column 'day' is date, not 'soon'" in caplog.text


def test_what_spark_wrote_as_parquet_is_one_table(proposed):
    files = {f"sales/part-0000{part}-c000.parquet": {"id": [2 * part, 2 * part + 1]} for part in (0, 1)}
    tables = proposed({**files, "sales/_SUCCESS": ""}, "sales")
    assert tables["sales"].source.format.value == "parquet-table"


def test_what_is_passed_over_is_told(proposed, caplog):
    told, silent = {"orders.csv.zst", "notes.txt"}, {".hidden", "_SUCCESS"}
    files = dict.fromkeys((f"in/{name}" for name in told | silent), "x")
    assert [*proposed({**files, "in/people.csv": "id\n1\n2\n"}, "in")] == ["people"]
    assert {name for name in told | silent if name in " ".join(caplog.messages)} == told


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.json", '[{"id": 1}]', "this is a JSON array"),
        ("a.jsonl", "1\n2\n", "none of its lines is a JSON object"),
        ("a.jsonl", "", "the file is empty"),
    ],
)
def test_json_that_has_no_rows_is_refused_with_what_to_do(init, tmp_path, name, text, words):
    (tmp_path / name).write_text(text, "utf-8")
    code, _, err = init(name)
    assert (code, words in " ".join(err.split()), "what to do" in err) == (2, True, True)


def test_a_files_format_is_known_by_its_beginning_where_its_name_says_nothing(proposed, tmp_path):
    files = {"events.ndjson": '{"id": 1}\n{"id": 2}\n', "rows.pq": {"id": [1, 2]}}
    tables = proposed(files, *files)
    assert [tables[name].source.format.value for name in ("events", "rows")] == ["jsonl", "parquet"]
    assert next((tmp_path / "landing" / "events").iterdir()).suffix == ".jsonl"


@pytest.mark.parametrize("around", ['{"schema": {}, "payload": %s}', "%s"])
def test_change_events_are_known_and_keyed_by_their_rows(proposed, tmp_path, around):
    event = '{"op": "r", "before": null, "after": {"city": "Bonn", "id": %d, "email": "a@b.de"}, "source": {"lsn": %d}}'
    files = {}
    for day in (1, 2):
        lines = [around % (event % (10 * day + i, i)) for i in range(3)]
        files[f"orders/2024-01-0{day}.jsonl"] = "\n".join([*lines, '{"payload": null}', ""])
    tables = proposed(files, "orders", "orders/2024-01-01.jsonl")
    assert {n: (t.source.format.value, t.source.path, t.key) for n, t in tables.items()} == {
        "orders": ("debezium", "orders", ("id",)),
        "2024_01_01": ("debezium", "landing/2024_01_01", ("id",)),
    }
    assert [*tables["orders"].columns] == ["email"]
    (tmp_path / "dags" / "datasets" / "shop.yaml").unlink()
    plain = {"plain.jsonl": '{"op": "c", "id": 1}\n{"op": "c", "id": 2}\n'}
    assert proposed(plain, "plain.jsonl")["plain"].source.format.value == "jsonl"


DAYS = ("2024-03-11", "2024-03-12", "2024-03-13", "2024-04-02")


@pytest.mark.parametrize(
    ("lines", "kind", "key"),
    [
        # rates of a day: other numbers each day
        (lambda day, n: [f"{day};{c};{n + i}.5" for i, c in enumerate("ABC")], "append", ("day", "code")),
        # hours of a day, which come again each day, the day written so that one file alone does not tell its order
        (lambda day, n: [f"{day[8:]}/{day[5:7]}/2024;{h}.00.00;{n + h}" for h in range(3)], "append", ("day", "code")),
        # the table as it is, with the day on which it was written
        (lambda day, n: [f"{day};{c};{i}" for i, c in enumerate("ABC")], "snapshot", ("code",)),
        # the same table without a day: its numbers change
        (lambda day, n: [f"2024;{c};{n + i}.5" for i, c in enumerate("ABC")], "snapshot", ("code",)),
        # moments that never come again
        (lambda day, n: [f"{day} 10:0{i};{n + i % 2};x" for i in range(3)], "append", ("day",)),
    ],
)
def test_a_file_is_a_period_where_its_times_come_in_no_other_file(proposed, lines, kind, key):
    days = {day: ["day;code;value", *lines(day, 7 * n), ""] for n, day in enumerate(DAYS)}
    table = proposed({f"rates/{day}.csv": "\n".join(text) for day, text in days.items()}, "rates")["rates"]
    assert (table.source.kind.value, table.key) == (kind, key)


def test_key_of_three_columns_is_seen_in_a_table_that_comes_whole(proposed):
    files = {}
    for day in (1, 2):
        rows = [
            f"{code},{area},{year}-01-01,{(7 * place + code_at * 13 + year + day * (place == 3)) % 40 + 10}"
            for code_at, code in enumerate(("H1", "H2", "G1", "G2", "I1", "I2"))
            for place, area in enumerate(("NO", "SO", "WE", "MI"))
            for year in (2023, 2024)
        ]
        files[f"tariffs/2024-05-0{day}.csv"] = "\n".join(["tariff_code,area_code,valid_from,price", *rows, ""])
    table = proposed(files, "tariffs")["tariffs"]
    assert (table.source.kind.value, table.key) == ("snapshot", ("tariff_code", "area_code", "valid_from"))


def test_hours_of_a_single_file_are_told_apart_with_their_day(proposed):
    lines = [f"2024-03-11;{hour:02}:00;{hour}" for hour in range(5)]
    table = proposed({"air/2024-03-11.csv": "\n".join(["Date;Time;CO", *lines, ""])}, "air")["air"]
    assert (table.source.kind.value, table.key) == ("append", ("Date", "Time"))


def test_hours_with_dots_say_nothing_of_how_numbers_are_written(proposed):
    text = "Time;CO\n0.00.00;1,2\n1.00.00;12\n2.00.00;0,7603\n"
    assert proposed({"air.csv": text}, "air.csv")["air"].source.decimal == ","


def test_personal_columns_that_come_in_a_later_file_are_redacted(init, tmp_path):
    (tmp_path / "orders").mkdir()
    for day, more in ((1, ""), (2, ",email")):
        rows = [f"{day}{i},{i}" + (f",a{i}@example.org" if more else "") for i in range(5)]
        (tmp_path / "orders" / f"2024-05-0{day}.csv").write_text("\n".join([f"id,count{more}", *rows]) + "\n", "utf-8")
    assert init("orders")[0] == 0
    assert written(tmp_path).redacted("orders") == {"email"}
