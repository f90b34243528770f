"""A fuzzer that notices nothing finds nothing: each kind of harm is noticed here, where it is done on purpose."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.fuzz.watching import Escaped, scratch, watched


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


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM.keys())
def test_harm_is_noticed(harm: Callable[[], object]) -> None:
    with pytest.raises(Escaped), watched():
        harm()


def test_reading_and_writing_in_the_scratch_is_no_harm() -> None:
    with watched():
        path = scratch() / "file"
        path.write_bytes(b"x")
        assert path.read_bytes() == b"x"
