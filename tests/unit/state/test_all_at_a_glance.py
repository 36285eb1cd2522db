"""All datasets at a glance are what reading each of them says, also those that have an incident and no version."""

from dataclasses import replace

from helpers.catalog import DATASET, LABELS, seed

from profiling_core.model.finding import REFUSAL, Finding
from profiling_core.model.incident import Incident, IncidentStatus
from profiling_core.state.glance import Stamp

FINDING = Finding(REFUSAL, "orders", "2013-03-01", "delta 2013-03-01 is refused")
REFUSED = Incident(1, "orders", IncidentStatus.OPEN, "", "2013-03-01", "2013-03-01", 0, (FINDING,))


def test_a_dataset_at_a_glance_is_what_its_parts_say(tmp_path):
    catalog = seed(tmp_path).catalog()
    (found,) = catalog.in_short()
    current = catalog.current(DATASET)
    assert (found.name, found.version, found.label) == (DATASET, current.number, current.label)
    assert found.rows == {name: table.rows for name, table in current.tables.items()}
    assert found.states == {"violated": 1, "active": 2, "candidate": 1}
    assert found.rejects == 2
    assert list(found.incidents) == [i for i in catalog.incidents(DATASET) if i.status.goes_on]
    assert found.undelivered == len({waiting.key for waiting in catalog.outbox.undelivered(DATASET)})


def test_what_was_refused_before_there_was_a_version_is_there(tmp_path):
    catalog = seed(tmp_path).catalog()
    catalog.save_incidents("shop", [REFUSED, replace(REFUSED, number=2, status=IncidentStatus.CLOSED)])
    found = {one.name: one for one in catalog.in_short()}
    assert (found["shop"].version, found["shop"].incidents) == (0, (REFUSED,))
    assert [one.name for one in catalog.in_short([DATASET])] == [DATASET]


def test_versions_have_their_labels_in_order(tmp_path):
    catalog = seed(tmp_path).catalog()
    stamps = catalog.stamps(DATASET)
    assert [(number, stamp.label) for number, stamp in stamps.items()] == list(enumerate(LABELS, start=1))
    assert stamps[3] == Stamp(LABELS[2], catalog.current(DATASET).created_at)
    assert list(catalog.stamps(DATASET, since=3)) == [3]


def test_one_dataset_is_read_without_the_others_and_forgets_nothing_of_them(tmp_path):
    catalog = seed(tmp_path).catalog()
    version = replace(catalog.current(DATASET), dataset="shop", number=1, run_id="r", label="first")
    catalog.commit(version)
    every = catalog.in_short()
    assert [one.name for one in every] == [DATASET, "shop"]
    assert [catalog.in_short([one.name]) for one in every] == [[one] for one in every]
    assert catalog.in_short() == every
    assert catalog.in_short([]) == []
