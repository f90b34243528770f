"""What was seen is kept with the progress: on the page of `kata report`, and on a class's pages once it is handed in."""

from __future__ import annotations

import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from grader.classroom.store import reading
from grader.classroom.submission_files import SubmissionFiles, played_in
from grader.play.parts import Heat, Written
from grader.play.showing import played_of
from grader.played import MOST_BYTES, Played, PlayedMap, as_bytes, from_bytes
from grader.practice.progress import now
from grader.render.heatmap_svg import SHOWN_EACH, Gallery

ID = "cross_attention"
WRONG = (" * self.scaling", "")
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
NAN = float("nan")
pytestmark = pytest.mark.timeout(600)


def kept(desk) -> dict:
    return json.loads((desk.folder / ".kata" / "maps.json").read_text("utf-8"))["played"]


def played(title: str = "Who looks at whom", text: str = "po") -> Played:
    maps = (PlayedMap(title=title, rows=("a", "b"), columns=("a", "b"), steps=((100, 0), (50, 50))),)
    return Played(at=now(), was_right=True, maps=maps, given="ti", wrote=(("your class", text),))


@pytest.fixture(scope="module")
def played_once(_fresh_desk, course, tmp_path_factory):
    """The folder of somebody whose translator has passed, and was played once."""
    desk, copies = _fresh_desk, tmp_path_factory.mktemp("played")
    desk.keep(copies / "before")
    desk.write(course, ID)
    assert desk.kata("check", ID).returncode == 0
    done = desk.kata("play", ID, "--text", "24.12.1999")
    assert done.returncode == 0, done.stderr
    desk.keep(copies / "after")
    desk.put_back(copies / "before")
    return copies / "after"


@pytest.fixture
def has_played(desk, played_once):
    """A learner's folder like that."""
    desk.put_back(played_once)
    return desk


def test_the_report_shows_the_map_and_what_was_written(has_played):
    before = has_played.kata("report").stdout
    page = (has_played.folder / "report.html").read_text("utf-8")
    assert "progress is in" in before
    assert "Your own code at work" in page
    assert "with code that had passed. It counts for no points." in page
    assert page.count("Where each place of the answer looks") >= 2  # the picture's own title, and the one above it
    assert "looks most at" in page
    assert "<b>1999-12-24</b>" in page


@pytest.mark.thorough
def test_what_is_switched_off_is_no_picture_of_theirs(desk, course):
    desk.write(course, "scaled_scores")
    assert desk.kata("check", "scaled_scores").returncode == 0
    assert desk.kata("play", "scaled_scores", "--without", "scale").returncode == 0
    assert not (desk.folder / ".kata" / "maps.json").exists()


@pytest.mark.thorough
def test_of_wrong_code_its_own_map_is_kept_and_that_it_was_wrong(desk, course):
    desk.write(course, ID, WRONG)
    assert desk.kata("check", ID).returncode == 1
    assert desk.kata("play", ID).returncode == 0
    (only,) = kept(desk)[ID]["maps"]
    assert only["title"] == "Where each place of the answer looks"
    assert "was_right" not in kept(desk)[ID]


def readable(browser, path: Path, width: int) -> None:
    browser.show(path, width=width, height=900)
    browser.run("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert not browser.scrolls_sideways()
    assert browser.cut_off() == []
    assert browser.nameless() == []
    assert {text: ratio for text, ratio in browser.contrasts().items() if ratio < 4.5} == {}
    assert browser.complaints() == []


@pytest.mark.thorough
def test_the_class_page_has_what_was_handed_in_in_a_folder_and_in_a_zip(browser, has_played, tmp_path):
    hands_in = tmp_path / "class"
    for name in ("ada", "ben"):
        shutil.copytree(has_played.folder, hands_in / name / "attention")
    shutil.make_archive(str(hands_in / "cleo"), "zip", has_played.folder)
    shutil.rmtree(hands_in / "ben" / "attention" / ".kata")
    out = tmp_path / "out"
    done = has_played.kata(
        "grade-class", str(hands_in), "--out", str(out), "--html", "--only", ID, "--isolation", "best"
    )
    assert done.returncode == 0, done.stderr
    page = (out / "class.html").read_text("utf-8")
    assert "Their own code at work" in page
    assert "2 learners" in page.partition('id="at-work"')[2]
    pages = {each.stem.partition("-")[2]: each.read_text("utf-8") for each in out.glob("learner-*.html")}
    with_maps = [text for text in pages.values() if "1999-12-24" in text]
    assert len(pages) == 3
    assert len(with_maps) == 2
    for width in (360, 1200):
        readable(browser, out / "class.html", width)
        readable(browser, next(path for path in out.glob("learner-*.html") if "1999" in path.read_text("utf-8")), width)
    points = {json.loads(line)["points"] for line in (out / "results.jsonl").read_text("utf-8").splitlines()}
    assert len(points) == 1  # whoever played has no more points
    assert has_played.kata("forget", str(out), "ada").returncode == 0
    with reading(out) as store:
        assert [bool(store.played(name)) for name in ("ada", "ben", "cleo")] == [False, False, True]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"played": {"x": {"at": "2026-11-22T10:00:00Z", "points": 5}}}', id="a field more"),
        pytest.param(
            b'{"played":{"x":{"at":"2026-11-22T10:00:00Z","maps":[{"title":"t","rows":["a"],"columns":["a"],"steps":[[1,2]]}]}}}',
            id="a row too long",
        ),
        pytest.param(b" " * (MOST_BYTES + 1), id="too large"),
        pytest.param(b'{"played":{"x":{"at":"2026-11-22T10:00:00Z","given":"' + b"a" * 401 + b'"}}}', id="a long text"),
        pytest.param(b"\xff\xfe", id="no text"),
    ],
)
def test_what_is_no_such_file_counts_as_nothing(content):
    assert from_bytes(content) is None


