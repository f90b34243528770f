"""A passed exercise whose file is changed for the worse, reset, renamed or deleted: `kata` and `kata list` say so."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = RIGHT.replace("-1, keepdim=True", "")


@pytest.fixture(scope="module")
def just_passed(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Run) -> Path:
    """A course in which the one exercise was just passed."""
    course = make_course(tmp_path_factory.mktemp("passed") / "tiny", "01_parts/01_share")
    (course / "exercises" / "01_parts" / "01_share.py").write_text(RIGHT)
    assert kata("check", "share", cwd=course).returncode == 0
    return course


@pytest.fixture
def file(just_passed: Path, tmp_path: Path) -> Iterator[Path]:
    """The exercise's file there; what a test changes is put back after it."""
    shutil.copytree(just_passed, tmp_path / "kept")
    yield just_passed / "exercises" / "01_parts" / "01_share.py"
    shutil.rmtree(just_passed)
    shutil.copytree(tmp_path / "kept", just_passed)


def told(kata: Run, file: Path) -> list[str]:
    """What `kata` and `kata list` print about it."""
    outputs = [kata(*command, cwd=file.parent).stdout for command in ((), ("list",))]
    assert all("1 of 1" in output for output in outputs), "once passed stays passed"
    return outputs


def worse(file: Path, kata: Run) -> None:
    file.write_text(WRONG)
    kata("check", "share", cwd=file.parent)


def unchecked(file: Path, kata: Run) -> None:
    file.write_text(WRONG)


def set_back(file: Path, kata: Run) -> None:
    kata("reset", "share", cwd=file.parent)


def renamed(file: Path, kata: Run) -> None:
    file.rename(file.with_name("share_old.py"))


def deleted(file: Path, kata: Run) -> None:
    file.unlink()


@pytest.mark.parametrize(
    ("change", "remark"),
    [
        pytest.param(worse, "its file fails now: kata check share", id="worse"),
        pytest.param(unchecked, "its file has changed since: kata check share", id="changed and not checked"),
        pytest.param(set_back, "its file is as it was given again", id="reset"),
        pytest.param(renamed, "its file is gone: kata reset share gives a new one", id="renamed"),
        pytest.param(deleted, "its file is gone: kata reset share gives a new one", id="deleted"),
    ],
)
def test_change_is_told(change: Callable[[Path, Run], None], remark: str, file: Path, kata: Run) -> None:
    change(file, kata)
    assert all(remark in output for output in told(kata, file))


def same(file: Path, kata: Run) -> None:
    file.write_text(RIGHT)


def better(file: Path, kata: Run) -> None:
    file.write_text("# shorter\n" + RIGHT)
    kata("check", "share", cwd=file.parent)


def right_again(file: Path, kata: Run) -> None:
    worse(file, kata)
    file.write_text(RIGHT)


@pytest.mark.parametrize("change", [same, better, right_again])
def test_nothing_is_told_of_a_file_that_passes(change: Callable[[Path, Run], None], file: Path, kata: Run) -> None:
    change(file, kata)
    assert not any("its file" in output for output in told(kata, file))


def test_nothing_is_told_of_what_was_passed_elsewhere(tiny_course: Path, kata: Run) -> None:
    draft = tiny_course / "share.py"
    draft.write_text(RIGHT)
    assert kata("check", "share.py", cwd=tiny_course).returncode == 0
    assert not any("its file" in output for output in told(kata, tiny_course / "exercises" / "01_parts" / "x"))


@pytest.mark.parametrize("option", [[], ["--debug"]], ids=["plain", "debug"])
def test_checking_a_file_that_is_gone_says_how_to_get_one(option: list[str], file: Path, kata: Run) -> None:
    file.unlink()
    done = kata("check", "share", *option, cwd=file.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "01_share.py is not there: `kata reset share` puts the given file in its place.\n"
