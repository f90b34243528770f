"""Every target, briefly: what is kept in seeds/, inputs worth trying, and random bytes. `scripts/fuzz.py` takes longer.

A fuzzer that notices nothing finds nothing: so each kind of harm is done here on purpose too.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fuzz import targets
from tests.fuzz.watching import Escaped, scratch, watched

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


def _swallowed() -> None:
    with suppress(BaseException):
        exec("pass")


HARM: dict[str, Callable[[], object]] = {
    "text run as code": lambda: exec("x = 1"),
    "text taken for an expression": lambda: eval("1 + 1"),
    "harm that is swallowed": _swallowed,
    "file outside read": lambda: open("/etc/passwd").close(),
    "file outside written": lambda: open("/tmp/kata-fuzz-outside", "w").close(),
    "file written where one stands": lambda: open("kata-fuzz-here", "w").close(),
    "file of the project written": lambda: open(__file__, "a").close(),
    "shell": lambda: os.system("true"),
    "process": lambda: subprocess.run(["true"], check=True),
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_harm_is_noticed(harm: Callable[[], object]) -> None:
    with watched():
        (scratch() / "file").write_bytes(b"x")  # no harm
    with pytest.raises(Escaped), watched():
        harm()
