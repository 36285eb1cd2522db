"""The walk of a table of many columns ends, and the log states the bound of the search before the search."""

import csv
import random
from pathlib import Path
from time import process_time, time

import pytest

ROWS, A_DAY = 600, 40
CPU_SECONDS = 600
"""The limit of the walk, set by hand: with 1,200 columns `init` took 41, the first `apply` 222 and a day 80."""


def _write(path: Path, columns: int, first: int, rows: int) -> None:
    """Numbers, counts, codes and flags under names of a group each."""
    drawn = random.Random(first)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", *(f"{('measure', 'count', 'code', 'flag')[i % 4]}_{i}" for i in range(1, columns))])
        for row in range(first, first + rows):
            cells = (
                (
                    drawn.gauss(50, i).__format__(".2f"),
                    drawn.randint(0, i),
                    f"K{drawn.randint(1, i)}",
                    drawn.choice("YN"),
                )
                for i in range(1, columns)
            )
            writer.writerow([row, *(cell[i % 4] for i, cell in enumerate(cells, 1))])


@pytest.mark.long
@pytest.mark.parametrize(
    ("columns", "said"),
    [(200, "200 columns: up to 59,700 dependencies"), (1_200, "1,200 columns: up to 2,158,200 dependencies")],
)
def test_wide_table_is_walked_to_its_end_and_its_bound_is_said_first(
    here: Path, holdfast, caplog, columns: int, said: str
) -> None:
    landing = here / "landing" / "t"
    landing.mkdir(parents=True)
    _write(landing / "2024-01-01.csv", columns, 1, ROWS)
    begun = process_time()
    assert holdfast("init", "--yes", "landing/t", "--name", "w").code == 0
    started = time()
    found = holdfast("apply", "w")
    assert found.code == 0, found.err
    told = next(record.created for record in caplog.records if said in record.getMessage())
    assert told - started < time() - told  # before the search, which takes most of the time
    _write(landing / "2024-01-02.csv", columns, 1 + ROWS, A_DAY)
    found = holdfast("apply", "w")
    assert (found.code, f"{ROWS + A_DAY} rows now" in found.out) == (0, True), found.err
    assert process_time() - begun < CPU_SECONDS
