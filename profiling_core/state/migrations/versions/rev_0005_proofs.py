"""Seals of rows, manifests of versions, and from which version on a dataset's files are kept."""

import hashlib
import json
from typing import Any

import sqlalchemy as sa
from alembic import op

from profiling_core.state.columns import unescape

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_SEALED = {
    "datasets": (),
    "versions": ("arrivals",),
    "definitions": ("schema", "space"),
    "constraints": ("definition",),
    "version_tables": (),
    "files": (),
    "applied_deltas": (),
    "tracked": (),
    "decisions": ("body",),
    "change_sets": ("body",),
    "validations": ("body",),
    "messages": ("body",),
    "deliveries": (),
}


def upgrade() -> None:
    """Adds the columns, and seals what is there."""
    op.add_column("versions", sa.Column("manifest", sa.String(64)))
    op.add_column("datasets", sa.Column("kept_from", sa.Integer(), nullable=False, server_default="1"))
    for name in _SEALED:
        op.add_column(name, sa.Column("seal", sa.String(32)))
    for name, documents in _SEALED.items():
        _seal(name, documents)


def _seal(name: str, documents: tuple[str, ...]) -> None:
    connection = op.get_bind()
    if connection.execute(sa.select(sa.literal(1)).select_from(sa.table(name)).limit(1)).first() is None:
        return  # nothing to seal: a new catalog is spared to read what its tables look like
    table = sa.Table(name, sa.MetaData(), autoload_with=connection)
    key = list(table.primary_key.columns)
    for row in connection.execute(sa.select(table)).mappings().all():
        values = {c: _value(row[c], document=c in documents) for c in row if row[c] is not None}
        seal = hashlib.sha256(json.dumps(values, sort_keys=True).encode("ascii")).hexdigest()[:32]
        same = sa.and_(*(column == row[column.name] for column in key))
        connection.execute(sa.update(table).where(same).values(seal=seal))


def _value(value: Any, *, document: bool) -> Any:
    """A value as the catalog's readers see it."""
    if document:
        return json.loads(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return unescape(value) if isinstance(value, str) else value


def downgrade() -> None:
    """Forgets them."""
    op.drop_column("versions", "manifest")
    op.drop_column("datasets", "kept_from")
    for name in _SEALED:
        op.drop_column(name, "seal")
