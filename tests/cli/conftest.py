from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def refusal() -> Callable[..., str]:
    """Sees that a command ended with a status and one plain sentence, nothing else; returns the sentence."""

    def read(done: Done, status: int) -> str:
        assert (done.returncode, done.stdout) == (status, ""), done.stderr
        sentence, *others = done.stderr.splitlines()
        assert not others
        return sentence

    return read
