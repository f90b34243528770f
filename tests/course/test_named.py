"""The courses that a user has named are kept where nobody else can write, and believed only as long as that is so."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.registry import config_folder

Run = Callable[..., "subprocess.CompletedProcess[str]"]
NOBODY = 65534

needs_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def config(tmp_path: Path) -> dict[str, str]:
    """A configuration that holds nothing yet."""
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


@pytest.fixture
def work(tmp_path: Path, tiny_course: Path, kata: Run, config: dict[str, str]) -> Path:
    done = kata("init", "work", "--course", tiny_course, cwd=tmp_path, env=config)
    assert done.returncode == 0, done.stderr
    return tmp_path / "work"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config/attention-kata/workspaces.json"


def test_only_the_user_can_read_and_write_it(work: Path, file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert list(json.loads(file.read_text())["workspaces"]) == [str(work)]


def test_nothing_in_the_folder_is_needed_for_it(work: Path, kata: Run, config: dict[str, str]) -> None:
    shutil.rmtree(work / ".kata")
    assert "(share)" in kata("list", cwd=work / "exercises", env=config).stdout


def test_it_is_found_through_a_link_to_the_folder(
    work: Path, tmp_path: Path, kata: Run, config: dict[str, str]
) -> None:
    (tmp_path / "link").symlink_to(work)
    assert "(share)" in kata("list", cwd=tmp_path / "link/exercises", env=config).stdout


def test_another_user_has_named_nothing(work: Path, tmp_path: Path, kata: Run) -> None:
    done = kata("list", cwd=work, env={"XDG_CONFIG_HOME": str(tmp_path / "theirs")})
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{work} is no workspace of yours (yet)" in done.stderr


def test_a_copy_of_a_workspace_is_none(work: Path, tmp_path: Path, kata: Run, config: dict[str, str]) -> None:
    shutil.copytree(work, tmp_path / "copy")
    done = kata("list", cwd=tmp_path / "copy", env=config)
    assert done.returncode == 2 and f"kata init {tmp_path / 'copy'}" in done.stderr


def test_two_folders_have_their_own_courses(
    work: Path, tmp_path: Path, make_course: Callable[..., Path], kata: Run, config: dict[str, str]
) -> None:
    other = make_course(tmp_path / "other", "01_parts/01_portion", named=False)
    assert kata("init", "second", "--course", other, cwd=tmp_path, env=config).returncode == 0
    assert "(share)" in kata("list", cwd=work, env=config).stdout
    assert "(portion)" in kata("list", cwd=tmp_path / "second", env=config).stdout


def test_many_folders_named_at_once_are_all_kept(
    tmp_path: Path, tiny_course: Path, config: dict[str, str], file: Path
) -> None:
    script = (
        "import sys; from pathlib import Path; from grader.registry import register; register(*map(Path, sys.argv[1:]))"
    )
    names = [tmp_path / f"work{number}" for number in range(8)]
    for name in names:
        name.mkdir()
    running = [
        subprocess.Popen([sys.executable, "-c", script, name, tiny_course / "course.yml"], env={**os.environ, **config})
        for name in names
    ]
    assert [each.wait(60) for each in running] == [0] * 8
    assert set(json.loads(file.read_text())["workspaces"]) == set(map(str, names))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        pytest.param(lambda file: file.chmod(0o666), "can be changed by others", id="a file that others can write"),
        pytest.param(lambda file: file.parent.chmod(0o777), "can be changed by others", id="such a folder"),
        pytest.param(lambda file: os.chown(file, NOBODY, -1), "belongs to another user", id="a file of others", marks=needs_root),
        pytest.param(lambda file: os.chown(file.parent, NOBODY, -1), "belongs to another user", id="their folder", marks=needs_root),
        pytest.param(lambda file: file.write_text("{"), "is damaged", id="half a file"),
        pytest.param(lambda file: file.write_text('{"workspaces": {"/x": {"course": 1}}}'), "is damaged", id="odd"),
        pytest.param(lambda file: file.write_text("[" * 100_000), "is damaged", id="deep"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_believed_names_no_course(
    spoil: Callable[[Path], object],
    sentence: str,
    work: Path,
    tiny_course: Path,
    file: Path,
    kata: Run,
    config: dict[str, str],
) -> None:
    spoil(file)
    done = kata("list", cwd=work, env=config)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1
    assert "(share)" in kata("list", "--course", tiny_course, cwd=work, env=config).stdout  # a name is a name


@needs_root
def test_folder_or_course_that_changed_hands_is_refused(
    work: Path, tiny_course: Path, kata: Run, config: dict[str, str]
) -> None:
    os.chown(tiny_course / "course.yml", NOBODY, -1)
    done = kata("list", cwd=work, env=config)
    assert (done.returncode, "another owner" in done.stderr) == (2, True)
    os.chown(tiny_course / "course.yml", 0, -1)
    os.chown(work, NOBODY, -1)
    done = kata("list", cwd=work, env=config)
    assert (done.returncode, "belongs to another user" in done.stderr) == (2, True)


@needs_root
def test_folder_of_somebody_else_becomes_no_workspace(
    tmp_path: Path, tiny_course: Path, kata: Run, config: dict[str, str]
) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", NOBODY, -1)
    done = kata("init", "theirs", "--course", tiny_course, cwd=tmp_path, env=config)
    assert done.returncode == 2 and "belongs to another user" in done.stderr
    assert not list((tmp_path / "theirs").iterdir())


def test_ones_own_configuration_is_below_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_folder() == tmp_path / ".config/attention-kata"
