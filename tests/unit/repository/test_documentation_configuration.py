"""The configuration reference: every field and default of the model, no other, and an example that loads."""

import json
import re

import pytest
from pydantic import BaseModel
from pydantic_core import to_jsonable_python
from stack.files import REPOSITORY

from profiling_core.model import dataset as model
from profiling_core.pipeline.configuration import load_dataset

TEXT = (REPOSITORY / "docs" / "configuration.md").read_text("utf-8")
MODELS = {
    "Dataset": model.DatasetConfig,
    "Table": model.TableConfig,
    "Source": model.Source,
    "Column options": model.ColumnOptions,
    "Error thresholds": model.Thresholds,
    "Alerts": model.AlertConfig,
    "Alert routes": model.AlertRoute,
}


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> dict[str, str]:
    """First column → second column of the section's table, without the marks for code."""
    found = re.findall(r"^\| `([^`]+)` \| *(.*?) *\| .+ \|$", section(title), re.MULTILINE)
    return {name: default.strip("`") for name, default in found}


@pytest.mark.parametrize("title", MODELS)
def test_each_field_is_described_with_its_default(title):
    fields = MODELS[title].model_fields
    described = rows(title)
    assert list(described) == list(fields)
    for name, field in fields.items():
        if field.is_required():
            assert described[name] == "", f"{name} must be given"
        elif described[name] != "see there":
            default = to_jsonable_python(field.get_default(call_default_factory=True))
            assert written(described[name]) == default, name


def written(default: str) -> object:
    try:
        return json.loads(default)
    except json.JSONDecodeError:
        return default


def test_every_model_of_the_configuration_has_a_section():
    classes = {c for c in vars(model).values() if isinstance(c, type) and issubclass(c, BaseModel)}
    assert {c for c in classes if c.model_fields} == set(MODELS.values())


def test_the_example_loads(tmp_path):
    example = re.search(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    path = tmp_path / "shop.yaml"
    path.write_text(example[1], "utf-8")
    config = load_dataset(path)
    assert config.tables["orders"].errors.fd == 0.01
    assert config.alerts.routes[0].url_env == "SHOP_ALERTS_URL"


def test_every_environment_variable_is_described():
    named = set()
    for folder in ("profiling_core", "dags", "plugins"):
        for path in (REPOSITORY / folder).rglob("*.py"):
            named |= set(re.findall(r'"(HOLDFAST_[A-Z_]+)"', path.read_text("utf-8")))
    assert set(rows("Environment variables")) == named
