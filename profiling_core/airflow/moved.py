"""Names that stand elsewhere in Airflow 3.1 than in 3.2 and later; and how either is told to wait twice as long."""

try:
    from airflow.sdk import CronDataIntervalTimetable
    from airflow.sdk.exceptions import (
        AirflowFailException,
        AirflowNotFoundException,
        AirflowRescheduleException,
        AirflowSkipException,
    )

    DOUBLING: float = 2.0
except ImportError:
    from airflow.exceptions import (
        AirflowFailException,
        AirflowNotFoundException,
        AirflowRescheduleException,
        AirflowSkipException,
    )
    from airflow.timetables.interval import CronDataIntervalTimetable

    DOUBLING = True

__all__ = [
    "DOUBLING",
    "AirflowFailException",
    "AirflowNotFoundException",
    "AirflowRescheduleException",
    "AirflowSkipException",
    "CronDataIntervalTimetable",
]
