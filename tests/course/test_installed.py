"""Which course is used: the one that was named, else the installed one."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import CourseError, load_course
from grader.course.installed import course_file, installed_course, is_wheels

ROOT = Path(__file__).parents[2]


def test_the_clone_is_the_course_of_a_program_installed_from_it() -> None:
    assert course_file() == installed_course() == ROOT / "course.yml"


def test_the_environment_names_another(tiny_course: Path) -> None:
    assert course_file() == tiny_course / "course.yml"
    assert load_course(course_file()).title == "Tiny"


def test_what_is_named_with_the_command_comes_first(tiny_course: Path) -> None:
    assert course_file(ROOT) == course_file(ROOT / "course.yml") == ROOT / "course.yml"


@pytest.mark.parametrize("value", [".", "course", "../course/course.yml"])
def test_a_relative_path_in_the_environment_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATA_COURSE", value)
    with pytest.raises(CourseError, match="must be a whole path"):
        course_file()
    assert course_file(ROOT) == ROOT / "course.yml"


def test_an_empty_variable_names_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KATA_COURSE", "")
    assert course_file() == ROOT / "course.yml"


@pytest.mark.parametrize(("name", "fault"), [(".", "holds no course.yml"), ("gone", "does not exist")])
def test_a_place_without_a_course_is_told_with_what_was_expected(name: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(CourseError) as refused:
        course_file(tmp_path / name)
    assert str(refused.value) == (
        f"{tmp_path / name} {fault}. Expected is the folder of a course, such as: --course {ROOT}"
    )


def test_a_wheels_course_is_known_from_the_clone_around_the_package() -> None:
    assert is_wheels(ROOT / "grader/carried_course") and not is_wheels(ROOT)
