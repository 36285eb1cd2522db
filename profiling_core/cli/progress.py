"""The output of ``holdfast apply`` while it works: the plan, the progress, and the duration of each step."""

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from profiling_core.alert.figures import counted
from profiling_core.cli.tables import console, safe_text

_EVERY_SECONDS = 1.0
_IN_A_LOG = 30.0
"""How often a line is added where nobody can rewrite the last one."""


class Narrator:
    """Tells people; the steps call it."""

    def __init__(self, dataset: str) -> None:
        self._dataset = dataset
        self._out = console()
        self._rows: dict[str, int] = {}

    def planned(self, plan: Mapping[str, Any]) -> None:
        """Says what is about to be applied, before anything is read."""
        if not plan["pending"]:
            return
        if plan["base_version"] == 0:
            self._say(f"{self._dataset} begins: its tables are read, and all their constraints are discovered.")
        elif plan["rebuild"]:
            self._say(f"{self._dataset} is discovered from scratch, from its stored rows.")
        for table, deltas in plan["pending"].items():
            span = "" if not deltas else deltas[0] if len(deltas) == 1 else f"{deltas[0]} to {deltas[-1]}"
            self._say(f"  {table:<28} {counted(len(deltas), 'delta')}{f', {span}' if span else ''}")

    @contextlib.contextmanager
    def during(self, step: str, table: str) -> Iterator[dict[str, Any]]:
        """Tells how far a step is while it lasts, and then its seconds; the step's result is put into what it gives."""
        result: dict[str, Any] = {}
        began, over = time.monotonic(), threading.Event()
        title = f"{step} {table}".strip()
        rows = self._rows.get(table, 0)
        with self._out.status(safe_text(f"{title} …")) as line:

            def follow() -> None:
                said = began
                while not over.wait(_EVERY_SECONDS):
                    text = f"{title} … {_how_far(time.monotonic() - began, rows)}"
                    line.update(safe_text(text))
                    if not self._out.is_terminal and time.monotonic() - said >= _IN_A_LOG:
                        said = time.monotonic()
                        self._say(f"  {text}")

            teller = threading.Thread(target=follow, daemon=True)
            teller.start()
            try:
                yield result
            finally:
                over.set()
                teller.join()
        if step == "ingest":
            self._rows[table] = int(result.get("inserts", 0))
        said = result.get("chosen") or result.get("said") or (_came(result) if step == "ingest" else "")
        self._say(f"  {title:<28} {time.monotonic() - began:6.1f} s{f'  {said}' if said else ''}")

    def _say(self, text: str) -> None:
        self._out.print(safe_text(text))


def _came(delta: Mapping[str, Any]) -> str:
    if delta.get("refused"):
        return "refused"
    parts = {"inserts": "new rows", "deletes": "gone", "updates": "changed", "rejects": "rejected"}
    return ", ".join(f"{delta[name]:,} {what}" for name, what in parts.items() if delta.get(name))


def _how_far(seconds: float, rows: int) -> str:
    """Such as ``35 % of 60,000 rows, some 40 s left``; the seconds alone where nobody knows."""
    from profiling_core.spark.progress import share_done

    done = share_done()
    if not done:
        return f"{seconds:.0f} s"
    of = f" of {rows:,} rows" if rows else ""
    return f"{done:.0%}{of}, about {seconds / done - seconds:.0f} s left"