@pytest.mark.thorough
def test_a_file_that_is_damaged_costs_a_learner_nothing(has_played):
    (has_played.folder / ".kata" / "maps.json").write_bytes(b"{")
    assert has_played.kata("report").returncode == 0
    assert has_played.kata("play", ID).returncode == 0
    assert list(kept(has_played)) == [ID]


def test_maps_are_kept_to_a_hundredth_and_read_back():
    heat = Heat("A map", ("a", "b"), ("a", "b"), ((1.0, 0.126), (NAN, 0.5)), high=0.5)
    formula = Heat("The same by the formula", ("a",), ("a",), ((1.0,),), by_formula=True)
    kept = played_of([heat, formula, Written("t", "ti", (("your class", "po"),))], now(), "abc", was_right=True)
    (back,) = from_bytes(as_bytes({"x": kept}))["x"].maps
    values = back.values
    assert values[0] == (0.5, pytest.approx(0.126, abs=0.003))
    assert values[1][0] != values[1][0]
    assert values[1][1] == 0.5
    assert kept.wrote == (("your class", "po"),)


def test_a_class_page_hangs_the_first_few_and_counts_all():
    gallery = Gallery({"x": "An exercise", "y": "Another"})
    for number in range(SHOWN_EACH + 3):
        gallery.add(f"learner {number}", "learner-1.html", {"x": played(), "unknown": played()})
    (shown,) = gallery.exercise_maps
    assert (shown.title, shown.count, len(shown.maps)) == ("An exercise", SHOWN_EACH + 3, SHOWN_EACH)
    ids = re.findall(r'id="([^"]+)-title"', "".join(picture for *_, picture in shown.maps))
    assert len(ids) == len(set(ids)) == SHOWN_EACH


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 1200])
def test_pages_with_maps_can_be_read_by_everyone(browser, has_played, width):
    file = has_played.folder / ".kata" / "maps.json"
    content = json.loads(file.read_text("utf-8"))
    content["played"][ID]["wrote"] = [["your class", HOSTILE]]
    file.write_text(json.dumps(content), "utf-8")
    assert has_played.kata("report").returncode == 0
    path = Path(has_played.folder / "report.html")
    assert "<script" not in path.read_text("utf-8")
    readable(browser, path, width)


def laid_out(folder: Path) -> Path:
    """A submission with a workspace's progress in it."""
    (folder / ".kata").mkdir(parents=True)
    (folder / ".kata" / "maps.json").write_bytes(as_bytes({"x": played()}))
    return folder


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("linked", ["the submission", "its progress", "the file"])
def test_no_link_is_followed_to_what_somebody_else_saw(tmp_path, linked):
    theirs, mine = laid_out(tmp_path / "theirs"), tmp_path / "mine"
    if linked == "the submission":
        mine.symlink_to(theirs)
    elif linked == "its progress":
        mine.mkdir()
        (mine / ".kata").symlink_to(theirs / ".kata")
    else:
        (mine / ".kata").mkdir(parents=True)
        (mine / ".kata" / "maps.json").symlink_to(theirs / ".kata" / "maps.json")
    assert played_in(SubmissionFiles("theirs", (), theirs)) != {}
    assert played_in(SubmissionFiles("mine", (), mine)) == {}


@pytest.mark.parametrize(
    ("name", "content", "is_taken"),
    [
        pytest.param("attention/.kata/maps.json", as_bytes({"x": played()}), True, id="as it was zipped"),
        pytest.param("a/b/c/.kata/maps.json", as_bytes({"x": played()}), False, id="deep within"),
        pytest.param(".kata/maps.json", b"0" * (MOST_BYTES + 1), False, id="too large"),
        pytest.param(".kata/maps.json", b"no json", False, id="no such file"),
        pytest.param("maps.json", as_bytes({"x": played()}), False, id="not with the progress"),
    ],
)
def test_of_a_zip_only_the_file_in_its_place_is_read(tmp_path, name, content, is_taken):
    path = tmp_path / "ada.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    assert bool(played_in(SubmissionFiles("ada", (), path))) == is_taken


def test_what_is_no_zip_counts_as_nothing(tmp_path):
    (tmp_path / "ada.zip").write_bytes(b"PK but no more")
    assert played_in(SubmissionFiles("ada", (), tmp_path / "ada.zip")) == {}
