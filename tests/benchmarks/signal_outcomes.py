"""What the replay of a feed led to, kept in a file, so that feeds can be replayed one after the other."""

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.datasets import WORK

KEPT = WORK / "signal"


@dataclass
class Score:
    """Of one kind: batches, those that were told, and of these: wrong rows, rows named, and wrong ones among them."""

    batches: int = 0
    caught: int = 0
    wrong: float = 0
    named: float = 0
    found: float = 0

    def joined(self, other: "Score") -> "Score":
        return Score(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


@dataclass
class Outcome:
    """One feed: clean table-days, days with errors, what was told, the scores of errors, what was missed, the list.

    ``heard`` says per batch with errors which rows were wrong, and what was told; ``costs`` are CPU seconds: of all
    clean days, and of what learnt of loads in these.
    """

    name: str
    first: int
    with_errors: int
    days: int = 0
    clean: dict[str, list[str]] = field(default_factory=dict)
    scores: defaultdict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    missed: dict[str, list[str]] = field(default_factory=dict)
    newcomers: list[int] = field(default_factory=list)
    heard: dict[str, Any] = field(default_factory=dict)
    costs: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def keep(self) -> None:
        """Writes the outcome to its file."""
        KEPT.mkdir(parents=True, exist_ok=True)
        scores = {kind: asdict(score) for kind, score in self.scores.items()}
        (KEPT / f"{self.name}.json").write_text(json.dumps(vars(self) | {"scores": scores}), encoding="utf-8")
