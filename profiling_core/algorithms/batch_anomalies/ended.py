"""Whether all rows with a value have gone from the table: the cars of one branch, the products of one brand.

The table's rows are counted by the values of its columns that have few. Of rows that go at random, all with one value
do so by a chance that the numbers alone tell, without any history.
"""

from collections.abc import Iterator
from math import comb

from profiling_core.algorithms.batch_anomalies.anomaly import Anomaly, Case, listed
from profiling_core.algorithms.batch_anomalies.surprise import odds

KIND = "ended"


def judge(case: Case) -> Iterator[Anomaly]:
    """Judges the values without a row left; of several columns that show the same the one of most rows is reported."""
    found = [one for name in case.found.ended.values for one in _gone(case, name)]
    yield from sorted(found, key=lambda one: -one.magnitude)[:1]


def _gone(case: Case, name: str) -> Iterator[Anomaly]:
    ended = case.found.ended
    gone = ended.values[name]
    rows = sum(gone.values())
    chance = min(1.0, (case.found.rows / ended.size) ** rows * comb(ended.distinct[name], len(gone)))
    level = case.level / len(ended.distinct)
    if rows <= case.found.rows and chance < level:
        names = listed([case.shown(name, value) for value in gone])
        yield Anomaly(
            KIND,
            f"all {rows:,} rows with {name} {names} are gone" if rows > 1 else f"the row with {name} {names} is gone",
            (name,),
            cause="deleted by mistake, or missing from the source?",
            details=(f"{case.found.rows:,} of {ended.size:,} rows were removed.",),
            magnitude=odds(chance) / odds(level),
            size=-float(rows),
            values=() if name in case.hidden else tuple(gone),
        )
