"""What a command loads, which commands there are, and the shell's completion. What is told: tests/transcripts, tests/golden."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.app import app

from ..cases import rows, table

Run = Callable[..., "subprocess.CompletedProcess[str]"]

# --- what a command loads ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["check share", "list", "next", "hint share", ""], ids=lambda words: words or "kata"
)
def test_what_nobody_has_to_be_asked_for_loads_no_torch(command: str, tiny_course: Path, run_command: Run) -> None:
    done = run_command(sys.executable, "-X", "importtime", "-m", "grader", *command.split(), cwd=tiny_course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "grader.cli.app" in loaded(done) and not {"torch", "numpy"} & loaded(done)


def loaded(done: subprocess.CompletedProcess[str]) -> set[str]:
    """The modules that a process with -X importtime has imported."""
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


@pytest.mark.thorough
def test_the_roster_that_is_given_as_an_example_is_taken(tiny_course: Path, kata: Run, run_command: Run) -> None:
    (tiny_course / "odd.csv").write_text("who,marks\nada,3\n", "utf-8")
    learner = tiny_course / "class" / "Ada Byron" / "share.py"
    learner.parent.mkdir(parents=True)
    learner.write_text("def share(amounts): ...\n", "utf-8")
    words = ["grade-class", "class", "--out", "OUT", "--isolation", "best", "--roster"]
    example = kata(*words, "odd.csv", cwd=tiny_course).stderr.partition("This writes one that works: ")[2].strip()
    assert run_command("bash", "-c", example, cwd=tiny_course).returncode == 0
    done = kata(*words, "example.csv", cwd=tiny_course)
    assert done.returncode == 0, done.stderr


# --- kata --help ------------------------------------------------------------------------------------------------------


def test_in_a_wheel_learners_see_their_own_commands_and_a_line_about_the_others(
    tmp_path: Path, run_command: Run
) -> None:
    (tmp_path / "carried_course").mkdir()
    program = (
        f"import grader, sys; grader.__file__ = {str(tmp_path / '__init__.py')!r}; from grader.cli import main; main()"
    )
    done = run_command(sys.executable, "-c", program, "--help", cwd=tmp_path)
    told = " ".join(done.stdout.split())
    assert "Learn" in told and "Teach" not in told, done.stderr
    assert "To teach or to write a course: grade, grade-class," in told
    assert run_command(sys.executable, "-c", program, "grade", "--help", cwd=tmp_path).returncode == 0


def test_every_command_has_a_line_that_fits_there() -> None:
    lines = [str(each.callback.__doc__).partition("\n\n")[0] for each in app.registered_commands]
    assert [line for line in lines if len(line) > 63 or "\n" in line] == []


# --- completion ------------------------------------------------------------------------------------------------------


def asked(*words: str) -> dict[str, str]:
    """The variables with which bash asks for the last of the words."""
    line = ["kata", *words]
    return {"_KATA_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(line), "COMP_CWORD": str(len(line) - 1)}


@pytest.mark.thorough
@rows(table(__file__, "cases.yml")["completion"], "words", "offered")
def test_the_shell_completes(
    words: list[str], offered: list[str], tmp_path: Path, make_course: Callable[..., Path], kata: Run
) -> None:
    root = make_course(tmp_path / "course", "01_parts/01_share", "01_parts/02_split")
    done = kata(cwd=root, env=asked(*words))
    assert (done.returncode, done.stdout.split()) == (0, offered), done.stderr


def test_a_broken_course_completes_nothing_and_says_nothing(tiny_course: Path, cold_kata: Run) -> None:
    (tiny_course / "course.yml").write_text("title: [", "utf-8")
    done = cold_kata(cwd=tiny_course, env=asked("check", "sh"))
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_completing_an_exercise_loads_no_torch(tiny_course: Path, run_command: Run) -> None:
    code = "import sys; from grader.cli import main; sys.argv = ['kata']; main()"
    done = run_command(sys.executable, "-X", "importtime", "-c", code, cwd=tiny_course, env=asked("check", "sh"))
    assert done.stdout.split() == ["share"]
    assert "grader.cli.app" in loaded(done) and "torch" not in loaded(done)


def test_bash_takes_what_is_installed(tiny_course: Path, run_command: Run) -> None:
    """As it is after `kata --install-completion`, in a real bash."""
    program = Path(sys.executable).with_name("kata")
    script = (
        f'PATH="{program.parent}:$PATH"; export HOME="$PWD"; kata --install-completion >/dev/null; . ~/.bashrc; '
        "COMP_WORDS=(kata check sh); COMP_CWORD=2; _kata_completion kata sh check; echo ${COMPREPLY[@]}"
    )
    done = run_command("bash", "--norc", "-c", script, cwd=tiny_course)
    assert done.stdout.split() == ["share"], done.stderr
