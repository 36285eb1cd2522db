"""The figures that the tests of this directory note, and whether all faults are wanted or a sample of them."""

from collections.abc import Iterator

import pytest
from helpers.webhook import Receiver, listening

from faults.figures import Figures


@pytest.fixture(scope="module")
def hook() -> Iterator[Receiver]:
    with listening() as server:
        yield server


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Iterator[Figures]:
    """The run's figures; a run of the tests marked ``faults`` that ends well writes them into the page."""
    found = Figures()
    yield found
    if request.config.option.markexpr == "faults" and not request.session.testsfailed:
        found.write()
