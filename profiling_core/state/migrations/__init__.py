"""Alembic migrations of the catalog, run from inside the package: no ``alembic.ini``, no working directory.

To change the tables: change ``state/models.py``, add a revision beside the others, and move ``HEAD`` on. A test holds
the three to each other. Revisions write their tables out and never import ``models``, which moves on without them.
"""

from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from profiling_core.model.errors import StateError

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0010"
_VERSION_TABLE = "alembic_version"
# Any number, the same for all: processes that migrate one PostgreSQL database at once wait for each other on it.
_ADVISORY_LOCK = 4_704_201_301


def revision(connection: Connection) -> str | None:
    """The revision that the database is at; None where it has no catalog yet."""
    if not inspect(connection).has_table(_VERSION_TABLE):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def upgrade(connection: Connection, target: str = "head") -> None:
    """Brings the database to a revision, within the connection's transaction: all of it, or nothing.

    Raises:
        StateError: the database was made by a newer version of Holdfast.
    """
    # Alembic takes a third of a second to import, and is needed only when there is something to migrate.
    from alembic import command
    from alembic.util import CommandError

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    try:
        command.upgrade(configuration(connection), target)
    except CommandError as error:
        raise StateError(
            f"the catalog is at revision {revision(connection)!r}, which this version of holdfast does not know",
            where=connection.engine.url.render_as_string(),
            remedy="install the newer version of holdfast that wrote it",
        ) from error


def configuration(connection: Connection) -> "Config":
    """Alembic's configuration for a connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "profiling_core.state:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
