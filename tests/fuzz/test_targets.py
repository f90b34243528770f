"""Every target, briefly: what is kept in seeds/, inputs worth trying, and random bytes. `scripts/fuzz.py` takes longer."""

from __future__ import annotations

import os
import resource
from datetime import timedelta
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz import targets

pytestmark = pytest.mark.timeout(600)

EXAMPLES = 40
HANGS_AFTER = timedelta(seconds=200)
"""For one input of a few kilobytes that takes milliseconds: a hang, on however busy a machine."""

MOST_MEMORY_KB = 768 * 1024
"""By which one target may make the process grow."""

FRESH = "KATA_FUZZ_FRESH"
"""The environment variable that asks for other inputs in every run; without it they are always the same."""

BRIEFLY = settings(
    max_examples=EXAMPLES,
    deadline=HANGS_AFTER,
    derandomize=not os.environ.get(FRESH),
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
HERE = [name for name in targets.NAMES if name not in targets.NEED_NBGRADER or find_spec("nbgrader")]
KEPT = [pytest.param(name, seed, id=f"{name}-{file}") for name in HERE for file, seed in targets.seeds_of(name)]


@pytest.mark.parametrize(("name", "seed"), KEPT)
def test_what_was_kept_does_no_harm(name: str, seed: bytes) -> None:
    targets.run(targets.warm(name), seed)


@pytest.mark.parametrize("name", HERE)
def test_valid_and_spoilt_inputs_do_no_harm(name: str) -> None:
    target = targets.warm(name)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    @BRIEFLY
    @given(target.inputs())
    def feed(data: bytes) -> None:
        targets.run(target, data)

    feed()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_MEMORY_KB


@pytest.mark.thorough
@pytest.mark.parametrize("name", HERE)
def test_random_bytes_do_no_harm(name: str) -> None:
    target = targets.warm(name)

    @BRIEFLY
    @given(st.binary(max_size=400))
    def feed(data: bytes) -> None:
        targets.run(target, data)

    feed()
