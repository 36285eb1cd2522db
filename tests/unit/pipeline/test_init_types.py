"""What init proposes where a column has other types in other files: types are united as ingest unites them."""

from pathlib import Path

import pytest

from profiling_core.pipeline.init.looking import look
from profiling_core.state.settings import Settings


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
    folder = tmp_path / "orders"
    folder.mkdir()
    for day, rows in enumerate([first, second][::order], 1):
        (folder / f"2024-01-0{day}.csv").write_text(f"id,x\n{rows}\n" if rows else "id,x\n")
    (made,) = look(str(folder), Settings.discover(tmp_path, {"HOLDFAST_ROOT": str(tmp_path)}))
    assert made.key == ("id",)
    assert made.nulls == ({"x": [null]} if null else {})
