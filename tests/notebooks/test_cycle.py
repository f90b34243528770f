"""One class through the real nbgrader, released to feedback: everybody gets what is theirs, whatever was handed in.

What is handed in stands in class.yml, but for what no text holds.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from grader.notebooks.assignment import Submitted
from grader.record import Record
from tests.cases import table

from .conftest import UNIT, Edit, Folder, Notebook, Page, named

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(900),
]  # the class is graded twice, once by nbgrader and once by `kata grade-class`

CLASS = table(__file__, "class.yml")
SOURCES, REFUSED = CLASS["sources"], CLASS["refused"]
LEARNERS = {**CLASS["honest"], **CLASS["attacks"]}
IDS = ("share", "part")
WORTH = {"test-share": 4.0, "test-part": 4.0}
TIME = "2026-11-01 10:00:00 UTC"


def edited(released: Notebook, edits: Mapping[str, Any], places: Mapping[str, str]) -> Notebook:
    """The released notebook with one learner's edits; `places`: what some words in sources stand for."""

    def source(of: str, names: str | list[str]) -> str:
        text = "\n\n".join(SOURCES[name] for name in ([names] if isinstance(names, str) else names))
        return re.sub("FOLDER|COURSE|PLACES|ID", lambda found: {**places, "ID": of}[found[0]], text)

    notebook = json.loads(json.dumps(released))
    there = {named(cell): cell for cell in notebook["cells"]}
    answers = dict.fromkeys(IDS, edits["all"]) if "all" in edits else {}
    for name, given in {**answers, **{name: edits[name] for name in edits if name in there}}.items():
        there[name].update(given if isinstance(given, dict) else {"source": source(name, given)})
    cells = [cell for cell in notebook["cells"] if not named(cell).startswith(edits.get("without", "nobody's"))]
    if "again" in edits:
        cells.append({**there["share"], "id": "again", "source": source("share", edits["again"])})
    if "first" in edits:
        own = {"cell_type": "code", "execution_count": None, "outputs": [], "metadata": {}, "id": "own"}
        cells.insert(0, {**own, "source": source("share", edits["first"])})
    for cell in cells:
        metadata = {**cell["metadata"], **edits.get("metadata", {})}
        cell["metadata"] = {key: value for key, value in metadata.items() if value is not None}
        if named(cell):
            cell["metadata"]["nbgrader"] = {**cell["metadata"]["nbgrader"], **edits.get("marks", {})}
    return {**notebook, "cells": cells}


def odd_notebooks(released: Any) -> dict[str, str]:
    """Texts of files that are hardly notebooks, or are more than one. No answer in them is right."""
    wrong = edited(released, {"all": "nothing"}, {})
    text = json.dumps(wrong)
    version = '"nbformat": 4,'
    assert version in text and "YOUR ANSWER HERE" in text

    def with_sources(source: Any) -> str:
        return json.dumps({**wrong, "cells": [{**cell, "source": source} for cell in wrong["cells"]]})

    flooded = json.loads(text)
    stream = {"output_type": "stream", "name": "stdout", "text": "x" * 100_000_000}
    Edit.cell(flooded, "test-share")["outputs"] = [stream]
    old = [{**cell, "input": cell["source"], "language": "python"} for cell in wrong["cells"]]
    points = {"metadata": {"nbgrader": {"grade_id": "test-share", "points": 4}}, "auto_score": 4}
    return {
        "damaged": text[:2000],
        "no-notebook": '["not", "a notebook"]',
        "nested": "[" * 100_000,
        "empty": "",
        "deep-list": '{"cells":' + "[" * 100_000 + "]" * 100_000 + "}",
        "deep-metadata": '{"metadata":' + '{"a":' * 100_000 + "1" + "}" * 100_000 + ', "cells": []}',
        "huge-number": text.replace(version, f'"nbformat": {"9" * 1_000_000},'),
        "no-number": text.replace(version, '"nbformat": NaN, "nbformat_minor": -Infinity,'),
        "keys-twice": text[:-1] + "," + json.dumps({**wrong, "cells": []})[1:],
        "parts-no-text": with_sources(["def share", None, {"a": 1}]),
        "source-no-text": with_sources({"text/plain": SOURCES["right"]}),
        "metadata-a-list": json.dumps({**wrong, "metadata": [], "cells": [{**c, "metadata": [1]} for c in wrong["cells"]]}),
        "version-three": json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": old}]}),
        "half-a-character": text.replace("YOUR ANSWER HERE", "\\ud800 and \\udc00"),
        "flooded": json.dumps(flooded),
        "with-our-marks": json.dumps({**wrong, "metadata": {"kata": {"absent": ["share"], "problems": [], **points}}}),
    }  # fmt: skip


