"""Makes the wheel that learners install: the program with a course, whole and sealed, or with plans for its answers.

Either is tested before it is written: with the course in it, every reference must pass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course import FILE_NAME, Course, load_course
from grader.course.installed import packed
from grader.errors import KataError
from grader.files import write_file
from grader.intake import SourceFile, Submission
from grader.judge.expected import quietly
from grader.judge.grading import Judge
from grader.judge.seeds import seed_for
from grader.record import MAX_SEED, Record

from .planning import plans_of
from .wheel import course_files, wheel_of

README = """\
The file beside this one is the course, with solutions, checks and known mistakes. It is packed so that nobody reads an
answer by accident. That is no secret: it is an ordinary zip. `kata solution ID` shows an answer after you have passed.
"""


@dataclass(frozen=True)
class LearnersWheel:
    """A wheel: its file name, its content, and the number of checks in it."""

    name: str
    content: bytes
    checks: int


def learners_wheel(
    course: Course, *, with_answers: bool, advance: Callable[[str], None] = lambda exercise: None
) -> LearnersWheel:
    """Make the wheel of a course; `advance` is called with each planned exercise.

    with_answers: the whole course, sealed. Else plans take the place of solutions and known mistakes.
    Raises KataError when a reference does not pass, CourseError, GraderBroken for unusable checks or mistakes, OSError.
    """
    if with_answers:
        files = course_files(course)
        name, content = packed(files)
        carried = {name: content, "README.txt": README.encode()}
    else:
        carried = files = planned_course(course, advance)
    checks = _tried(course, files)
    return LearnersWheel(*wheel_of(carried, "answers" if with_answers else "plans"), checks)


def planned_course(course: Course, advance: Callable[[str], None] = lambda exercise: None) -> dict[str, bytes]:
    """The files of the course with plans in place of its answers. Raises as `learners_wheel` does."""
    seed = own_seed(course)
    return {**course_files(course, planned_seed=seed), **plans_of(course, seed, advance)}


def own_seed(course: Course) -> int:
    """The seed of the plans: it follows from the course, where a class's seed is drawn at random."""
    digest, _ = packed(course_files(course))
    return int(Path(digest).stem, 16) % (MAX_SEED + 1)


def _tried(course: Course, files: Mapping[str, bytes]) -> int:
    """The number of checks in these files. Raises KataError when a reference does not pass one of them."""
    references = {
        each.id: SourceFile(each.id, each.file_name, course.solution_path(each).read_bytes())
        for each in course.exercises
    }
    records: list[Record] = []
    with tempfile.TemporaryDirectory(prefix="kata-release-") as folder, quietly():
        for path, content in files.items():
            write_file(Path(folder) / path, content)
        made = load_course(Path(folder) / FILE_NAME)
        judge = Judge(made, "none", seed_for(made))
        judge.grade([Submission("reference", references, ())], records.append)
    checks = [(result.id, check) for record in records for result in record.exercises for check in result.checks]
    conversing = {(id, check.name) for id, kit in judge.kits.items() for check in kit.checks if check.worth.converses}
    for id, check in checks:
        needs_answers = check.outcome == "skipped" and (id, check.name) in conversing
        if check.outcome != "passed" and not needs_answers:
            raise KataError(f"{id}: the reference does not pass {check.name}: {check.message}")
    return len(checks)
