"""Odd and hostile things in `submitted/`: the real `nbgrader autograde` reads, copies and shows nothing it should not."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.notebooks.submitted import Submitted

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

UNIT = "01_parts"
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts\n"
LOOKS = """\
def share(amounts):
    import os
    raise ValueError(f"seen: {[place for place in PLACES if os.path.lexists(place)]}")
"""
SCRIPT = "<img src=x onerror=alert(1)>"
HUNDRED_MB = 100_000_000


def odd_notebooks(released: Any, edit: Any) -> dict[str, str]:
    """Texts of files that are hardly notebooks, or are more than one."""
    wrong = edit.filled(released, {"share": WRONG})
    text = json.dumps(wrong)
    version = '"nbformat": 4,'
    assert version in text

    def with_sources(source: Any) -> str:
        return json.dumps({**wrong, "cells": [{**cell, "source": source} for cell in wrong["cells"]]})

    flooded = json.loads(text)
    edit.cell(flooded, "test-share")["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": "x" * HUNDRED_MB}
    ]
    old = [{**cell, "input": cell["source"], "language": "python"} for cell in wrong["cells"]]
    points = {"metadata": {"nbgrader": {"grade_id": "test-share", "points": 4}}, "auto_score": 4}
    return {
        "deep-list": '{"cells":' + "[" * 100_000 + "]" * 100_000 + "}",
        "deep-metadata": '{"metadata":' + '{"a":' * 100_000 + "1" + "}" * 100_000 + ', "cells": []}',
        "huge-number": text.replace(version, f'"nbformat": {"9" * 1_000_000},'),
        "no-number": text.replace(version, '"nbformat": NaN, "nbformat_minor": -Infinity,'),
        "keys-twice": text[:-1] + "," + json.dumps({**wrong, "cells": []})[1:],
        "parts-no-text": with_sources(["def share", None, {"a": 1}]),
        "source-no-text": with_sources({"text/plain": RIGHT}),
        "metadata-a-list": json.dumps({**wrong, "metadata": [], "cells": [{**c, "metadata": [1]} for c in wrong["cells"]]}),
        "version-three": json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": old}]}),
        "half-a-character": text.replace("YOUR ANSWER HERE", "\\ud800 and \\udc00"),
        "flooded": json.dumps(flooded),
        "with-our-marks": json.dumps({**wrong, "metadata": {"kata": {"absent": ["share"], "problems": [], **points}}}),
    }  # fmt: skip


ODD = ["deep-list", "deep-metadata", "huge-number", "no-number", "keys-twice", "parts-no-text", "source-no-text",
       "metadata-a-list", "version-three", "half-a-character", "flooded", "with-our-marks"]  # fmt: skip
NO_FILES = ["pipe-for-a-notebook", "gradebook-for-a-notebook", "folder-for-a-notebook"]
REFUSED = {
    "linked-unit": "is reached by a link, 01_parts. Put the learner's own folder in its place.",
    "linked-learner": "is reached by a link, linked-learner. Put the learner's own folder in its place.",
    "hard-link": "holds no notebook of its own: 01_parts.ipynb is the course's, with the solutions.",
    "pipe-for-a-time": "has a timestamp.txt that is not an ordinary file",
    "device-for-a-time": "has a timestamp.txt that is a link",
    "no-time": "has a timestamp.txt that holds no time that nbgrader can read",
    SCRIPT: "has characters in the learner's name that make trouble in pages",
    '";alert(1)': "has characters in the learner's name that make trouble in pages",
    "two\nlines": "has characters in the learner's name that make trouble in pages",
    "\x1b[31mred": "has characters in the learner's name that make trouble in pages",
    "*": "has characters in the learner's name that make trouble in pages",
}
TIME = "2026-11-01 10:00:00 UTC"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, released_at: Callable[..., Any], edit: Any) -> Any:
    root = tmp_path_factory.mktemp("entrance")
    folder = released_at(root)
    (folder.root / "source" / UNIT / "from-the-course.txt").write_text("for all", "utf-8")
    released = folder.released(UNIT)
    right, source = edit.filled(released, {"share": RIGHT}), folder.root / "source" / UNIT

    for student, text in odd_notebooks(released, edit).items():
        folder.hand_in(student, UNIT, text)
    looks = LOOKS.replace("PLACES", repr([str(place) for place in places(folder)]))
    folder.hand_in("looks", UNIT, edit.filled(released, {"share": looks}))
    folder.hand_in("with-more", UNIT, right)
    beside = folder.handed_in("with-more", UNIT).parent
    (beside / "timestamp.txt").write_text(TIME, "utf-8")
    (beside / "submission_secret.txt").write_text("known to one", "utf-8")
    (beside / "page.html").write_text("<script>alert(1)</script>", "utf-8")
    (beside / "nbgrader_config.py").write_text(f"open({str(root / 'was-here')!r}, 'w')", "utf-8")
    (beside / "sitecustomize.py").write_text(f"open({str(root / 'was-here')!r}, 'w')", "utf-8")
    (beside / "solutions.txt").symlink_to(source / f"{UNIT}.ipynb")
    (beside / "solutions").symlink_to(source)
    (beside / "endless").symlink_to("/dev/zero")
    os.mkfifo(beside / "pipe")

    def place(student: str) -> Path:
        path = folder.handed_in(student, UNIT)
        path.parent.mkdir(parents=True)
        return path

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
    folder.hand_in("zoe", UNIT, right)  # the last one, as nbgrader goes
    return folder


def places(folder: Any) -> list[Path]:
    """What learners' code has no business to see."""
    course = folder.root.parent / "tiny"
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


