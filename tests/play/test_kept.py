"""What was seen is kept with the progress, and stands on the page of `kata report`."""

from __future__ import annotations

import json

import pytest

from grader.play.parts import Written
from grader.play.showing import played_of
from grader.played import FILE_NAME, Heat, as_bytes, read_kept
from grader.practice.progress import now

from ..cases import rows
from .conftest import CASES

ID = "cross_attention"
MAP = "Where each place of the answer looks"
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def has_played(desk):
    """The folder of somebody whose translator has passed, and was played once."""
    assert desk.checks(ID).returncode == 0
    done = desk.kata("play", ID, "--text", "24.12.1999")
    assert done.returncode == 0, done.stderr
    return desk


@pytest.mark.parametrize("width", [360, pytest.param(1200, marks=pytest.mark.thorough)])
def test_the_report_shows_the_map_and_what_was_written_to_everyone(browser, has_played, width):
    file = has_played.folder / ".kata" / "maps.json"
    content = json.loads(file.read_text("utf-8"))
    content[ID]["wrote"].append(["your class", HOSTILE])
    file.write_text(json.dumps(content), "utf-8")
    assert "progress is in" in has_played.kata("report").stdout
    page = (has_played.folder / "report.html").read_text("utf-8")
    for told in ("Your own code at work", "with code that had passed. It counts for no points.", "<b>1999-12-24</b>"):
        assert told in page
    assert page.count(MAP) >= 2 and "looks most at" in page  # the picture's own title, and the one above it
    assert "<script" not in page
    browser.show(has_played.folder / "report.html", width=width, height=900)
    assert browser.problems() == []


@pytest.mark.thorough
def test_what_is_switched_off_is_not_kept(has_played):
    assert has_played.checks("scaled_scores").returncode == 0
    assert has_played.kata("play", "scaled_scores", "--without", "scale").returncode == 0
    (kept,) = json.loads((has_played.folder / ".kata" / "maps.json").read_text("utf-8"))
    assert kept == ID


# --- the file ---------------------------------------------------------------------------------------------------------


@rows(CASES["no_files"], "content")
def test_what_is_no_such_file_counts_as_nothing(tmp_path, content):
    (tmp_path / FILE_NAME).write_bytes(content.encode("latin-1"))
    assert read_kept(tmp_path) == {}


def test_maps_are_kept_and_read_back(tmp_path):
    heat = Heat("A map", ("a", "b"), ("a", "b"), ((1.0, 0.126), (float("nan"), 0.5)), high=0.5)
    both = Heat("Both", ("a",), ("a",), ((1.0,),), before=("by the formula", ((0.5,),), "yours"))
    kept = played_of([heat, both, heat, Written("t", "ti", (("your class", "na"),))], now(), was_right=True)
    (tmp_path / FILE_NAME).write_bytes(as_bytes({"x": kept}))
    (back,) = read_kept(tmp_path).values()
    assert str(back.maps) == str((heat, both)), "equal, NaN too"
    assert back.wrote == kept.wrote == (("your class", "na"),)
