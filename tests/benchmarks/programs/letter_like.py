"""Makes a table like UCI's letter recognition: ``letter_like.py out.csv``; 20,000 letters, each with 16 integers.

Every letter has a mean per column; the noise about it is correlated between columns. Always the same table.
"""

import sys
from pathlib import Path

import numpy as np

ROWS, COLUMNS, LETTERS = 20_000, 16, 26


def main(out: Path) -> None:
    random = np.random.default_rng(7)
    letters = random.integers(0, LETTERS, ROWS)
    means = random.normal(7, 2, (LETTERS, COLUMNS))
    mixed = np.eye(COLUMNS) + 0.35 * random.normal(0, 1, (COLUMNS, COLUMNS))
    noise = random.normal(0, 1, (ROWS, COLUMNS)) @ mixed
    values = np.clip(np.rint(means[letters] + 1.6 * noise), 0, 15).astype(int)
    part = out.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(",".join(["letter(String)", *(f"x{i}(Integer)" for i in range(COLUMNS))]) + "\n")
        for letter, row in zip(letters.tolist(), values.tolist(), strict=True):
            file.write(f"s{chr(ord('A') + letter)},{','.join(map(str, row))}\n")
    part.rename(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
