"""Names that stand elsewhere in Airflow 3.1 than in 3.2 and later; and how each is told to wait twice as long."""

from airflow.sdk import BaseOperator

try:
    from airflow.sdk import CronDataIntervalTimetable
    from airflow.sdk.exceptions import (
        AirflowFailException,
        AirflowNotFoundException,
        AirflowRescheduleException,
        AirflowSkipException,
    )
except ImportError:
    from airflow.exceptions import (
        AirflowFailException,
        AirflowNotFoundException,
        AirflowRescheduleException,
        AirflowSkipException,
    )
    from airflow.timetables.interval import CronDataIntervalTimetable

# Releases before 3.2 are told whether, later ones by how much; 3.1's latest have the names' new places all the same.
DOUBLING: float = True if BaseOperator.retry_exponential_backoff is False else 2.0

__all__ = [
    "DOUBLING",
    "AirflowFailException",
    "AirflowNotFoundException",
    "AirflowRescheduleException",
    "AirflowSkipException",
    "CronDataIntervalTimetable",
]
