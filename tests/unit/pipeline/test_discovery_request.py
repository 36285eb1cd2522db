"""What only a request of the library can ask: texts in place of typed values, empty cells, typed headers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from profiling_core.model.constraint import Kind
from profiling_core.model.dialect import CsvDialect
from profiling_core.pipeline.discover import discover
from profiling_core.pipeline.discovery_request import DiscoveryRequest


def inclusions(paths: Sequence[Path], **asked: Any) -> set[str]:
    """The inclusions of files, as texts."""
    found = discover(paths, DiscoveryRequest(kind=Kind.IND, null_values=("",), **asked))
    return {measured.constraint.text for measured in found.constraints}


def test_values_compare_as_text_where_asked(tmp_path: Path):
    for name, cells in (("left", "1.0,2.0"), ("right", "1,2,3")):
        (tmp_path / f"{name}.csv").write_text("v\n" + cells.replace(",", "\n") + "\n", encoding="utf-8")
    files = (tmp_path / "left.csv", tmp_path / "right.csv")
    assert inclusions(files) == {"left.v ⊆ right.v"}
    assert inclusions(files, values="text") == set()


def test_empty_cells_are_read_as_other_programs_do(tmp_path: Path):
    path = tmp_path / "r.csv"
    path.write_text("a,b,c,d\nx,x,,\n,y,,x\n", encoding="utf-8")
    assert inclusions([path], values="text") == {"r.a ⊆ r.b", "r.a ⊆ r.d", "r.d ⊆ r.a", "r.d ⊆ r.b"}
    assert inclusions([path], values="text", empty_values="value") == {"r.a ⊆ r.d", "r.d ⊆ r.a"}
    empty = {"r.c ⊆ r.a", "r.c ⊆ r.b", "r.c ⊆ r.d"}
    assert inclusions([path], values="text", empty_columns="included") >= empty


def test_a_typed_header_gives_names_and_types(tmp_path: Path):
    path = tmp_path / "typed.csv"
    path.write_text("a(String);b(Integer)\n01;1\n02;2\n", encoding="utf-8")
    found = discover([path], DiscoveryRequest(typed_header=True, dialect=CsvDialect(";"), null_values=("",)))
    columns = {p["left"]["column"] for c in found.constraints for p in c.constraint.to_json()["predicates"]}
    assert columns == {"a", "b"}
