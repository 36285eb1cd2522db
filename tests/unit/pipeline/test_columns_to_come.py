"""The dataset's file may hide a column that comes with a later delta: `init` has seen it there."""

import pytest
from helpers.changing import changed, dataset, land

from profiling_core.model.errors import ConfigurationError


def lands(place, day, *, email=False):
    lines = (f"{100 * day + i},c{i % 4}{f',m{i}@mail.example' if email else ''}" for i in range(30))
    land(place, "members", f"2024-05-{day:02d}", [f"member,club{',email' if email else ''}", *lines])


def test_a_hidden_column_may_come_later(tmp_path, caplog):
    own = {"columns": {"email": {"redacted": True}}, "schema_changes": "follow"}
    with dataset(tmp_path, "club", key="member", kind="append", members=own):
        lands(tmp_path, 1)
        assert changed("club").catalog.current("club").tables["members"].rows == 30
        assert "members has no column email yet, which the dataset's file names" in caplog.messages
        lands(tmp_path, 2, email=True)
        work = changed("club")
        assert work.catalog.current("club").tables["members"].schema.names == ("member", "club", "email")
        assert work.config.redacted("members") == {"email"}


@pytest.mark.parametrize("given", [{"clubb": {"redacted": True}}, {"email": {"type": "string"}}])
def test_a_misspelt_column_and_one_of_another_setting_are_refused(tmp_path, given):
    with dataset(tmp_path, "club", key="member", kind="append", members={"columns": given}):
        lands(tmp_path, 1)
        with pytest.raises(ConfigurationError, match="names a column"):
            changed("club")
