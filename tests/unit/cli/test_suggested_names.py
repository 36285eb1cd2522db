"""A name that is mistyped ends in the one that was meant; the only dataset need not be named."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from profiling_core.cli.main import app
from profiling_core.model.constraint import ColumnList, FunctionalDependency
from profiling_core.model.errors import InputError
from profiling_core.pipeline.explain import alike

DATASET = """
dataset: shop
tables:
  parcels:
    source: {path: landing/parcels, format: csv, kind: append}
"""


@pytest.fixture
def shop(project: Path) -> Path:
    place = project / "dags" / "datasets" / "shop.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(DATASET, "utf-8")
    return project


def ran(*words: str):
    return CliRunner().invoke(app, list(words), catch_exceptions=True)


def test_a_command_that_is_mistyped_is_suggested():
    done = ran("aply")
    assert done.exit_code == 2
    assert "Did you mean 'apply'?" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        *((f"{command} parcles", "parcels") for command in ("constraints --table", "apply --table", "columns --table")),
        ("release parcles", "parcels"),
        ("constraints shpo", "shop"),
    ],
)
def test_a_table_or_dataset_that_is_mistyped_is_suggested(shop, words, meant):
    done = ran(*words.split())
    assert isinstance(done.exception, InputError)
    assert f"did you mean '{meant}'?" in done.exception.remedy


@pytest.mark.parametrize("words", [("incidents",), ("incidents", "shop"), ("incidents", "--dataset", "shop")])
def test_incidents_take_the_only_dataset_or_its_name(shop, words):
    done = ran(*words)
    assert (done.exit_code, done.output.strip()) == (0, "No incident is open.")


def test_a_table_in_a_datasets_place_is_told_from_one(shop):
    done = ran("apply", "parcles")
    assert "did you mean 'parcels', a table of dataset 'shop'?" in done.exception.remedy
    done = ran("suite", "parcels")
    assert "has no version" in str(done.exception)


def test_an_id_or_a_rule_that_is_mistyped_is_suggested():
    depot, key = (FunctionalDependency(ColumnList("r", (a,)), ColumnList("r", (b,))) for a, b in ("ab", "ca"))
    for typed in (depot.fingerprint[:-1] + "?", "{a} -> bb"):
        assert f"did you mean {depot.fingerprint}, {{a}} → b?" in alike(typed, [key, depot])
    assert f"did you mean {depot.fingerprint}, {{a}} → b?" in alike(depot.fingerprint[:4] + "?", [key, depot])
    assert "did you mean" not in alike("nothing like it", [key, depot])


def test_the_version_is_a_command_too():
    assert ran("version").output == ran("--version").output


def test_how_to_choose_one_of_several_datasets_is_said(shop):
    (shop / "dags" / "datasets" / "depot.yaml").write_text(DATASET.replace("dataset: shop", "dataset: depot"), "utf-8")
    done = ran("apply")
    assert isinstance(done.exception, InputError)
    assert done.exception.remedy == "name one, as in `holdfast apply depot`, or give --dataset: depot, shop"
