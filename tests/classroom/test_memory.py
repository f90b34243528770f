"""A class ten times as large takes no more memory: records are read and written one by one."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from grader.record import Record

from .conftest import hand_in_all
from .recorded_run import read_results

A_FEW = 40
"""Records that may be alive at a time: those of the batches that are out."""
LOOKS = 4
"""Each goes through every object there is, which takes a second after a thousand other tests."""


def _alive() -> int:
    gc.collect()
    return sum(type(each) is Record for each in gc.get_objects())


@pytest.mark.thorough
@pytest.mark.parametrize("count", [50, 400])
def test_records_are_not_kept(count: int, room: Any) -> None:
    hand_in_all(room.folder, count)
    heard = 0
    most = 0

    def hear() -> None:
        nonlocal heard, most
        heard += 1
        if heard % (count // LOOKS) == 0:
            most = max(most, _alive())

    before = _alive()
    room.grade(pool=room.judge(filler="x" * 10_000), heard=hear)
    assert heard == count
    assert most - before <= A_FEW
    for number, _ in enumerate(read_results(room.out)):
        if number % (count // LOOKS) == 0:
            assert _alive() - before <= 2
    assert number + 1 == count
