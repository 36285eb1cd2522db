"""A cron schedule of data intervals that begins when its DAG is switched on, and may end on a day.

Airflow would begin with the interval that is over: whoever switches a DAG on gets a run for yesterday at once. And a
DAG's own ``end_date`` is handed on to its tasks: a run that a person triggers after that day then has no task at all
and calls itself a success. Here the schedule alone begins and ends, and manual runs and backfills go on.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction
from airflow.timetables.interval import CronDataIntervalTimetable
from pendulum import instance

# The scheduler makes a run seconds after its interval; if the DAG file is parsed first, the run must not be lost.
_MADE_WITHIN = timedelta(minutes=10)


class DatasetTimetable(CronDataIntervalTimetable):
    """As :class:`CronDataIntervalTimetable` in UTC.

    Args:
        cron: the schedule.
        end: no interval begins after it; None: it has no end.
        from_past: whether the first run may be for an interval that is over when the DAG is switched on.
    """

    def __init__(self, cron: str, *, end: datetime | None = None, from_past: bool = False) -> None:
        super().__init__(cron, timezone="UTC")
        self._end = instance(end) if end else None
        self._from_past = from_past

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """The next interval; None once the schedule has ended."""
        latest = min((moment for moment in (restriction.latest, self._end) if moment), default=None)
        within = TimeRestriction(restriction.earliest, latest, restriction.catchup)
        found = super().next_dagrun_info(last_automated_data_interval=last_automated_data_interval, restriction=within)
        if found is None or self._from_past or last_automated_data_interval or restriction.catchup:
            return found
        if found.data_interval.end > datetime.now(UTC) - _MADE_WITHIN:
            return found
        return super().next_dagrun_info(last_automated_data_interval=found.data_interval, restriction=within)

    def serialize(self) -> dict[str, Any]:
        """As Airflow stores it."""
        end = self._end.isoformat() if self._end else None
        return {"expression": self._expression, "end": end, "from_past": self._from_past}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "DatasetTimetable":
        """The inverse of :meth:`serialize`."""
        end = datetime.fromisoformat(data["end"]) if data["end"] else None
        return cls(data["expression"], end=end, from_past=data["from_past"])
