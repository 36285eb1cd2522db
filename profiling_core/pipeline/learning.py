"""Since when a table's loads are judged by what usually comes, as status, report and page say it."""

from profiling_core.model.lesson import LEAST_LOADS
from profiling_core.model.version import LOADS, Version
from profiling_core.state.store import Store


def learning(store: Store, version: Version) -> dict[str, str]:
    """Per table a sentence on what is judged already, and since which delta by the loads before."""
    return {table: _said(store, version, table) for table in version.tables}


def _said(store: Store, version: Version, table: str) -> str:
    refs = version.files_of(LOADS, table)
    kept = store.read_json(refs[0]) if refs else {}
    loads, since = len(kept.get("loads", ())), kept.get("since", "")
    if since:
        return f"loads are judged by those before them since {since}"
    left = max(0, LEAST_LOADS - loads)
    when = f"after {left} more delta{'' if left == 1 else 's'}" if left else "with the next delta"
    return f"keys, references and repeated files are judged; what learns from loads begins {when}"
