"""The bound on memory: on what learners' code takes, not on what the libraries took before."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..cases import rows

Run = Callable[..., "subprocess.CompletedProcess[str]"]

# Addresses alone, as libraries map them: nothing is written there.
TAKE = """\
import mmap
from grader.sandbox.inside.lockdown import limit

MB = 1024 * 1024
taken = mmap.mmap(-1, {before} * MB, prot=mmap.PROT_READ)
limit(20, 1024 * MB)
try:
    more = mmap.mmap(-1, {more} * MB, prot=mmap.PROT_READ)
    print("taken")
except OSError:
    print("refused")
"""


TAKEN = {
    "within the bound": (10, 700, "taken"),
    "beyond the bound": (10, 800, "refused"),
    "after a neighbour for whom more was loaded, as much": (80, 700, "taken"),
    "libraries larger than the bound leave as much": (4000, 700, "taken"),
    "and no more": (4000, 800, "refused"),
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the bound is on addresses, as Linux counts them")
@rows(TAKEN, "before", "more", "said")
def test_code_has_memory_whatever_the_libraries_took(
    before: int, more: int, said: str, run_command: Run, tmp_path: Path
) -> None:
    done = run_command(sys.executable, "-c", TAKE.format(before=before, more=more), cwd=tmp_path)
    assert done.stdout.strip() == said, done.stderr
