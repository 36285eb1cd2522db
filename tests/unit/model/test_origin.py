"""Where rows came from, by the ids that they were given as they were read."""

from profiling_core.model.origin import BEGINS, IDS, Origin, Origins

FILES = {"files": [{"path": "a.csv"}, {"path": "b.csv"}]}


def test_a_row_is_placed_by_the_stretch_of_lines_that_it_is_in():
    first = {**FILES, IDS: [0, 6], BEGINS: [[0, 0, 2], [2, 0, 9], [4, 1, 2]]}
    found = Origins({"d1": first, "d2": {**FILES, IDS: [6, 8], BEGINS: [[6, 0, 2]]}})
    assert [found.of(i).words for i in range(9)] == [
        "a.csv, line 2",
        "a.csv, line 3",
        "a.csv, line 9",
        "a.csv, line 10",
        "b.csv, line 2",
        "b.csv, line 3",
        "a.csv, line 2",
        "a.csv, line 3",
        "",
    ]
    assert found.of(7).delta == "d2"


def test_ids_that_no_row_kept_belong_to_the_delta_that_took_them_again():
    rejected = {**FILES, IDS: [0, 5], BEGINS: [[0, 0, 2], [4, 1, 2]]}  # rows 3 and 4 were rejected
    found = Origins({"d1": rejected, "d2": {**FILES, IDS: [3, 6], BEGINS: [[3, 0, 2]]}})
    assert [found.of(i) for i in (2, 3, 4)] == [
        Origin("d1", "a.csv", 4),
        Origin("d2", "a.csv", 2),
        Origin("d2", "a.csv", 3),
    ]


def test_the_delta_is_said_where_there_are_no_files_and_nothing_where_nothing_is_known():
    found = Origins({"old": FILES, "2024-05-03": {"snapshot": 7, IDS: [10, 12]}})
    assert [found.of(i).words for i in (3, 10, 12)] == ["", "delta 2024-05-03", ""]


def test_a_file_with_too_many_stretches_is_named_without_a_line():
    found = Origins({"d": {**FILES, IDS: [0, 9], BEGINS: [[0, 0, 2], [5, 0, 0]]}})
    assert [found.of(i).words for i in (4, 8)] == ["a.csv, line 6", "a.csv"]
