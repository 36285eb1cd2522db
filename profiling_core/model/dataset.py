"""The configuration of a dataset, as a YAML file in ``dags/datasets/`` gives it.

Imports pydantic alone, so that Airflow can parse hundreds of such files without Spark, pandas or Great Expectations.
"""

from datetime import timedelta
from enum import StrEnum
from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from profiling_core.model.account import MAX_REJECT_RATIO
from profiling_core.model.alert_budget import USUAL_PER_MONTH, AlertBudget
from profiling_core.model.number_form import UNITS
from profiling_core.model.role import Role
from profiling_core.model.schedule import checked
from profiling_core.model.source import Source, SourceFormat, Strict, check_one_url
from profiling_core.model.types import LogicalType, NullSemantics

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$")]
Schedule = Annotated[str, AfterValidator(checked)]
DAYS = r"^[1-9][0-9]{0,4}d$"
Days = Annotated[str, Field(pattern=DAYS)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Engine(StrEnum):
    """How a table's row constraints are kept current; ``auto`` leaves the choice to the table's shape."""

    AUTO = "auto"
    COUNTED = "counted"
    INDEXED = "indexed"
    AGREE_SETS = "agree-sets"
    PARTITIONS = "partitions"
    AGREE_SETS_SPARK = "agree-sets-spark"
    GROUPS_SPARK = "groups-spark"


class Policy(StrEnum):
    """The policy for a delta with rows that violate an active constraint.

    ``alert``: they are applied, and a person hears of it. ``quarantine``: they are set aside, and the rest is applied.
    ``stop``: nothing of the delta is applied, and the run fails.
    """

    ALERT = "alert"
    QUARANTINE = "quarantine"
    STOP = "stop"


class ColumnOptions(Strict):
    """The settings of a single column."""

    type: LogicalType | None = None
    precision: Annotated[int, Field(ge=1, le=38)] | None = None
    scale: Annotated[int, Field(ge=0, le=38)] | None = None
    operators: Literal["equality", "order"] | None = None
    role: Role | None = None
    renamed_from: str | None = None
    redacted: bool = False
    null_values: tuple[str, ...] = ()
    unit: str = ""

    @field_validator("unit")
    @classmethod
    def _unit_is_known(cls, unit: str) -> str:
        if unit not in UNITS:
            raise ValueError(f"{unit!r} is no unit that numbers are written with; known are {', '.join(UNITS[1:])}")
        return unit

    @model_validator(mode="after")
    def _units_are_of_numbers(self) -> "ColumnOptions":
        if self.unit and self.type not in (LogicalType.INTEGER, LogicalType.DECIMAL, LogicalType.FLOAT):
            raise ValueError("unit is of numbers: give the column type: integer, decimal or float beside it")
        return self


class Thresholds(Strict):
    """How much error an approximate constraint may have: g1 for FDs and UCCs, least coverage for partial INDs."""

    fd: Share = 0.0
    ucc: Share = 0.0
    ind_coverage: Share = 0.95


class TableConfig(Strict):
    """One table: its source, key, and what its constraints are drawn from."""

    source: Source
    key: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    columns: dict[str, ColumnOptions] = Field(default_factory=dict)
    nulls: NullSemantics | None = None
    space: Literal["same-column", "cross"] = "cross"
    shared_values: Share = 0.3
    max_predicates: Annotated[int, Field(ge=0)] | None = None
    engine: Engine = Engine.AUTO
    max_cells: Annotated[int, Field(ge=1)] = 100_000_000
    owner: str | None = None
    schema_changes: Literal["refuse", "follow"] = "refuse"
    errors: Thresholds = Thresholds()
    max_reject_ratio: Share = MAX_REJECT_RATIO
    policy: Policy = Policy.ALERT
    presented: Annotated[int, Field(ge=1, le=1000)] = 20

    @property
    def roles(self) -> dict[str, Role]:
        """The roles that columns are said to have, by column."""
        return {name: options.role for name, options in self.columns.items() if options.role}

    @model_validator(mode="after")
    def _versions_have_keys(self) -> "TableConfig":
        if self.source.version is not None and not self.key:
            raise ValueError("source.version orders the rows of a key, and the table has none")
        if self.source.format is SourceFormat.DEBEZIUM and not self.key:
            raise ValueError("change events are of rows with a key, and the table has none")
        if self.source.watermark is not None and not self.key and (self.source.overlap or self.source.change_table):
            raise ValueError("overlap and change_table find their rows by key, and the table has none")
        return self


class AlertRoute(Strict):
    """A channel: a webhook's or Apprise URL, or the variable or connection that holds one; and what goes to it.

    ``name`` is what it is called where people read of it, and by which what waits for it finds it again. ``format`` is
    what a webhook understands; where it is not given, its host tells.
    """

    name: Name | None = None
    url: str | None = None
    url_env: str | None = None
    url_connection: str | None = None
    format: Literal["json", "slack", "teams"] | None = None
    tables: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_url(self) -> "AlertRoute":
        check_one_url(self.url, self.url_env, self.url_connection)
        return self


class AlertConfig(Strict):
    """When a broken constraint reaches a person, and where."""

    routes: tuple[AlertRoute, ...] = ()
    false_alerts_per_month: Annotated[float, Field(gt=0, le=100)] = USUAL_PER_MONTH
    min_held_deltas: Annotated[int, Field(ge=1)] = 7
    max_rank: Annotated[int, Field(ge=1)] = 20
    max_rows: Annotated[int, Field(ge=1, le=1000)] = 10
    wait_seconds: Annotated[float, Field(ge=0)] = 30.0
    give_up_hours: Annotated[float, Field(gt=0)] = 72.0
    remind_after: Annotated[int, Field(ge=0)] = 0
    page: str = ""
    allow_private: tuple[str, ...] = ()

    @property
    def channels(self) -> dict[str, AlertRoute]:
        """The routes by their names; those without one are called after their place."""
        return {route.name or f"route {number}": route for number, route in enumerate(self.routes, start=1)}

    @field_validator("allow_private")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            ip_network(network)
        return value

    @model_validator(mode="after")
    def _distinct_names(self) -> "AlertConfig":
        if len(self.channels) < len(self.routes) or {"file", "log"} & self.channels.keys():
            raise ValueError("every route needs a name of its own, other than file and log")
        return self


class DatasetConfig(Strict):
    """One dataset: the tables that are profiled together, and the schedule on which their deltas are applied."""

    dataset: Name
    description: str = ""
    schedule: Schedule | None = "0 0 * * *"
    start_date: str = "2024-01-01"
    end_date: str | None = None
    nulls: NullSemantics = NullSemantics.SQL
    owner: str = ""
    tables: Annotated[dict[Name, TableConfig], Field(min_length=1)]
    inclusions: Literal["on", "off"] = "on"
    max_arity: Annotated[int, Field(ge=0)] = 1
    values: Literal["typed", "text"] = "typed"
    alerts: AlertConfig = AlertConfig()
    retention: Days | None = None
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    retry_delay_seconds: Annotated[int, Field(ge=1)] = 30
    timeout_minutes: Annotated[int, Field(ge=1)] = 60

    @property
    def budget(self) -> AlertBudget:
        """How many false alarms the dataset may have."""
        return AlertBudget(self.alerts.false_alerts_per_month, len(self.tables))

    def redacted(self, table: str) -> frozenset[str]:
        """The columns of a table whose values are shown to nobody."""
        columns = self.tables[table].columns if table in self.tables else {}
        return frozenset(name for name, options in columns.items() if options.redacted)

    @property
    def keep(self) -> timedelta | None:
        """How long the files of old versions are kept; None: for good."""
        return timedelta(days=int(self.retention.removesuffix("d"))) if self.retention else None

    @property
    def renames(self) -> dict[str, dict[str, str]]:
        """Per table, former names of columns and what they are called now."""
        return {
            name: {column.renamed_from: now for now, column in table.columns.items() if column.renamed_from}
            for name, table in self.tables.items()
        }

    def owner_of(self, table: str) -> str:
        """Who looks after a table: its own owner, or the dataset's; empty where nobody is named."""
        return (self.tables[table].owner if table in self.tables else None) or self.owner

    def nulls_of(self, table: str) -> NullSemantics:
        """The null semantics of a table: its own, or the dataset's."""
        return self.tables[table].nulls or self.nulls