def hand_in_in_odd_ways(folder: Folder, right: Any) -> None:
    """Put down links, pipes and devices, folders with odd names, and more than a notebook."""
    source = folder.root / "source" / UNIT

    def place(student: str) -> Path:
        path = folder.handed_in(student, UNIT)
        path.parent.mkdir(parents=True)
        return path

    place("linked").symlink_to(source / f"{UNIT}.ipynb")
    os.mkfifo(place("pipe-for-a-notebook"))
    place("gradebook-for-a-notebook").symlink_to(folder.root / "gradebook.db")
    place("folder-for-a-notebook").mkdir()
    place("hard-link").hardlink_to(source / f"{UNIT}.ipynb")
    (folder.root / "submitted" / "linked-unit").mkdir()
    (folder.root / "submitted" / "linked-unit" / UNIT).symlink_to(source)
    (folder.root / "submitted" / "linked-learner").symlink_to(folder.root / "source")
    for student in REFUSED:
        if not folder.handed_in(student, UNIT).exists():
            folder.hand_in(student, UNIT, right)
    os.mkfifo(folder.handed_in("pipe-for-a-time", UNIT).with_name("timestamp.txt"))
    folder.handed_in("device-for-a-time", UNIT).with_name("timestamp.txt").symlink_to("/dev/zero")
    folder.handed_in("no-time", UNIT).with_name("timestamp.txt").write_text("yesterday", "utf-8")

    beside = place("with-more").parent
    opens = f"open({str(folder.root / 'was-here')!r}, 'w')"
    texts = {
        f"{UNIT}.ipynb": json.dumps(right),
        "timestamp.txt": TIME,
        "submission_secret.txt": "known to one",
        "page.html": "<script>alert(1)</script>",
        "nbgrader_config.py": opens,
        "sitecustomize.py": opens,
    }
    for name, text in texts.items():
        (beside / name).write_text(text, "utf-8")
    (beside / "solutions.txt").symlink_to(source / f"{UNIT}.ipynb")
    (beside / "solutions").symlink_to(source)
    (beside / "endless").symlink_to("/dev/zero")
    os.mkfifo(beside / "pipe")


def hidden_places(folder: Folder) -> list[Path]:
    """What learners' code has no business to see."""
    course = folder.course
    return [
        folder.root,
        folder.root / "nbgrader_config.py",
        folder.root / "gradebook.db",
        folder.root / "source" / UNIT / f"{UNIT}.ipynb",
        folder.root / "release",
        course / "course.yml",
        course / "solutions" / UNIT / "01_share.py",
        course / "tests" / "kits" / UNIT / "01_share" / "checks.py",
    ]


@dataclass(frozen=True)
class Graded:
    """The class after `nbgrader autograde` and `nbgrader generate_feedback`."""

    folder: Folder
    log: str
    scores: dict[str, dict[str, float | None]]
    """By learner and cell."""

    def points(self, student: str) -> dict[str, float | None]:
        return {name: self.scores[student][name] for name in WORTH}

    def outputs(self, student: str, exercise: str) -> list[Any]:
        cell = Edit.cell(self.folder.autograded(student, UNIT), f"test-{exercise}")
        texts = [{kind: "".join(text) for kind, text in output["data"].items()} for output in cell["outputs"]]
        return [{**output, "data": text} for output, text in zip(cell["outputs"], texts, strict=True)]

    def page(self, student: str, exercise: str) -> str:
        return str(self.outputs(student, exercise)[0]["data"]["text/html"])


