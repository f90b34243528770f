"""The fixtures of a check: the learner's module and hidden inputs. Light to import, for the pytest plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .draw import Draw
    from .learner import LearnerModule


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> Draw:
    """The hidden inputs of this check."""
    from .checks import session_of

    return session_of(request.node).draw(request.node.name)


@pytest.fixture
def learner(request: pytest.FixtureRequest, draw: Draw) -> LearnerModule:
    """The learner's module behind the wall."""
    from .checks import session_of, worth_of

    session = session_of(request.node)
    return session.learner(request.node.name, draw, is_visible=worth_of(request.node).visible)
