"""Groups that hand in together, in pages, exports and `kata forget`; what is whose is told in runs.yml."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

Kata = Callable[..., "subprocess.CompletedProcess[str]"]

COLOURS = "id,name,group\n1,Ada Byron,Red\n2,Bo Chen,red\n3,Cy Dee,\n4,Di Eco,Blue\n"


@pytest.fixture
def four(room: Any) -> Any:
    """A class of four: Ada and Bo are Red, of whom Ada hands in; Cy is alone; Di is Blue, and Blue hands in as such."""
    room.hand_in({"1/share.py": True, "3/share.py": False, "Blue/share.py": True})
    return room


def test_records_page_and_export_name_the_group(four: Any, kata: Kata) -> None:
    four.grade({}, COLOURS, pages=True)
    records = four.records
    assert records["2"] == records["1"].model_copy(update={"submission": "2"})
    assert records["4"].digest == records["1"].digest, "the same work"
    page = (four.out / "class.html").read_text("utf-8")
    assert "group Red" in page and "group Blue" in page
    rows = csv.DictReader(four.export(kata, "csv").stdout.splitlines())
    assert [(row["submission"], row["group"]) for row in rows] == [("1", "Red"), ("2", "red"), ("3", ""), ("4", "Blue")]
    told = kata("explain", "out", "Bo Chen", "--course", four.root, cwd=four.place)
    assert "Bo Chen (2)" in told.stdout and told.stderr == ""


def test_forgetting_one_member_leaves_the_others_and_says_that_their_work_is_the_same(four: Any, kata: Kata) -> None:
    four.grade({}, COLOURS, only=("share",))
    done = kata("forget", "out", "1", cwd=four.place)
    assert done.returncode == 0, done.stderr
    assert four.points == {"2": 4, "3": 0, "4": 4}
    assert "as the group Red, keeps a record of the same work" in done.stdout and "them: 2." in done.stdout
