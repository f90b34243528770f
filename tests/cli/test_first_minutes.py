"""What can be pasted works, and the shell completes. What is told of wrong folders and files: tests/transcripts."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.thorough
def test_the_file_that_is_given_as_an_example_is_taken(tiny_course: Path, kata: Run, run_command: Run) -> None:
    (tiny_course / "odd.csv").write_text("who,marks\nada,3\n", "utf-8")
    learner = tiny_course / "class" / "Ada Byron" / "share.py"
    learner.parent.mkdir(parents=True)
    learner.write_text("def share(amounts): ...\n", "utf-8")
    words = ["grade-class", "class", "--out", "OUT", "--isolation", "best", "--roster"]
    example = kata(*words, "odd.csv", cwd=tiny_course).stderr.partition("This writes one that works: ")[2].strip()
    assert run_command("bash", "-c", example, cwd=tiny_course).returncode == 0
    done = kata(*words, "example.csv", cwd=tiny_course)
    assert done.returncode == 0, done.stderr


# --- completion ------------------------------------------------------------------------------------------------------


def completed(cold_kata: Run, cwd: Path, *words: str) -> list[str]:
    """What bash is offered for the last of the words."""
    line = ["kata", *words]
    env = {"_KATA_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(line), "COMP_CWORD": str(len(line) - 1)}
    done = cold_kata(cwd=cwd, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        pytest.param(["gra"], ["grade", "grade-class"], id="a command"),
        pytest.param(["check", "sh"], ["share"], id="an exercise"),
        pytest.param(["check", "01"], ["01_parts"], id="a unit"),
        pytest.param(["hint", "s"], ["share", "split"], id="two exercises"),
        pytest.param(["verify", "share", "sp"], ["split"], id="one more exercise"),
        pytest.param(["grade", "x", "--only", "sp"], ["split"], id="an option's exercise"),
        pytest.param(["grade", "x", "--isolation", "r"], ["reduced"], id="a level"),
        pytest.param(["new", "x", "--unit", "0"], ["01_parts"], id="an option's unit"),
        pytest.param(["check", "zz"], [], id="nothing"),
    ],
)
def test_the_shell_completes(
    words: list[str], offered: list[str], tmp_path: Path, make_course: Callable[..., Path], cold_kata: Run
) -> None:
    root = make_course(tmp_path / "course", "01_parts/01_share", "01_parts/02_split")
    assert completed(cold_kata, root, *words) == offered


def test_a_broken_course_completes_nothing_and_says_nothing(tiny_course: Path, cold_kata: Run) -> None:
    (tiny_course / "course.yml").write_text("title: [", "utf-8")
    assert completed(cold_kata, tiny_course, "check", "sh") == []


def test_completing_an_exercise_loads_no_torch(tiny_course: Path, run_command: Run) -> None:
    code = (
        "import atexit, sys; from grader.cli import main; sys.argv = ['kata'];"
        "atexit.register(lambda: print('torch' if 'torch' in sys.modules else 'light', file=sys.stderr)); main()"
    )
    env = {"_KATA_COMPLETE": "complete_bash", "COMP_WORDS": "kata check sh", "COMP_CWORD": "2"}
    done = run_command(_python(), "-c", code, cwd=tiny_course, env=env)
    assert (done.stdout.split(), done.stderr.split()) == (["share"], ["light"])


def _python() -> str:
    import sys

    return sys.executable


def test_bash_takes_what_is_installed(tiny_course: Path, cold_kata: Run, run_command: Run) -> None:
    """As it is after `kata --install-completion`, in a real bash."""
    program = Path(_python()).with_name("kata")
    script = (
        f'PATH="{program.parent}:$PATH"; export HOME="$PWD"; kata --install-completion >/dev/null; . ~/.bashrc; '
        "COMP_WORDS=(kata check sh); COMP_CWORD=2; _kata_completion kata sh check; echo ${COMPREPLY[@]}"
    )
    done = run_command("bash", "--norc", "-c", script, cwd=tiny_course)
    assert done.stdout.split() == ["share"], done.stderr
