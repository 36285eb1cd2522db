"""What Alembic runs for each command; the connection and its transaction are the caller's."""

from alembic import context

from profiling_core.state.models import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