@pytest.fixture(scope="module")
def graded(released_at: Callable[..., Folder], tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder = released_at(
        tmp_path_factory.mktemp("cycle"), "--reflection", exercises=(f"{UNIT}/01_share", f"{UNIT}/02_part")
    )
    (folder.root / "source" / UNIT / "from-the-course.txt").write_text("for all", "utf-8")
    released = folder.released(UNIT)
    hidden = repr([str(place) for place in hidden_places(folder)])
    places = {"FOLDER": str(folder.root), "COURSE": str(folder.course), "PLACES": hidden}
    for student, notebook in odd_notebooks(released).items():
        folder.hand_in(student, UNIT, notebook)
    for student, edits in LEARNERS.items():
        folder.hand_in(student, UNIT, edited(released, edits, places))
    hand_in_in_odd_ways(folder, edited(released, LEARNERS["right"], places))
    log = folder.nbgrader("autograde", UNIT, status=1).stderr
    folder.nbgrader("generate_feedback", UNIT)
    return Graded(folder, log, {student: folder.scores(student, UNIT) for student in folder.students()})


# --- points ---------------------------------------------------------------------------------------------------------


def test_everybody_gets_what_is_theirs_and_the_batch_goes_on(graded: Graded) -> None:
    points = {student: tuple(graded.points(student).values()) for student in graded.scores}
    expected = {student: tuple(edits.get("points", (0, 0))) for student, edits in LEARNERS.items()}
    assert points == {**dict.fromkeys(points, (0, 0)), **expected, "with-more": (4, 4)} and len(points) == 47


def test_attacks_get_nothing(graded: Graded) -> None:
    points = {student: graded.points(student) for student in CLASS["attacks"]}
    assert points == dict.fromkeys(points, dict.fromkeys(WORTH, 0.0))


def test_attack_that_reads_would_succeed_without_the_wall(graded: Graded) -> None:
    handed_in = json.loads(graded.folder.handed_in("attack-reads", UNIT).read_text("utf-8"))
    found: dict[str, Any] = {}
    exec(Edit.cell(handed_in, "share")["source"], found)
    assert found["share"](found["torch"].ones(2, 4)).tolist() == [[0.25] * 4] * 2


def test_points_are_those_of_kata_grade(graded: Graded, kata: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    alone = [each for each in graded.scores if graded.folder.handed_in(each, UNIT).is_file() and each != "flooded"]
    for student in alone:
        place = tmp_path / "class" / f"{student}.ipynb"
        handed_in = graded.folder.handed_in(student, UNIT)
        if handed_in.is_symlink():
            place.symlink_to(handed_in.readlink())
        else:
            place.hardlink_to(handed_in)
    done = kata("grade-class", tmp_path / "class", "--out", tmp_path / "out", cwd=graded.folder.course)
    assert done.returncode == 0, done.stderr
    records = map(Record.from_json, (tmp_path / "out" / "results.jsonl").read_text("utf-8").splitlines())
    points = {record.submission: {f"test-{each.id}": each.points for each in record.exercises} for record in records}
    assert points == {student: graded.points(student) for student in alone}


def test_each_test_cell_shows_a_page_and_one_plain_number(graded: Graded) -> None:
    for student, id in product(graded.scores, IDS):
        page, number = graded.outputs(student, id)
        assert page["output_type"] == "display_data" and set(page["data"]) == {"text/html", "text/plain"}
        assert number["output_type"] == "execute_result" and set(number["data"]) == {"text/plain"}
        assert number["data"]["text/plain"] == repr(graded.points(student)[f"test-{id}"])


def test_reflection_waits_for_a_person_where_there_is_one(graded: Graded) -> None:
    assert graded.scores["raises"]["reflection"] is None
    assert graded.scores["right"]["reflection"] == 0  # as it was given
    assert graded.scores["attack-manual"]["reflection"] is None


# --- what is not done -----------------------------------------------------------------------------------------------


def test_nothing_handed_in_is_run_outside_of_the_wall(graded: Graded) -> None:
    assert not (graded.folder.root / "was-here").exists()
    assert "Executing notebook" not in graded.log and "kernel" not in graded.log.lower()


def test_learners_code_sees_nothing_of_the_course(graded: Graded) -> None:
    assert all(place.exists() for place in hidden_places(graded.folder))
    assert "): seen: []" in re.sub(r"\s+", " ", graded.folder.feedback("looks", UNIT))


def test_nobody_refused_is_in_the_gradebook_or_the_folders(graded: Graded) -> None:
    assert not set(graded.scores) & REFUSED.keys()
    for step in ("autograded", "feedback"):
        assert {path.name for path in (graded.folder.root / step).iterdir()} == set(graded.scores)
    assert not list(graded.folder.root.glob("being-graded-*"))


def test_nothing_beside_the_notebook_is_copied_but_its_time_and_secret(graded: Graded) -> None:
    for step, suffix in (("autograded", "ipynb"), ("feedback", "html")):
        place = graded.folder.root / step / "with-more" / UNIT
        names = {path.name for path in place.iterdir()}
        assert names == {f"{UNIT}.{suffix}", "timestamp.txt", "submission_secret.txt", "from-the-course.txt"}
        assert (place / "timestamp.txt").read_text("utf-8") == TIME


def test_page_of_who_is_not_in_the_exchange_can_be_found_by_nobody(graded: Graded) -> None:
    """`nbgrader fetch_feedback` finds a page by its secret; `release_feedback` wants a time beside it."""
    with_more, zoe = (graded.folder.root / "autograded" / student / UNIT for student in ("with-more", "zoe"))
    assert (with_more / "submission_secret.txt").read_text("utf-8") == "known to one"
    assert len((zoe / "submission_secret.txt").read_text("utf-8")) == 64
    assert (zoe / "timestamp.txt").read_text("ascii").endswith(" UTC")
    assert not graded.folder.handed_in("zoe", UNIT).with_name("submission_secret.txt").exists()
    with graded.folder.book() as book:
        assert str(book.find_submission(UNIT, "with-more").timestamp) == "2026-11-01 10:00:00"
        assert book.find_submission(UNIT, "zoe").timestamp is None


@pytest.mark.parametrize("secret", [b"\xff\xfe", None], ids=["no text", "link"])
def test_odd_secret_is_none(secret: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "submission_secret.txt"
    if secret is None:
        path.symlink_to("/etc/hostname")
    else:
        path.write_bytes(secret)
    assert re.fullmatch("[0-9a-f]{64}", Submitted("eve", UNIT, tmp_path, []).secret())


# --- what is said ---------------------------------------------------------------------------------------------------


SAID = {student: edits["said"] for student, edits in LEARNERS.items() if "said" in edits} | CLASS["said of odd ones"]


@pytest.mark.parametrize(("student", "said"), SAID.items(), ids=SAID)
def test_learner_is_told_why(student: str, said: str, graded: Graded) -> None:
    assert said in graded.page(student, "share")
    assert said in re.sub(r"\s+", " ", graded.folder.feedback(student, UNIT))


def test_odd_notebook_is_answered_with_a_page(graded: Graded) -> None:
    for student in odd_notebooks(graded.folder.released(UNIT)):
        assert graded.folder.feedback(student, UNIT).count("0 / 4 points") == 2, student


def test_refused_submission_is_named_with_the_reason(graded: Graded) -> None:
    for student, reason in REFUSED.items():
        shown = "".join(each if each.isprintable() else "\ufffd" for each in student)
        named = [line for line in graded.log.splitlines() if f"submitted/{shown}/{UNIT} " in line]
        (line,) = [line for line in named if "Not graded:" in line]
        assert reason in line


def test_log_says_what_could_not_be_read_and_ends_with_who_was_not_graded(graded: Graded) -> None:
    why = f"{UNIT}.ipynb is damaged or not a notebook; open it in Jupyter and save it again"
    assert f"submitted/damaged/{UNIT}/{UNIT}.ipynb: {why}" in graded.log
    _, _, named = graded.log.partition("Not graded, and the log above says why: ")
    assert "no-time" in named and "zoe" not in named
    assert "SAWarning" not in graded.log and "Traceback" not in graded.log


# --- feedback -------------------------------------------------------------------------------------------------------


ELEMENTS = {"script", "iframe", "object", "embed", "form", "base", "meta", "svg", "math", "img"}
ADDRESSES = ("href", "src", "srcdoc", "action")


def active(text: str) -> set[str]:
    """All of a page that could do something: scripts, frames, handlers, addresses."""
    page = Page(text)
    found = {f"<{tag}> {sorted(attributes)}" for tag, attributes in page.tags if tag in ELEMENTS}
    pairs = [pair for _, attributes in page.tags for pair in attributes]
    found |= {f"{name}={value}" for name, value in pairs if name.startswith("on") or name in ADDRESSES}
    return found | set(page.scripts)


def test_learners_text_is_inert_in_the_feedback(graded: Graded) -> None:
    hostile = graded.folder.feedback("raises", UNIT)
    assert active(hostile) - active(graded.folder.feedback("right", UNIT)) <= {"href=#What-I-think"}
    assert "1 &lt; 2" in hostile


def test_learners_text_is_inert_beside_the_checks(graded: Graded) -> None:
    page = graded.page("raises", "share")
    assert "alert(1)" in page and not active(page)


def test_feedback_names_the_exercises_and_leaves_out_lesson_and_boilerplate(graded: Graded) -> None:
    page = graded.folder.feedback("whole-sum", UNIT)
    for id in IDS:
        assert f"<h2><span>Parts of a whole ({id})</span>" in page
    assert "Test cell" not in page and "kata.check" not in page and "kata.validate" not in page
    assert "This notebook holds" not in page and "An example: run it" not in page
    assert "return amounts / my_total" in page, "the code that was graded"
    assert page.count("The same inputs again with --seed") == 1, "where something failed"
    assert "def parts_of(" in graded.folder.feedback("helped", UNIT), "with what it needs of other cells"


def test_no_feedback_shows_a_solution_or_a_hidden_check(graded: Graded) -> None:
    shown = [path for step in ("autograded", "feedback") for path in (graded.folder.root / step).rglob("*.*")]
    hidden = ("total = amounts.sum(dim=-1, keepdim=True)", "BEGIN SOLUTION", "learner.agrees")
    assert shown and not [p for p in shown if p.is_file() and any(text in p.read_text("utf-8") for text in hidden)]


def test_refused_submission_is_graded_once_it_is_put_right(graded: Graded) -> None:
    folder = graded.folder
    folder.handed_in("no-time", UNIT).with_name("timestamp.txt").write_text(TIME, "utf-8")
    folder.autograde(student="no-time", force=False)
    assert folder.scores("no-time", UNIT)["test-share"] == 4
