"""What ``init`` proposes for a directory, ``apply`` finds there: whatever files and directories are called."""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import duckdb
import pytest
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from profiling_core.ingest.sources.landing import Landing
from profiling_core.ingest.sources.objects import Copies
from profiling_core.model.dataset import TableConfig
from profiling_core.model.delta_ids import delta_id_of, in_order
from profiling_core.model.source import Source
from profiling_core.pipeline.init.looking import look
from profiling_core.state.settings import Settings

PREFIX = st.sampled_from(
    ["", "orders ", "orders(", "Aufträge_", "date=", "stock_", "заказы-", "a&b #", "№ ", "v", "Ça va, "]
)
SUFFIX = st.sampled_from(["", ")", "Z", " final", ".v2", "_ü"])
NUMBER = st.one_of(
    st.integers(0, 120).map(str),
    st.dates().map(str),
    st.integers(0, 31).map("{:02}".format),
    st.dates().map("{:%Y%m%d}".format),
)
_JSON = '{{"id": {0}, "n": 1}}\n{{"id": {1}, "n": 2}}\n'
FORMATS = {".csv": "id,n\n{0},1\n{1},2\n", ".tsv": "id\tn\n{0}\t1\n{1}\t2\n", ".jsonl": _JSON}


def zipped(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.csv", content)
    return packed.getvalue()


COMPRESSIONS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zip": zipped}


@st.composite
def directories(draw):
    """Names of deltas, how their files end, whether each is a directory of parts, and whether the first has no row."""
    prefix, suffix = draw(PREFIX), draw(SUFFIX)
    numbers = draw(st.lists(NUMBER, min_size=1, max_size=6, unique=True))
    return (
        [f"{prefix}{number}{suffix}" for number in numbers],
        draw(st.sampled_from(sorted(FORMATS))) + draw(st.sampled_from(sorted(COMPRESSIONS))),
        draw(st.booleans()),
        draw(st.booleans()),
    )


def written(root: Path, names: list[str], extension: str, in_parts: bool, empty: bool) -> None:
    for i, name in enumerate(sorted(names, key=in_order)):
        path = root / name / f"part-0{extension}" if in_parts else root / f"{name}{extension}"
        path.parent.mkdir(parents=True, exist_ok=True)
        kind, compression = re.fullmatch(r"(\.\w+)(.*)", extension).groups()
        text = FORMATS[kind].format(2 * i, 2 * i + 1)
        text = text.splitlines(keepends=True)[0] if empty and i == 0 and kind != ".jsonl" else text
        path.write_bytes(COMPRESSIONS[compression](text.encode()))
        os.utime(path, (1, 1))


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=directories())
def test_each_file_of_a_proposed_directory_is_a_delta(tmp_path_factory, made):
    names, extension, in_parts, empty = made
    root = tmp_path_factory.mktemp("project")
    written(root / "landing" / "orders", names, extension, in_parts, empty)
    places = Settings(root, root / ".holdfast", "sqlite://", root / "dags" / "datasets")
    proposals = look(str(root / "landing" / "orders"), places, Copies(places))
    found = []
    for proposal in proposals:
        source = Source.model_validate({**json.loads(json.dumps(proposal.source)), "settle_seconds": 0})
        if proposal.first is None:
            there = Landing(places, TableConfig(source=source)).look({}, None)
            assert not there.warnings
            assert not there.waiting
            assert list(there.pending) == sorted(there.pending, key=in_order)
            found += there.pending
            found += [held.delta_id for held in there.refused]
        else:
            found.append(delta_id_of(proposal.first[0].stem))
    assert sorted(found) == sorted(filter(None, map(delta_id_of, names)))


VALUES = st.sampled_from(
    [["5", "7"], ["5", "5.5"], ["NA", "6"], ["A1004", "B7"], ["2024-01-01", "2024-01-02 10:00"], []]
)


@pytest.mark.long
@settings(max_examples=examples(6), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=directories(), values=st.lists(VALUES, min_size=6, max_size=6))
def test_what_init_proposes_apply_reads(tmp_path_factory, made, values):
    names, extension, in_parts, _ = made
    root = tmp_path_factory.mktemp("project")
    ids, compression = [], extension.partition(".")[2].partition(".")[2]
    ending = f".csv.{compression}" if compression else ".csv"
    for i, name in enumerate(sorted(names, key=in_order)):
        path = root / "landing" / "orders" / (f"{name}/part-0{ending}" if in_parts else f"{name}{ending}")
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [f"{10 * i + j},{value}\n" for j, value in enumerate(values[i])]
        ids += [10 * i + j for j in range(len(rows))]
        path.write_bytes(COMPRESSIONS[ending.removeprefix(".csv")]("".join(["id,v\n", *rows]).encode()))
        os.utime(path, (1, 1))
        os.utime(path.parent, (1, 1))  # what has just changed waits
    ran(root, "init", "--yes", "landing/orders", "--name", "shop")
    said = ran(root, "apply", "shop")
    files = ", ".join(f"'{file}'" for file in root.glob(".holdfast/state/shop/*/rows/*/*.parquet"))
    found = duckdb.sql(f"SELECT id FROM read_parquet([{files}], hive_partitioning = false) ORDER BY id").fetchall()
    assert found == [(number,) for number in ids], said
    assert "Nothing to apply" in ran(root, "apply", "shop")


def ran(root: Path, *arguments: str) -> str:
    """What a command says, which has to end well."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
    command = [sys.executable, "-m", "profiling_core.cli.main", *arguments]
    done = subprocess.run(command, cwd=root, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@given(st.lists(st.integers(0, 10**6), unique=True), PREFIX)
def test_numbered_ids_apply_by_their_numbers(numbers, prefix):
    ids = [f"{prefix}{number}" for number in numbers]
    assert sorted(ids, key=in_order) == [f"{prefix}{number}" for number in sorted(numbers)]


@given(st.text(max_size=40))
def test_names_that_were_ids_stay_as_they_are(text):
    found = delta_id_of(text)
    assert found is None or delta_id_of(found) == found
