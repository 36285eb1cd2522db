"""A cron schedule of data intervals that ends on a day.

A DAG's own ``end_date`` would do, were it not handed on to its tasks: a run that a person triggers after that day then
has no task at all and calls itself a success. Here the schedule ends, and manual runs and backfills go on.
"""

from datetime import datetime
from typing import Any

from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction
from airflow.timetables.interval import CronDataIntervalTimetable
from pendulum import DateTime, instance


class EndingCronTimetable(CronDataIntervalTimetable):
    """As :class:`CronDataIntervalTimetable` in UTC, with no interval that begins after ``end``."""

    def __init__(self, cron: str, *, end: datetime) -> None:
        super().__init__(cron, timezone="UTC")
        self._end = instance(end)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """The next interval; None once the schedule has ended."""
        latest: DateTime = min(restriction.latest or self._end, self._end)
        return super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval,
            restriction=TimeRestriction(restriction.earliest, latest, restriction.catchup),
        )

    def serialize(self) -> dict[str, Any]:
        """As Airflow stores it."""
        return {"expression": self._expression, "end": self._end.isoformat()}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "EndingCronTimetable":
        """The inverse of :meth:`serialize`."""
        return cls(data["expression"], end=datetime.fromisoformat(data["end"]))
