"""Queries of rows over pandas: what Great Expectations asks databases for, DuckDB answers here."""

from functools import cache
from typing import TYPE_CHECKING, Any, Self

import pandas as pd
import pyarrow as pa

from profiling_core.emit.dialects import GX_VIEW
from profiling_core.emit.gx import great_expectations
from profiling_core.validate.duckdb_sql import in_duckdb

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


class ArrowBatch(pd.DataFrame):
    """Rows with Arrow's types, which keep integers beside nulls, decimals and early days as they are."""

    _metadata = ("rows", "connection")  # what pandas takes for no column
    rows: pa.Table
    connection: "DuckDBPyConnection"

    @classmethod
    def of(cls, rows: pa.Table, connection: "DuckDBPyConnection") -> Self:
        """The batch of an Arrow table."""
        batch = cls(rows.to_pandas(types_mapper=pd.ArrowDtype))
        batch.rows, batch.connection = rows, connection
        return batch

    def ask(self, query: str) -> "DuckDBPyRelation":
        """The rows that a query in Spark's SQL finds, the batch being called :data:`GX_VIEW` in it."""
        self.connection.from_arrow(self.rows).create_view(GX_VIEW, replace=True)
        return self.connection.sql(in_duckdb(query))


@cache
def register() -> None:
    """Tells Great Expectations how queries of rows are answered over pandas, for which it has no answer."""
    great_expectations()
    from great_expectations.constants import MAX_RESULT_RECORDS
    from great_expectations.core.metric_domain_types import MetricDomainTypes
    from great_expectations.execution_engine import PandasExecutionEngine
    from great_expectations.expectations.metrics.metric_provider import metric_value
    from great_expectations.expectations.metrics.query_metric_provider import QueryMetricProvider

    class RowsQuery(QueryMetricProvider):
        value_keys = ("unexpected_rows_query",)
        query_param_name = "unexpected_rows_query"

        @classmethod
        def found(cls, engine: Any, domain: dict[str, Any], values: dict[str, Any]) -> "DuckDBPyRelation":
            batch, _, _ = engine.get_compute_domain(domain, domain_type=MetricDomainTypes.TABLE)
            query = cls._get_query_from_metric_value_kwargs(values)
            return batch.ask(cls._format_query(query, batch=GX_VIEW))

    class RowsShown(RowsQuery):
        metric_name = "unexpected_rows_query.table"

        @metric_value(engine=PandasExecutionEngine)
        def _pandas(cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, **_: Any) -> Any:  # noqa: N805
            found = cls.found(execution_engine, metric_domain_kwargs, metric_value_kwargs)
            rows = found.limit(MAX_RESULT_RECORDS).fetchall()
            return [dict(zip(found.columns, row, strict=True)) for row in rows]

    class RowsCounted(RowsQuery):
        metric_name = "unexpected_rows_query.row_count"

        @metric_value(engine=PandasExecutionEngine)
        def _pandas(cls, execution_engine: Any, metric_domain_kwargs: Any, metric_value_kwargs: Any, **_: Any) -> Any:  # noqa: N805
            found = cls.found(execution_engine, metric_domain_kwargs, metric_value_kwargs)
            return int(found.count("*").fetchall()[0][0])
