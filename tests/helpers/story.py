"""Five days of flights; one breaks {origin, dest} → distance; names and values can be as hostile as wanted."""

from profiling_core.alert.message import tell
from profiling_core.alert.report import report
from profiling_core.model.change import Change, ChangeSet, Transition, Witness
from profiling_core.model.constraint import ColumnList, FunctionalDependency, Measured
from profiling_core.model.schema import Column, TableSchema
from profiling_core.model.types import LogicalType

EVIL = "</title></svg><script>document.title='owned'</script><img src=x onerror=alert(1)>\"'`{{7*7}}\n\x00\u202e"
LABELS = {1: "2013-02-26", 2: "2013-02-27", 3: "2013-02-28", 4: "2013-03-01", 5: "2013-03-02"}
LINKS = {"Suites": "artifacts/suites", "Airflow": "http://127.0.0.1:8080 (make up)"}


def fd(lhs, rhs, table="flights"):
    return FunctionalDependency(ColumnList(table, tuple(lhs)), ColumnList(table, (rhs,)))


DISTANCE, OTHER = fd(("origin", "dest"), "distance"), fd(("flight",), "dest")


def row(origin, distance):
    return {"origin": origin, "dest": "EGE", "distance": distance, "carrier": "UA"}


def broke(constraint, witnesses=(), *, alerts=True, rank=1):
    before, after = Measured(constraint, 0, 10**9, 10**6), Measured(constraint, 236, 2_799_732_656, 10**6)
    return Change(
        Transition.BROKE, constraint.lhs.table, before, after, 59, "2013-01-01", 2, rank, alerts, (), witnesses
    )


def appeared(constraint, rank):
    return Change(Transition.APPEARED, "flights", None, Measured(constraint, 0, 10**9), 57, "2013-01-01", rank=rank)


def story(constraint=DISTANCE, new="1725", old="1726", table="flights"):
    witnesses = (Witness(row("EWR", new), (row("EWR", old),)),)
    days = {
        1: [appeared(constraint, 1), appeared(OTHER, 2)],
        2: [broke(OTHER, alerts=False, rank=40)],
        4: [broke(constraint, witnesses)],
        5: [Change(Transition.RECOVERED, table, Measured(constraint, 236, 10**9), Measured(constraint, 0, 10**9))],
    }
    counts = {"deltas": 1, "inserts": 958, "deletes": 2, "updates": 3, "rejects": 1}
    change_sets = [
        ChangeSet("nyc", v, f"r{v}", {table: counts} if v != 3 else {}, tuple(days.get(v, []))) for v in LABELS
    ]
    schemas = {table: TableSchema(table, (Column("carrier", LogicalType.STRING, ordered=False),), ("carrier",))}
    alerts = [alert for made in change_sets for alert in tell(made, LABELS[made.version], schemas).alerts]
    errors = [0, 0, 0, 236, 0]
    histories = {
        constraint.fingerprint: [(LABELS[v], e / 2.8e9, e) for v, e in zip(LABELS, errors, strict=True)],
        OTHER.fingerprint: [(LABELS[v], v * 1e-5, v * 10) for v in LABELS],
    }
    return report("nyc", change_sets, LABELS, histories, alerts, LINKS)
