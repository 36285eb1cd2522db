"""The pages' app without an Airflow around it: who asks may do what a role may, and Airflow knows of no run."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from profiling_core.airflow.ui import access, app, runs
from profiling_core.airflow.ui.looking import looks
from profiling_core.state.settings import Settings

MAY = {"viewer": {"GET"}, "admin": {"GET", "PUT", "POST"}}


class _User:
    def __init__(self, name: str) -> None:
        self.name = name

    def get_name(self) -> str:
        return self.name


@contextmanager
def patched(settings: Settings, role: str) -> Iterator[FastAPI]:
    """The app over a project, for one who has a role."""
    with pytest.MonkeyPatch.context() as patch:
        named = {"ROOT": settings.root, "HOME": settings.home, "CATALOG": settings.catalog_url}
        for name, place in (named | {"DATASETS": settings.datasets_dir}).items():
            patch.setenv(f"HOLDFAST_{name}", str(place))
        patch.setattr(access, "_may", lambda request, dataset, method, entity=None: method in MAY[role])
        patch.setattr(access, "secret", lambda: "key of the test")
        patch.setattr(runs, "standings", dict)
        patch.setattr(runs, "run_of_version", lambda dataset, version: "")
        looks.cache_clear()
        made = app.create_app()
        made.dependency_overrides[access.authenticated] = _known(role)
        yield made


@contextmanager
def asking(settings: Settings, role: str = "admin") -> Iterator[TestClient]:
    """A client of the app; paths begin at the app's own root."""
    with patched(settings, role) as made, TestClient(made, follow_redirects=False) as client:
        yield client


def _known(role: str):
    def user(request: Request) -> None:
        request.state.holdfast_user = _User(role)

    return user
