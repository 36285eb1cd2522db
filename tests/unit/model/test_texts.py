"""Moments as people read them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from profiling_core.model.texts import moment_text


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("2026-11-25T21:10:59.123+00:00", "2026-11-25 21:10 UTC"),
        ("2026-11-25T23:10:00+02:00", "2026-11-25 21:10 UTC"),
        ("2026-11-25T21:10:00", "2026-11-25 21:10 UTC"),
        (datetime(2026, 11, 25, 21, 10, tzinfo=UTC), "2026-11-25 21:10 UTC"),
        (datetime(2026, 1, 1, 0, 10, tzinfo=timezone(timedelta(hours=3))), "2025-12-31 21:10 UTC"),
        ("", ""),
        (None, ""),
    ],
)
def test_a_moment_is_to_the_minute_and_in_utc(at, said):
    assert moment_text(at) == said
