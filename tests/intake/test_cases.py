"""What is taken of a submission, and what is said of the rest: cases.yml, once as a folder and once as a zip."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.course import Course
from grader.intake import read_submission

CASES: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("cases.yml").read_text("utf-8"))
MARK = "\ufeff".encode()


def content_of(told: Any) -> bytes:
    if isinstance(told, dict):
        content: bytes = told["bytes"].encode("latin-1")
        return content
    return b"answer" if told is None else str(told).encode()


def hand_in(files: dict[str, bytes], form: str, place: Path) -> Path:
    folder = place / "alice"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    if form == "folder":
        return folder
    with zipfile.ZipFile(place / "alice.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return place / "alice.zip"


@pytest.mark.parametrize("form", ["folder", "zip"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_counts_is_taken_and_the_rest_is_told(
    case: dict[str, Any], form: str, course: Course, tmp_path: Path
) -> None:
    files = {name: content_of(told) for name, told in case["files"].items()}
    submission = read_submission(hand_in(files, form, tmp_path), course)
    assert submission.name == "alice"
    taken = {id: str(name) for id, name in case.get("taken", {}).items()}
    assert {id: source.name for id, source in submission.sources.items()} == taken
    assert list(submission.sources) == [each.id for each in course.exercises if each.id in taken]
    for id, name in taken.items():
        assert submission.sources[id].content == files[name].removeprefix(MARK)
    problems = case.get("problems", [])
    assert [each.kind for each in submission.problems] == [kind for kind, *_ in problems]
    for (_, which, told), problem in zip(problems, submission.problems, strict=True):
        assert which is None or which in (problem.exercise, problem.file)
        assert told in problem.message and problem.message.endswith(".") and len(problem.message) < 200
