"""A table ``orders`` in PostgreSQL, which tests change by statements, and its ledger."""

from pathlib import Path
from typing import Any

import psycopg
import pytest
from helpers.ledger import Ledger

from databases.catalogs import server


class Server:
    """A database of its own, and ledgers of its table ``orders``."""

    def __init__(self, request: pytest.FixtureRequest, root: Path) -> None:
        self.url, self._root = server(request.config).new_database(), root

    def run(self, *statements: str) -> None:
        """Changes the database in one transaction."""
        with psycopg.connect(self.url) as connection:
            for statement in statements:
                connection.execute(statement)

    def ledger(self, key: tuple[str, ...] = ("id",), changes: str = "follow", **source: Any) -> Ledger:
        """A ledger of the table, read as a whole unless its source says otherwise."""
        options = {"format": "postgresql", "url": self.url, "table": "orders", **source}
        return Ledger(self._root, options, {"key": key, "schema_changes": changes})