@pytest.fixture(scope="module")
def log(folder: Any) -> str:
    """What `nbgrader autograde` says of them all."""
    said = folder.nbgrader("autograde", UNIT, status=1).stderr
    folder.nbgrader("generate_feedback", UNIT)
    return said


def scores(folder: Any) -> dict[str, float | None]:
    with folder.book() as book:
        return {
            submission.student.id: book.find_grade("test-share", UNIT, UNIT, submission.student.id).auto_score
            for submission in book.assignment_submissions(UNIT)
        }


def test_batch_is_completed_and_only_right_answers_count(log: str, folder: Any) -> None:
    got = scores(folder)
    assert got == {**dict.fromkeys([*ODD, *NO_FILES, "looks"], 0), "with-more": 4, "zoe": 4}


def test_odd_notebook_is_answered_with_a_page(log: str, folder: Any) -> None:
    for student in ODD:
        assert "0 / 4 points" in folder.feedback(student, UNIT), student


def test_refused_submission_is_named_with_the_reason(log: str) -> None:
    for student, reason in REFUSED.items():
        shown = "".join(each if each.isprintable() else "\ufffd" for each in student)
        (line,) = [line for line in log.splitlines() if f"submitted/{shown}/{UNIT} " in line and "Not graded:" in line]
        assert reason in line


def test_nobody_refused_is_in_the_gradebook_or_the_folders(log: str, folder: Any) -> None:
    assert not folder.students() & REFUSED.keys()
    for step in ("autograded", "feedback"):
        assert not {path.name for path in (folder.root / step).iterdir()} & REFUSED.keys()
    assert not list(folder.root.glob("being-graded-*"))


def test_run_ends_with_a_table_of_everybody(log: str) -> None:
    _, _, table = log.partition("Outcome:\n")
    lines = [line.strip() for line in table.splitlines()]
    assert lines[0].split() == ["who", "points", "late", "what", "could", "not", "be", "read"]
    assert any(re.fullmatch(r"zoe +4 / 4", line) for line in lines)
    assert any(
        re.fullmatch(r"deep-list +0 / 4 +01_parts.ipynb is damaged or not a notebook; .*", line) for line in lines
    )
    assert any(re.fullmatch(r"no-time +not graded +has a timestamp.txt that holds no time .*", line) for line in lines)
    assert "SAWarning" not in log and "Traceback" not in log


def test_nothing_beside_the_notebook_is_copied_but_its_time_and_secret(log: str, folder: Any) -> None:
    for step, suffix in (("autograded", "ipynb"), ("feedback", "html")):
        names = {path.name for path in (folder.root / step / "with-more" / UNIT).iterdir()}
        assert names == {f"{UNIT}.{suffix}", "timestamp.txt", "submission_secret.txt", "from-the-course.txt"}
        assert (folder.root / step / "with-more" / UNIT / "timestamp.txt").read_text("utf-8") == TIME


def test_page_of_who_is_not_in_the_exchange_can_be_found_by_nobody(log: str, folder: Any) -> None:
    """`nbgrader fetch_feedback` finds a page by its secret; `release_feedback` wants a time beside it."""
    with_more, zoe = (folder.root / "autograded" / student / UNIT for student in ("with-more", "zoe"))
    assert (with_more / "submission_secret.txt").read_text("utf-8") == "known to one"
    assert len((zoe / "submission_secret.txt").read_text("utf-8")) == 64
    assert (zoe / "timestamp.txt").read_text("ascii").endswith(" UTC")
    assert not (folder.root / "submitted" / "zoe" / UNIT / "submission_secret.txt").exists()


@pytest.mark.parametrize(
    ("secret", "why"),
    [
        pytest.param(b"x" * 2000, "is longer than any such file", id="long"),
        pytest.param(b"\xff\xfe", "holds no text", id="no text"),
        pytest.param(None, "is a link; hand in the file itself", id="link"),
    ],
)
def test_odd_secret_ends_nothing(
    secret: bytes | None, why: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "submission_secret.txt"
    if secret is None:
        path.symlink_to("/etc/hostname")
    else:
        path.write_bytes(secret)
    assert len(Submitted("eve", UNIT, tmp_path, []).secret(logging.getLogger())) == 64
    assert f"submission_secret.txt {why}: this learner cannot fetch feedback." in caplog.text


def test_time_of_a_submission_reaches_the_gradebook(log: str, folder: Any) -> None:
    with folder.book() as book:
        assert str(book.find_submission(UNIT, "with-more").timestamp) == "2026-11-01 10:00:00"
        assert book.find_submission(UNIT, "zoe").timestamp is None


def test_nothing_handed_in_is_run_outside_of_the_wall(log: str, folder: Any) -> None:
    assert not (folder.root.parent / "was-here").exists()


def test_learners_code_sees_nothing_of_the_course(log: str, folder: Any) -> None:
    assert all(place.exists() for place in places(folder))
    assert "): seen: []" in re.sub(r"\s+", " ", folder.feedback("looks", UNIT))


def test_no_page_holds_a_solution(log: str, folder: Any) -> None:
    shown = [path for step in ("autograded", "feedback") for path in (folder.root / step).rglob("*") if path.is_file()]
    assert shown and not [
        path for path in shown if "total = amounts.sum(dim=-1, keepdim=True)" in path.read_text("utf-8")
    ]


def test_refused_submission_is_graded_once_it_is_put_right(log: str, folder: Any) -> None:
    folder.handed_in("no-time", UNIT).with_name("timestamp.txt").write_text(TIME, "utf-8")
    folder.nbgrader("autograde", UNIT, "--student", "no-time")
    assert folder.scores("no-time", UNIT)["test-share"] == 4
