"""The trigger form of a dataset's DAG: the typed parameters that a person fills in, and what a run makes of them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from airflow.sdk import Param

from profiling_core.model.dataset import DatasetConfig

APPLY, DRY_RUN = "apply", "dry run"


def form(config: DatasetConfig) -> dict[str, Param]:
    """The parameters, as Airflow's trigger form shows and checks them."""
    tables = sorted(config.tables)
    return {
        "tables": Param(
            None,
            type=["null", "array"],
            items={"type": "string", "enum": tables},
            uniqueItems=True,
            examples=tables,
            title="Tables",
            description="Apply the deltas of these tables alone. Empty: all tables.",
        ),
        "delta": Param(
            None,
            type=["null", "string"],
            minLength=1,
            maxLength=200,
            title="Up to delta",
            description_md="Apply what is pending up to this delta id, such as 2013-03-01, which must have arrived. "
            "Empty: all that has arrived. "
            f"[The dataset's page](/plugin/holdfast/holdfast/datasets/{quote(config.dataset, safe='')}) offers what is "
            "pending now.",
        ),
        "mode": Param(
            APPLY,
            type="string",
            enum=[APPLY, DRY_RUN],
            title="Mode",
            description="A dry run works out what would change, shows it on the run's tab 'Constraints', and changes "
            "nothing.",
        ),
        "release": Param(
            None,
            type=["null", "string"],
            enum=[None, *tables],
            title="Release",
            description="Apply nothing but the rows of this table that its policy has set aside.",
        ),
        "rebuild": Param(
            False,  # noqa: FBT003 - the parameter's default, not a flag of this call
            type="boolean",
            title="Rebuild",
            description="Discover everything from scratch, for instance after a change of the configuration.",
        ),
    }


def label_of(params: Mapping[str, Any], run_type: str, interval_start: datetime | None) -> str | None:
    """The delta id up to which a run applies: the form's, or the day of a scheduled or backfilled run's interval.

    None, for a manual run without a delta, means everything that is pending. ``run_type`` is the enum that a task's
    context has, which equals its text but is not written as it.
    """
    if params.get("delta"):
        return str(params["delta"])
    if run_type in ("scheduled", "backfill") and interval_start is not None:
        return f"{interval_start:%Y-%m-%d}"
    return None
