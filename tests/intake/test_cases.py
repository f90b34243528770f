"""What is taken of a submission, and what is said of the rest: the tables beside this file.

cases.yml as a folder and as a zip, files.yml as a file by itself, cells.yml as a notebook.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course
from grader.files import UnreadableError, zip_of
from grader.intake import SubmissionError, read_files, read_submission
from grader.intake.walk import OutOfReach
from tests.cases import rows, table

Case = dict[str, Any]
CASES, FILES, CELLS = (table(__file__, f"{name}.yml") for name in ("cases", "files", "cells"))
MARK = "\ufeff".encode()


def hand_in(files: dict[str, bytes], links: dict[str, str], form: str, place: Path) -> Path:
    folder = place / "alice"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for name, target in links.items():
        (folder / name).symlink_to(target)
    if form == "folder":
        return folder
    (place / "alice.zip").write_bytes(zip_of(files.items()))
    return place / "alice.zip"


IN_FORMS = {f"{form}, {id}": [form, case] for form in ("folder", "zip") for id, case in CASES.items()}


@rows({id: row for id, row in IN_FORMS.items() if row[0] == row[1].get("only", row[0])}, "form", "case")
def test_what_counts_is_taken_and_the_rest_is_told(form: str, case: Case, course: Course, tmp_path: Path) -> None:
    given = {name: "answer" if told is None else told for name, told in case["files"].items()}
    files = {name: told if isinstance(told, bytes) else str(told).encode() for name, told in given.items()}
    files |= {f"{number:04}{case['many'][1]}": b"{" for number in range(case.get("many", [0])[0])}
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "softmax.py").write_text("bob's")
    submission = read_submission(hand_in(files, case.get("links", {}), form, tmp_path), course)
    assert submission.name == "alice"
    taken = {
        id: (name[0], name[1].encode()) if isinstance(name, list) else (str(name), files[name].removeprefix(MARK))
        for id, name in case.get("taken", {}).items()
    }
    assert {id: (source.name, source.content) for id, source in submission.sources.items()} == taken
    assert list(submission.sources) == [each.id for each in course.exercises if each.id in taken]
    problems = case.get("problems", [])
    assert [each.kind for each in submission.problems] == [kind for kind, *_ in problems]
    for (_, which, told), problem in zip(problems, submission.problems, strict=True):
        assert which is None or which in (problem.exercise, problem.file)
        assert told in problem.message and problem.message.endswith(".") and len(problem.message) < 200
        assert (problem.file + problem.message).isprintable()


@rows(FILES)
def test_one_file_is_a_submission_or_one_sentence(case: Case, course: Course, tmp_path: Path) -> None:
    path, name = tmp_path / case["name"], case["name"]
    if "text" in case:
        path.write_bytes(case["text"] if isinstance(case["text"], bytes) else case["text"].encode())
    elif "link" in case:
        (tmp_path / "target").write_text("def softmax(): ...")
        path.symlink_to(tmp_path / case["link"])
    elif "pipe" in case:
        os.mkfifo(path)
    if "says" in case:
        with pytest.raises(SubmissionError) as error:
            read_submission(path, course)
        told = str(error.value)
        assert told.startswith(case["says"]) and told.isprintable() and len(told) < 250
        return
    submission = read_submission(path, course)
    (source,) = submission.sources.values()
    assert (source.exercise, source.content) == (case["answers"], case["text"].lstrip("\ufeff").encode())
    assert (submission.name, submission.problems) == (name.removesuffix(".py"), ())


def test_file_that_a_platform_renamed_goes_by_the_name_that_its_learner_gave_it(course: Course) -> None:
    read = read_files("byron", lambda: [("softmax-1.py", lambda _: b"x = 1\n")], course, is_loose=True)
    assert list(read.sources) == ["softmax"]


def test_damaged_zip_among_loose_files_takes_no_other_along(course: Course) -> None:
    files = [("a.zip", lambda _: b"no zip"), ("softmax.py", lambda _: b"x = 1\n")]
    read = read_files("ada", lambda: files, course, is_loose=True)
    assert list(read.sources) == ["softmax"]
    assert [each.message for each in read.problems] == ["a.zip is damaged or not a zip; zip your files again."]


@pytest.mark.parametrize("name", ["softmax.py", "a.zip", "work.ipynb"])
def test_loose_file_that_the_system_does_not_open_is_no_fault_of_its_learner(name: str, course: Course) -> None:
    lost = UnreadableError("does not exist", is_systems=True)
    with pytest.raises(OutOfReach, match=f"^{name} does not exist\\.$"):
        read_files("ada", lambda: [(name, lost), ("causal_mask.py", lambda _: b"")], course, is_loose=True)


def test_named_file_that_cannot_be_read_is_a_problem_of_its_exercise(tmp_path: Path, course: Course) -> None:
    (tmp_path / "softmax.py").write_bytes(b"\xff")
    submission = read_submission(tmp_path / "softmax.py", course)
    assert submission.sources == {}
    assert [(problem.kind, problem.exercise) for problem in submission.problems] == [("unreadable", "softmax")]


def test_source_is_never_run(work: Path, course: Course, tmp_path: Path) -> None:
    for name in ("softmax.py", "sitecustomize.py"):
        (work / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    read_submission(work, course)
    assert not (tmp_path / "ran").exists()


@rows(CELLS)
def test_what_counts_is_taken_of_a_notebook_and_the_rest_is_told(
    case: Case, notebook: Callable[..., Path], course: Course
) -> None:
    cells = [cell if isinstance(cell, dict) else {"text": cell} for cell in case["cells"]]
    written = [
        {
            "cell_type": each.get("type", "code"),
            "metadata": {"nbgrader": each.get("nbgrader", {})},
            "source": each["text"],
        }
        for each in cells
    ]
    submission = read_submission(notebook(*written), course)
    taken: dict[str, tuple[str, str]] = {}
    for id, told in case.get("taken", {}).items():
        if isinstance(told, dict):
            number, text = told["cell"], told["text"]
        else:
            number, before = told if isinstance(told, list) else (told, "")
            text = before + "".join(cells[number - 1]["text"])
        taken[id] = (f"work.ipynb, cell {number}", text)
    assert submission.name == "work"
    assert {id: (each.name, each.content.decode()) for id, each in submission.sources.items()} == taken
    problems = case.get("problems", [])
    assert [(each.kind, each.exercise) for each in submission.problems] == [(kind, id) for kind, id, _ in problems]
    assert all(told in each.message for (*_, told), each in zip(problems, submission.problems, strict=True))
