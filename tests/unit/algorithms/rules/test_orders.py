"""Orders within a row are candidates if all rows keep them and the two columns are not one."""

import datetime as dt

import numpy as np
import pyarrow as pa

from profiling_core.algorithms.budget import ENDLESS
from profiling_core.algorithms.roles.inference import infer_roles
from profiling_core.algorithms.rules.coded_table import CodedTable
from profiling_core.algorithms.rules.orders import find_orders
from profiling_core.ingest.infer import schema_of


def test_two_moments_of_one_day_have_an_order_though_a_date_is_the_day_of_both():
    random = np.random.default_rng(4)
    day = np.datetime64("2024-03-01") + random.integers(0, 200, 300)
    came = day + random.integers(5 * 60, 12 * 60, 300).astype("timedelta64[m]")
    left = came + random.integers(20, 400, 300).astype("timedelta64[m]")
    moments = {name: pa.array(one.astype("datetime64[us]")) for name, one in {"came": came, "left": left}.items()}
    rows = pa.table({"visit_day": pa.array(day), **moments})
    schema = schema_of("visits", rows.schema, "here")
    table = CodedTable.of(rows, schema, infer_roles(rows, schema))
    assert [one.constraint.text for one in find_orders(table, ENDLESS)] == ["came ≤ left"]


def test_dates_with_one_value_or_none_have_an_order_as_the_end_of_what_is_valid():
    begins = np.datetime64("2024-01-01") + np.random.default_rng(4).integers(0, 300, 60)
    ends = [None if place % 3 else dt.date(2024, 12, 31) for place in range(60)]
    rows = pa.table({"valid_from": pa.array(begins), "valid_to": pa.array(ends, pa.date32())})
    schema = schema_of("prices", rows.schema, "here")
    table = CodedTable.of(rows, schema, infer_roles(rows, schema))
    assert [one.constraint.text for one in find_orders(table, ENDLESS)] == ["valid_from ≤ valid_to"]
