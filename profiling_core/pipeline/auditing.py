"""The audit of a dataset's newest version: all of its suites executed, and all of its figures counted again."""

from typing import TYPE_CHECKING

from profiling_core.model.change import LifecycleState
from profiling_core.model.errors import ConfigurationError
from profiling_core.model.extras import install
from profiling_core.pipeline import lifecycle_step
from profiling_core.pipeline.artifacts import artifacts
from profiling_core.pipeline.suites import version_of
from profiling_core.pipeline.workspace import Workspace

if TYPE_CHECKING:
    from profiling_core.validate.audit import Audit


def audit(work: Workspace) -> "Audit":
    """Compares data and maintained state.

    Raises:
        InputError: nothing has been applied yet.
        ConfigurationError: what runs suites over tables of this size is not installed.
    """
    from profiling_core.emit.suites import SuiteRequest, emit_suites
    from profiling_core.spark.snapshot import snapshot_rows
    from profiling_core.validate.audit import audit as audited
    from profiling_core.validate.reading import lacking, tables_of

    version = version_of(work, None)
    change_set = lifecycle_step.settle(work, version)
    # the figures of one that retired are those of the version in which it did
    known = work.catalog.tracked(work.dataset, version.number)
    tracked = [record for record in known if record.state is not LifecycleState.RETIRED]
    schemas = {name: table.schema for name, table in version.tables.items()}
    begun = work.catalog.beginnings(work.dataset, version.number)
    asked = SuiteRequest(work.dataset, version.number, known, change_set, schemas, work.config, beginnings=begun)
    with artifacts(work) as directory:
        emitted = emit_suites(directory, asked)
        rows = {table: snapshot_rows(work.spark("audit"), work.store, version, table) for table in version.tables}
        if missing := lacking(rows):
            raise ConfigurationError("what runs an audit is not installed", remedy=install(*missing))
        with tables_of(rows) as tables:
            return audited(tables, emitted, tracked, schemas, directory, config=work.config)
