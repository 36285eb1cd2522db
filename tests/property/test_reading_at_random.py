"""Tables that are written at random, as people publish them, are read equal, refused, or said to be in doubt."""

import pytest
from benchmarks.reading import holdfast, score
from benchmarks.reading_at_random import made
from helpers.examples import blocks

SIZE = 250
MOST = 1
"""Files of a block that may be read otherwise without a word: a person could not tell each of them, either."""
EQUAL = 0.8


@pytest.mark.parametrize("block", blocks(8))
def test_files_made_at_random_are_read_equal_or_with_a_word(tmp_path, block):
    scores = {}
    for seed in range(block * SIZE, (block + 1) * SIZE):
        case, path = made(seed), tmp_path / f"{seed}.csv"
        path.write_bytes(case.content)
        scores[case.name] = score(case, holdfast, path)
    silent = [name for name, found in scores.items() if found.silent]
    assert len(silent) <= MOST, silent
    assert sum(found.equal for found in scores.values()) >= EQUAL * SIZE
