"""What cannot be done as it was asked: status 2 and one plain sentence."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and then nothing of a zip")
    (tmp_path / "notes.txt").write_text("no submission")
    (tmp_path / "empty").mkdir()
    (tmp_path / "lena").mkdir()
    (tmp_path / "lena" / "share.py").write_text("def share(amounts): ...\n")
    return tmp_path


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["grade", "nowhere"], "nowhere does not exist", id="missing path"),
        pytest.param(["grade", "broken.zip"], "damaged or not a zip", id="broken zip"),
        pytest.param(["grade", "notes.txt"], "is not a folder, a .py file", id="neither folder nor file of a kind"),
        pytest.param(["grade", "lena", "--only", "shaer"], "did you mean `share`?", id="misspelt exercise"),
        pytest.param(["grade", "lena", "--isolation", "ful"], "full, reduced, process, none", id="misspelt level"),
        pytest.param(["grade", "lena", "--seed", 2**53], "seed", id="seed too large for JSON"),
        pytest.param(["grade", "lena", "--course", "empty"], "course.yml", id="no course where it is said to be"),
        pytest.param(["grade-class", "nowhere", "--out", "out"], "nowhere does not exist", id="missing class"),
        pytest.param(["grade-class", "empty", "--out", "out"], "holds no submission", id="empty class"),
        pytest.param(["grade-class", ".", "--out", "out", "--only", "shaer"], "`share`", id="misspelt in a class"),
        pytest.param(["check", "shaer"], "did you mean `share`?", id="misspelt exercise to check"),
        pytest.param(["check", "nowhere/share.py"], "share.py does not exist", id="missing file to check"),
        pytest.param(["verify", "shaer"], "did you mean `share`?", id="misspelt exercise to verify"),
    ],
)
def test_is_refused_in_one_sentence(
    arguments: list[object], told: str, course: Path, desk: Path, kata: Run, refusal: Callable[..., str]
) -> None:
    here = [] if "--course" in arguments else ["--course", course]
    assert told in refusal(kata(*arguments, *here, cwd=desk), 2)
    assert not (desk / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [["grade", "exercises"], ["check"], ["grade-class", "exercises", "--out", "out"], ["verify"]],
    ids=lambda a: a[0],
)
def test_broken_course_is_told_with_every_line_at_once(arguments: list[str], tiny_course: Path, kata: Run) -> None:
    yml = tiny_course / "course.yml"
    yml.write_text(yml.read_text().replace("points: 4", "points: many").replace("kind: implement", "kind: implemnt"))
    done = kata(*arguments, cwd=tiny_course)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert all(line.startswith("course.yml:") for line in (first, second))
    assert "`kind`" in first and "`points`" in second


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["grade"], "Missing argument 'PATH'", id="no path"),
        pytest.param(["grade", "lena", "--seed", "lots"], "--seed", id="seed in words"),
        pytest.param(["grade-class", "lena", "--out", "out", "--jobs", 0], "--jobs", id="no jobs"),
        pytest.param(["grad"], "Did you mean 'grade'", id="misspelt command"),
    ],
)
def test_usage_is_explained(arguments: list[object], told: str, desk: Path, kata: Run) -> None:
    done = kata(*arguments, cwd=desk)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr and "Traceback" not in done.stderr


@pytest.mark.thorough
def test_record_that_cannot_be_written_is_told(
    desk: Path, course: Path, kata: Run, refusal: Callable[..., str]
) -> None:
    arguments = ["--isolation", "none", "--json", "nowhere/record.json", "--course", course]
    done = kata("grade", "lena", *arguments, cwd=desk)
    assert done.returncode == 2
    assert "nowhere/record.json" in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr
