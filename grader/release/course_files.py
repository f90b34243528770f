"""Collects the files of a course that go out: all of them, or those that give no answer away."""

from __future__ import annotations

from pathlib import Path

from grader.course import FILE_NAME, Course
from grader.course.part import catalogue_of
from grader.course.stubs import stub_of
from grader.practice.workspace import LESSON_FILES


def course_files(course: Course, planned_seed: int | None = None) -> dict[str, bytes]:
    """The files by their path in the course, with a course.yml of these exercises only.

    planned_seed: leave out solutions, known mistakes and alternatives; plans for this seed are to take their place.
    Raises CourseError for a solution of which no stub can be made, OSError when a file cannot be read.
    """
    whole = planned_seed is None
    files = {FILE_NAME: catalogue_of(course if whole else course.model_copy(update={"planned_seed": planned_seed}))}

    def put(*paths: Path) -> None:
        files.update({path.relative_to(course.root).as_posix(): path.read_bytes() for path in paths if path.is_file()})

    for unit in course.units:
        folder = course.lesson_path(unit).parent
        put(*(path for pattern in LESSON_FILES for path in folder.glob(pattern)))
    put(course.glossary_path, course.root / "LICENSE", *(course.families() if whole else ()))
    for exercise in course.exercises:
        put(course.checks_path(exercise))
        if whole:
            put(course.solution_path(exercise), course.mistakes_path(exercise), course.alternatives_path(exercise))
        files[course.stub_path(exercise).relative_to(course.root).as_posix()] = stub_of(course, exercise).encode()
    return files
