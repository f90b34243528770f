"""What was seen is kept with the progress: on the page of `kata report`, and on a class's pages once it is handed in."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from itertools import product
from pathlib import Path

import pytest

from grader.classroom.store import reading
from grader.classroom.submission_files import SubmissionFiles, played_in
from grader.play.parts import Heat, Written
from grader.play.showing import played_of
from grader.played import MOST_BYTES, Played, as_bytes, from_bytes
from grader.practice.progress import now

from ..cases import rows
from .conftest import CASES

ID = "cross_attention"
MAP = "Where each place of the answer looks"
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
pytestmark = pytest.mark.timeout(600)


def kept(desk) -> dict:
    return json.loads((desk.folder / ".kata" / "maps.json").read_text("utf-8"))["played"]


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
    content["played"][ID]["wrote"].append(["your class", HOSTILE])
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
def test_what_is_switched_off_is_not_kept_and_wrong_code_is_kept_as_such(desk):
    assert desk.checks(ID, (" * self.scaling", "")).returncode == 1
    assert desk.kata("play", ID).returncode == 0
    (only,) = kept(desk)[ID]["maps"]
    assert only["title"] == MAP and "was_right" not in kept(desk)[ID]
    assert desk.checks("scaled_scores").returncode == 0
    assert desk.kata("play", "scaled_scores", "--without", "scale").returncode == 0
    assert list(kept(desk)) == [ID]


@pytest.mark.thorough
def test_a_file_that_is_damaged_costs_a_learner_nothing(has_played):
    (has_played.folder / ".kata" / "maps.json").write_bytes(b"{")
    assert has_played.kata("report").returncode == 0
    assert has_played.kata("play", ID).returncode == 0
    assert list(kept(has_played)) == [ID]


@pytest.mark.thorough
def test_the_class_page_has_what_was_handed_in_in_a_folder_and_in_a_zip(browser, has_played, tmp_path):
    hands_in, out = tmp_path / "class", tmp_path / "out"
    for name in ("ada", "ben"):
        shutil.copytree(has_played.folder, hands_in / name / "attention")
    shutil.make_archive(str(hands_in / "cleo"), "zip", has_played.folder)
    shutil.rmtree(hands_in / "ben" / "attention" / ".kata")
    words = ("grade-class", str(hands_in), "--out", str(out), "--html", "--only", ID, "--isolation", "best")
    done = has_played.kata(*words)
    assert done.returncode == 0, done.stderr
    page = (out / "class.html").read_text("utf-8")
    assert "Their own code at work" in page and "2 learners" in page.partition('id="at-work"')[2]
    pages = list(out.glob("learner-*.html"))
    with_maps = [path for path in pages if "1999-12-24" in path.read_text("utf-8")]
    assert (len(pages), len(with_maps)) == (3, 2)
    for page, width in product((out / "class.html", with_maps[0]), (360, 1200)):
        browser.show(page, width=width, height=900)
        assert browser.problems() == []
    points = {json.loads(line)["points"] for line in (out / "results.jsonl").read_text("utf-8").splitlines()}
    assert len(points) == 1  # whoever played has no more points
    assert has_played.kata("forget", str(out), "ada").returncode == 0
    with reading(out) as store:
        assert [bool(store.played(name)) for name in ("ada", "ben", "cleo")] == [False, False, True]


# --- the file ---------------------------------------------------------------------------------------------------------


def in_a_zip(folder: Path, name: str, content: str | bytes) -> SubmissionFiles:
    """A submission that is a zip with one file."""
    with zipfile.ZipFile(folder / "ada.zip", "w") as archive:
        archive.writestr(name, content)
    return SubmissionFiles("ada", (), folder / "ada.zip")


@rows(CASES["no_files"], "content")
def test_what_is_no_such_file_counts_as_nothing(content):
    assert from_bytes(content.encode("latin-1")) is None


def test_maps_are_kept_to_a_hundredth_and_read_back():
    heat = Heat("A map", ("a", "b"), ("a", "b"), ((1.0, 0.126), (float("nan"), 0.5)), high=0.5)
    formula = Heat("The same by the formula", ("a",), ("a",), ((1.0,),), by_formula=True)
    kept = played_of([heat, formula, Written("t", "ti", (("your class", "na"),))], now(), "abc", was_right=True)
    (back,) = from_bytes(as_bytes({"x": kept}))["x"].maps
    assert back.values[0] == (0.5, pytest.approx(0.126, abs=0.003))
    assert back.values[1] == (pytest.approx(float("nan"), nan_ok=True), 0.5)
    assert kept.wrote == (("your class", "na"),)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("linked", ["", ".kata", ".kata/maps.json"])
def test_no_link_is_followed_to_what_somebody_else_saw(tmp_path, linked):
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    (theirs / ".kata").mkdir(parents=True)
    (theirs / ".kata" / "maps.json").write_bytes(as_bytes({"x": Played(at=now())}))
    (mine / linked).parent.mkdir(parents=True, exist_ok=True)
    (mine / linked).symlink_to(theirs / linked)
    assert played_in(SubmissionFiles("theirs", (), theirs)) != {}
    assert played_in(SubmissionFiles("mine", (), mine)) == {}


@rows(CASES["zips"], "name", "content", "is_taken")
def test_of_a_zip_only_the_file_in_its_place_is_read(tmp_path, name, content, is_taken):
    assert bool(played_in(in_a_zip(tmp_path, name, content))) == is_taken


def test_what_is_no_zip_or_holds_too_large_a_file_counts_as_nothing(tmp_path):
    for size, known in ((MOST_BYTES, {"x"}), (MOST_BYTES + 1, set())):
        content = as_bytes({"x": Played(at=now())}).ljust(size)
        assert set(from_bytes(content) or ()) == set(played_in(in_a_zip(tmp_path, ".kata/maps.json", content))) == known
    (tmp_path / "ada.zip").write_bytes(b"PK but no more")
    assert played_in(SubmissionFiles("ada", (), tmp_path / "ada.zip")) == {}
