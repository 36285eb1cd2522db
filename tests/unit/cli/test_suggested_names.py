"""A name that is mistyped ends in the one that was meant; the only dataset need not be named."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from profiling_core.cli.main import app
from profiling_core.model.errors import InputError

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
    "words", [("constraints", "--table"), ("apply", "--table"), ("columns", "--table"), ("release",)]
)
def test_a_table_that_is_mistyped_is_suggested(shop, words):
    done = ran(*words, "parcles")
    assert isinstance(done.exception, InputError)
    assert "did you mean 'parcels'?" in done.exception.remedy


def test_a_dataset_that_is_mistyped_is_suggested(shop):
    done = ran("constraints", "shpo")
    assert isinstance(done.exception, InputError)
    assert "did you mean 'shop'?" in done.exception.remedy


@pytest.mark.parametrize("words", [("incidents",), ("incidents", "shop"), ("incidents", "--dataset", "shop")])
def test_incidents_take_the_only_dataset_or_its_name(shop, words):
    done = ran(*words)
    assert (done.exit_code, done.output.strip()) == (0, "No incident is open.")


def test_the_version_is_a_command_too():
    assert ran("version").output == ran("--version").output
