"""The tables of an Iceberg catalog, as proposals: with the columns that identify their rows, where they say so."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from profiling_core.model.errors import HoldfastError, InputError, UnreachableError
from profiling_core.model.source import SourceFormat
from profiling_core.pipeline.init import proposal
from profiling_core.pipeline.init.proposal import TableProposal

if TYPE_CHECKING:
    from pyiceberg.table import Table

SCHEME = "iceberg"
_LOOKED_AT = 10_000


def tables_of(what: str) -> Iterator[TableProposal]:
    """The tables of ``iceberg://<catalog>``, of ``…/<namespace>``, or the one of ``…/<namespace>.<table>``.

    Raises:
        InputError: there is no such catalog, namespace or table.
        UnreachableError: the catalog does not answer.
    """
    from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

    from profiling_core.ingest.sources.iceberg_bounds import address_of, load_bounded, load_table

    catalog_name, _, rest = what.removeprefix(f"{SCHEME}://").strip("/").partition("/")
    try:
        catalog = load_bounded(catalog_name)
        spaces = [tuple(rest.split("."))] if rest else catalog.list_namespaces()
        names = (
            [spaces[0]]
            if "." in rest and catalog.table_exists(rest)
            else [n for s in spaces for n in catalog.list_tables(s)]
        )
        for name in names:
            yield _proposed(catalog_name, ".".join(name), load_table(catalog, name))
    except (ValueError, NoSuchNamespaceError, NoSuchTableError) as error:
        raise InputError(
            f"the Iceberg catalog {catalog_name!r} cannot be read: {str(error).splitlines()[0]}",
            where=what,
            remedy="name iceberg://<catalog>[/<namespace>[.<table>]] of a catalog that pyiceberg is configured for",
        ) from None
    except HoldfastError:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever a catalog raises, with its address in the text
        raise UnreachableError(
            f"the Iceberg catalog {catalog_name!r} does not answer{address_of(catalog_name)} ({type(error).__name__})",
            where=what,
            remedy=f"check its configuration: PYICEBERG_CATALOG__{catalog_name.upper()}__URI, or .pyiceberg.yaml",
        ) from None


def _proposed(catalog: str, name: str, table: "Table") -> TableProposal:
    schema = table.schema()
    declared = tuple(schema.find_column_name(number) or "" for number in schema.identifier_field_ids)
    rows = table.scan(limit=_LOOKED_AT).to_arrow()
    source = {"format": SourceFormat.ICEBERG.value, "catalog": catalog, "table": name}
    called = name.rpartition(".")[2]
    return TableProposal(called, source, declared or proposal.key_of(rows), proposal.personal(rows, called))
