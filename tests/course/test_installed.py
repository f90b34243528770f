"""Which course is used: the one that was named, else the installed one. A wheel's is unpacked, once, and whenever it is not whole."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

from grader.course import CourseError, load_course
from grader.course.installed import course_file, installed_course, is_wheels, packed, unpacked
from grader.sandbox.levels import exposed

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


# --- unpacking ---------------------------------------------------------------------------------------------------------

FILES = {"course.yml": b"title: Tiny\n", "tests/kits/checks.py": b"WANTED = 1\n", "solutions/share.py": b"x = 2\n"}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def write(folder: Path, files: dict[str, bytes]) -> Path:
    name, content = packed(files)
    (folder / name).write_bytes(content)
    return folder / name


@pytest.fixture
def sealed(tmp_path: Path, cache: Path) -> Path:
    return write(tmp_path, FILES)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_everything_comes_back_in_a_folder_of_the_users_own(sealed: Path, cache: Path) -> None:
    folder = unpacked(sealed)
    assert contents(folder) == FILES
    assert folder.is_relative_to(cache)
    assert sys.platform == "win32" or stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith(".")] == [".lock"]


def test_same_files_give_the_same_name_and_others_another() -> None:
    assert packed(FILES) == packed(dict(reversed(FILES.items())))
    assert packed(FILES)[0] != packed({**FILES, "course.yml": b"title: Other\n"})[0]


def test_a_whole_folder_is_left_as_it_is(sealed: Path) -> None:
    folder = unpacked(sealed)
    (folder / "__pycache__").mkdir()
    before = folder.stat()
    assert unpacked(sealed).stat() == before and (folder / "__pycache__").is_dir()


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda folder: (folder / "course.yml").unlink(), id="a file is gone"),
        pytest.param(lambda folder: (folder / "course.yml").write_bytes(b"title: T"), id="cut short"),
    ],
)
def test_a_damaged_folder_is_made_again(damage: Callable[[Path], None], sealed: Path) -> None:
    damage(unpacked(sealed))
    assert contents(unpacked(sealed)) == FILES


def test_a_damaged_file_is_one_sentence_and_leaves_nothing(sealed: Path, cache: Path) -> None:
    sealed.write_bytes(sealed.read_bytes().replace(b"course.yml", b"course.yaml", 1))
    with pytest.raises(CourseError, match=r"cannot be unpacked into .* Install the wheel again\.$"):
        unpacked(sealed)
    assert contents(cache / "attention-kata" / "courses") in ({}, {".lock": b""})


def test_many_at_once_get_the_same_whole_folder(sealed: Path) -> None:
    with ThreadPool(8) as pool:
        folders = pool.map(lambda _: (folder := unpacked(sealed), contents(folder)), range(16))
    assert all(each == (folders[0][0], FILES) for each in folders)


def test_the_sandbox_does_not_show_it(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert exposed(unpacked(sealed)) is None
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert exposed(Path.home() / ".cache" / "attention-kata" / "courses") is None
