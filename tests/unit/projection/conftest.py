"""One story, played once for all tests of the projection's core."""

from __future__ import annotations

import pytest

from tests.unit.projection.stories import Story, everything
from tests.unit.projection.tables import Tables, projected


@pytest.fixture(scope="module")
def story() -> Story:
    return everything()


@pytest.fixture(scope="module")
def whole(story: Story) -> Tables:
    return projected([story.stored])


@pytest.fixture(scope="module")
def part(story: Story) -> Story:
    """Its beginning, in which most matches are still on: enough where the end does not matter."""
    return story.cut(400)


@pytest.fixture(scope="module")
def known(part: Story) -> Tables:
    return projected([part.stored])
