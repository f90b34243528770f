"""Every target, briefly: what is kept in seeds/, inputs worth trying, and random bytes. `scripts/fuzz.py` takes longer."""

from __future__ import annotations

import resource
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz import targets

pytestmark = pytest.mark.timeout(600)

MOST_MEMORY_KB = 768 * 1024
"""By which one target may make the process grow."""
BRIEFLY = settings(
    max_examples=60,
    deadline=timedelta(seconds=200),  # for inputs that take milliseconds: a hang, on however busy a machine
    derandomize=True,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
KEPT = [
    pytest.param(name, seed, id=f"{name}-{file}") for name in targets.NAMES for file, seed in targets.seeds_of(name)
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "seed"), KEPT)
def test_what_was_kept_does_no_harm(name: str, seed: bytes) -> None:
    targets.run(targets.warm(name), seed)


@pytest.mark.parametrize("name", targets.NAMES)
def test_valid_spoilt_and_random_inputs_do_no_harm(name: str) -> None:
    target = targets.warm(name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    @BRIEFLY
    @given(target.inputs() | target.inputs() | st.binary(max_size=400))
    def feed(data: bytes) -> None:
        targets.run(target, data)

    feed()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY_KB
