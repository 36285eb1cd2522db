"""What the replay of a feed led to, kept in a file, so that feeds can be replayed one after the other."""

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field

from benchmarks.datasets import WORK
from benchmarks.signal_list import Steadiness

KEPT = WORK / "signal"


@dataclass
class Score:
    """Of one kind and share: batches, those caught, wrong rows, those named; and rows named in all."""

    batches: int = 0
    caught: int = 0
    wrong: int = 0
    found: int = 0
    named: int = 0

    def add(self, wrong: frozenset[int], named: frozenset[int], *, caught: bool) -> None:
        self.batches += 1
        self.caught += caught
        self.wrong += len(wrong)
        self.found += len(wrong & named)
        self.named += len(named)


@dataclass
class Outcome:
    """One feed: table-days after the burn-in, the alerts on clean ones, and the scores of errors."""

    name: str
    held_out: bool
    steady: Steadiness
    days: int = 0
    clean: dict[str, list[str]] = field(default_factory=dict)
    scores: defaultdict[tuple[str, float], Score] = field(default_factory=lambda: defaultdict(Score))

    def keep(self) -> None:
        """Writes the outcome to its file."""
        KEPT.mkdir(parents=True, exist_ok=True)
        scores = [[kind, share, asdict(score)] for (kind, share), score in self.scores.items()]
        (KEPT / f"{self.name}.json").write_text(
            json.dumps(vars(self) | {"steady": asdict(self.steady), "scores": scores}), encoding="utf-8"
        )


def kept(name: str) -> Outcome | None:
    """The outcome of the feed of that name; None: it has not been replayed."""
    path = KEPT / f"{name}.json"
    if not path.exists():
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    scores = defaultdict(Score, {(kind, share): Score(**score) for kind, share, score in data["scores"]})
    return Outcome(**{**data, "steady": Steadiness(**data["steady"]), "scores": scores})
