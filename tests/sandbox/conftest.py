from contextlib import closing

import pytest

from grader.sandbox.doctor import strongest_level
from grader.sandbox.sandbox import Sandbox, SpawnedWorkers


@pytest.fixture(scope="session", params=["full", "reduced"])
def walled(request):
    """A sandbox at each level at which other people's work may be graded. A machine without them fails these tests."""
    assert strongest_level() == "full", "these tests need a machine that can isolate: see `kata doctor`"
    with closing(Sandbox(request.param)) as sandbox:
        sandbox.await_ready()
        yield sandbox


@pytest.fixture(scope="session")
def full():
    with closing(Sandbox("full")) as sandbox:
        sandbox.await_ready()
        yield sandbox


@pytest.fixture(scope="session")
def spawned():
    """Workers where nothing can be forked: children that were started ahead."""
    with closing(SpawnedWorkers()) as workers:
        yield workers


@pytest.fixture(params=["full", pytest.param("spawned", marks=pytest.mark.thorough)])
def either(request):
    """Either kind of worker."""
    return request.getfixturevalue(request.param)
