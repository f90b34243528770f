"""A workspace of one's own: commands find it from anywhere in it, and no update of the course touches the work in it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

NOBODY = 65534
needs_root = pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give files away")

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture
def workspace(tiny_course: Path, kata: Run, tmp_path: Path) -> Path:
    done = kata("init", tmp_path / "mine", "--course", tiny_course, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "mine"


def share_in(workspace: Path) -> Path:
    return workspace / "exercises/01_parts/01_share.py"


def test_a_workspace_has_stubs_and_lessons_and_no_answers(workspace: Path) -> None:
    files = {str(path.relative_to(workspace)) for path in workspace.rglob("*") if path.is_file()}
    assert files == {
        ".kata/workspace.json",
        "README.md",
        "exercises/01_parts/01_share.py",
        "exercises/01_parts/README.md",
    }
    assert "NotImplementedError" in share_in(workspace).read_text()


def test_its_readme_says_what_to_type_and_links_every_lesson(workspace: Path) -> None:
    page = (workspace / "README.md").read_text()
    assert "kata watch " in page and "kata check share " in page
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert links == ["exercises/01_parts/README.md"] and all((workspace / each).is_file() for each in links)


def test_its_readme_is_brought_up_to_date_until_it_is_the_learners(
    workspace: Path, tiny_course: Path, kata: Run, tmp_path: Path
) -> None:
    page, catalogue = workspace / "README.md", tiny_course / "course.yml"
    assert "docs/glossary.md" not in page.read_text()
    (tiny_course / "docs").mkdir()
    (tiny_course / "docs/glossary.md").write_text("# Names\n")
    kata("init", workspace, "--course", tiny_course, cwd=tmp_path)
    assert "docs/glossary.md" in page.read_text() and (workspace / "docs/glossary.md").read_text() == "# Names\n"
    page.write_text("my notes\n")
    catalogue.write_text(catalogue.read_text().replace("title:", "title: New", 1))
    kata("init", workspace, "--course", tiny_course, cwd=tmp_path)
    assert page.read_text() == "my notes\n"


def test_a_readme_that_was_there_before_is_kept(tiny_course: Path, kata: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "README.md").write_text("my notes\n")
    assert kata("init", mine, "--course", tiny_course, cwd=tmp_path).returncode == 0
    assert (mine / "README.md").read_text() == "my notes\n"


@pytest.mark.thorough
@pytest.mark.parametrize("folder", [".", "exercises", "exercises/01_parts"])
def test_commands_work_from_any_folder_below(workspace: Path, kata: Run, folder: str) -> None:
    share_in(workspace).write_text(RIGHT)
    done = kata("check", "share", cwd=workspace / folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 exercise" in kata(cwd=workspace / folder).stdout.replace("exercises", "exercise")


@pytest.mark.thorough
def test_the_course_stays_as_it_is(workspace: Path, tiny_course: Path, kata: Run) -> None:
    share_in(workspace).write_text(RIGHT)
    kata("check", cwd=workspace)
    assert "NotImplementedError" in (tiny_course / "exercises/01_parts/01_share.py").read_text()
    assert not (tiny_course / ".kata").exists()


def test_an_update_renews_what_is_untouched_and_keeps_what_is_changed(
    workspace: Path, tiny_course: Path, kata: Run, make_course: Callable[..., Path], tmp_path: Path
) -> None:
    share_in(workspace).write_text(WRONG)
    make_course(tiny_course, "01_parts/01_share", "01_parts/02_portion")
    done = kata("init", workspace, "--course", tiny_course, cwd=tmp_path)
    assert "1 new exercise, 0 renewed, 1 of yours kept" in done.stdout
    assert share_in(workspace).read_text() == WRONG
    stub = workspace / "exercises/01_parts/02_portion.py"
    solution = tiny_course / "solutions/01_parts/02_portion.py"
    solution.write_text(solution.read_text().replace("Parts of a whole", "Portions of a whole"))
    done = kata("init", workspace, "--course", tiny_course, cwd=tmp_path)
    assert "0 new exercises, 1 renewed, 1 of yours kept" in done.stdout
    assert "Portions of a whole" in stub.read_text()


@pytest.mark.thorough
def test_work_stays_the_exercises_when_the_course_moves_it_to_another_unit(
    workspace: Path,
    tiny_course: Path,
    kata: Run,
    run_command: Run,
    make_course: Callable[..., Path],
    tmp_path: Path,
) -> None:
    share_in(workspace).write_text(RIGHT)
    shutil.rmtree(tiny_course)
    make_course(tiny_course, "01_parts/01_portion", "02_more/03_share")
    done = kata("init", workspace, "--course", tiny_course, cwd=tmp_path)
    assert "1 new exercise, 0 renewed, 1 of yours kept" in done.stdout
    assert share_in(workspace).read_text() == RIGHT
    assert not (workspace / "exercises/02_more/03_share.py").exists()
    for named in ("share", "exercises/01_parts/01_share.py"):
        done = kata("check", named, cwd=workspace)
        assert done.returncode == 0, done.stdout + done.stderr
    done = run_command(sys.executable, "-m", "pytest", "-q", "exercises/01_parts/01_share.py", cwd=workspace)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_folder_of_the_course_is_no_workspace(tiny_course: Path, kata: Run) -> None:
    for folder in (tiny_course, tiny_course / "mine"):
        done = kata("init", folder, cwd=tiny_course)
        assert (done.returncode, "choose a folder of your own" in done.stderr) == (2, True)


def test_a_folder_with_another_course_is_no_workspace(tmp_path: Path, tiny_course: Path, kata: Run) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/course.yml").write_text("title: Other\n")
    done = kata("init", "other", cwd=tmp_path)
    assert (done.returncode, "holds a course.yml" in done.stderr) == (2, True)


@needs_root
def test_folder_of_somebody_else_becomes_no_workspace(tmp_path: Path, tiny_course: Path, kata: Run) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", NOBODY, -1)
    done = kata("init", "theirs", cwd=tmp_path)
    assert done.returncode == 2 and "belongs to another user" in done.stderr
    assert not list((tmp_path / "theirs").iterdir())


@pytest.mark.parametrize("how", [shutil.move, shutil.copytree], ids=["moved", "copied"])
def test_a_workspace_may_be_moved_and_copied(
    how: Callable[[Path, Path], object], workspace: Path, tmp_path: Path, kata: Run
) -> None:
    share_in(workspace).write_text(RIGHT)
    assert kata("check", "share", cwd=workspace).returncode == 0
    how(workspace, tmp_path / "elsewhere/deep")
    assert "1 of 1 exercise" in kata(cwd=tmp_path / "elsewhere/deep/exercises").stdout.replace("exercises", "exercise")
    share_in(tmp_path / "elsewhere/deep").write_text(WRONG)
    assert kata("check", "share", cwd=tmp_path / "elsewhere/deep").returncode == 1


def test_it_is_found_through_a_link_to_the_folder(workspace: Path, tmp_path: Path, kata: Run) -> None:
    (tmp_path / "link").symlink_to(workspace)
    assert "(share)" in kata("list", cwd=tmp_path / "link/exercises").stdout


@pytest.mark.parametrize("command", [[], ["check"], ["list"], ["next"], ["hint", "softmax"]], ids=" ".join)
def test_outside_of_it_a_sentence_says_what_to_do(command: list[str], tmp_path: Path, kata: Run) -> None:
    done = kata(*command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "You are not in a workspace. Go to yours with cd, or make one: kata init ~/attention\n"


@pytest.mark.thorough
@pytest.mark.parametrize("content", ["{", "[]", '{"given": 1}', "[" * 100_000], ids=["cut off", "none", "odd", "deep"])
def test_a_damaged_file_in_the_workspace_costs_nothing(
    workspace: Path, tiny_course: Path, kata: Run, content: str
) -> None:
    share_in(workspace).write_text(WRONG)
    (workspace / ".kata/workspace.json").write_text(content)
    assert kata("list", cwd=workspace).returncode == 0
    done = kata("init", workspace, "--course", tiny_course, cwd=workspace)
    assert (done.returncode, "1 of yours kept" in done.stdout) == (0, True), done.stderr
    assert share_in(workspace).read_text() == WRONG


@pytest.mark.thorough
def test_the_page_is_written_even_when_nothing_can_be_noted(workspace: Path, tiny_course: Path, kata: Run) -> None:
    (tiny_course / "exercises/01_parts/01_share.py").write_text(RIGHT)
    (tiny_course / ".kata").write_text("a file where the folder should be")
    done = kata("report", cwd=tiny_course)
    assert (done.returncode, "could not be noted" in done.stderr) == (0, True), done.stderr
    assert "<h1" in (tiny_course / "report.html").read_text()


@pytest.mark.thorough
def test_plain_pytest_checks_a_workspace_and_remembers(workspace: Path, run_command: Run) -> None:
    share_in(workspace).write_text(WRONG)
    pytest_command = [Path(sys.executable).with_name("pytest"), "-p", "no:cacheprovider"]
    done = run_command(*pytest_command, cwd=workspace)
    assert done.returncode == 1
    assert "You divided by one sum of everything." in done.stdout
    share_in(workspace).write_text(RIGHT)
    assert run_command(*pytest_command, "exercises/01_parts/01_share.py", cwd=workspace).returncode == 0
    known = json.loads((workspace / ".kata/progress.json").read_text())
    assert [each["status"] for each in known["exercises"]["share"]["attempts"]] == ["failed", "passed"]
