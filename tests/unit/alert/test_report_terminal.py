"""The report on a terminal: whatever a day tells has a sign and a style."""

from profiling_core.alert import report, report_terminal


def test_all_that_a_day_may_tell_has_a_sign_and_a_style():
    assert report._VERBS.keys() == report_terminal._SIGNS.keys() == report_terminal._STYLES.keys()
