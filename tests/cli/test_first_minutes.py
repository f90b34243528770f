"""A wrong folder, a wrong file, a missing column: told with what was expected, what is there, and what can be pasted."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

ANSWER = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
DUE = "policy:\n  due:\n    01_parts: 2026-03-01 12:00 +00:00\n"
COMMON = ("--isolation", "best")


@pytest.fixture(scope="module")
def set_up(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Run) -> Path:
    """A folder with a course, a class, results and files of all kinds."""
    tmp_path = tmp_path_factory.mktemp("desk")
    course = make_course(tmp_path / "course", "01_parts/01_share")
    with (course / "course.yml").open("a", encoding="utf-8") as catalogue:
        catalogue.write(DUE)
    for learner in ("ada", "bo"):
        (tmp_path / "SUBMISSIONS" / learner).mkdir(parents=True)
        (tmp_path / "SUBMISSIONS" / learner / "share.py").write_text(ANSWER, "utf-8")
    done = kata("grade-class", "SUBMISSIONS", "--out", "OUT", "--course", course, *COMMON, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "lonely.py").write_text(ANSWER, "utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd.csv").write_text("who,marks\nada,3\n", "utf-8")
    (tmp_path / "nothing.csv").write_text("", "utf-8")
    (tmp_path / "class.xlsx").write_bytes(b"PK\x03\x04\0\0\0\0")
    return tmp_path


@pytest.fixture
def desk(set_up: Path, use_course: Callable[[Path, Path], None], tmp_path: Path) -> Path:
    """A copy that a test may change."""
    use_course(tmp_path / "desk", tmp_path / "desk/course")
    return Path(shutil.copytree(set_up, tmp_path / "desk"))


GRADE_CLASS = ["grade-class", "SUBMISSIONS", "--out", "OUT2", *COMMON]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "found", "expected", "example"),
    [
        pytest.param(
            ["grade", "lonly.py", *COMMON],
            "in this folder there is OUT",
            "one learner's folder, zip, notebook or file",
            "kata grade lonely.py",
            id="a misspelt file to grade",
        ),
        pytest.param(
            ["grade", "SUBMISSIONS/add", *COMMON],
            "in SUBMISSIONS there is ada, bo",
            "one learner's folder",
            "kata grade SUBMISSIONS/ada",
            id="a misspelt folder to grade",
        ),
        pytest.param(
            ["grade-class", "SUBMISSION", "--out", "OUT2", *COMMON],
            "SUBMISSION does not exist",
            "a folder with one folder, zip, notebook or file a learner",
            "kata grade-class SUBMISSIONS --out OUT",
            id="a misspelt class",
        ),
        pytest.param(
            ["grade-class", "lonely.py", "--out", "OUT2", *COMMON],
            "lonely.py is not a folder",
            "a folder with one folder, zip, notebook or file a learner",
            "kata grade lonely.py",
            id="a file for a class",
        ),
        pytest.param(
            ["grade-class", "empty", "--out", "OUT2", *COMMON],
            "empty holds no submission",
            "one of these a learner",
            "",
            id="an empty class",
        ),
        pytest.param(
            ["export", "SUBMISSIONS", "--format", "csv"],
            "SUBMISSIONS holds no class.db; in SUBMISSIONS there is ada, bo",
            "the folder into which a class was graded",
            "kata export OUT --format csv",
            id="an export of the submissions",
        ),
        pytest.param(
            ["grade", "lonely.py", *COMMON, "--course", "empty"],
            "empty holds no course.yml",
            "the folder of a course",
            "",
            id="no course",
        ),
        pytest.param(
            [*GRADE_CLASS, "--roster", "odd.csv"],
            "its first line is 'who,marks'",
            "column for ids, names or emails",
            "printf 'id,name,email\\n1815,Ada Byron,ada@uni.example\\n' > example.csv",
            id="a roster without a column",
        ),
        pytest.param(
            [*GRADE_CLASS, "--roster", "nothing.csv"],
            "it is empty",
            "column for ids, names or emails",
            "printf ",
            id="an empty roster",
        ),
        pytest.param(
            [*GRADE_CLASS, "--roster", "class.xlsx"],
            "class.xlsx is not text, perhaps a spreadsheet",
            "save it there as CSV in UTF-8",
            "",
            id="a spreadsheet for a roster",
        ),
        pytest.param(
            [*GRADE_CLASS, "--roster", "empty"],
            "empty cannot be read (Is a directory)",
            "a CSV file is expected",
            "",
            id="a folder for a roster",
        ),
        pytest.param(
            ["export", "OUT", "--format", "csv", "--roster", "odd.csv"],
            "its first line is 'who,marks'",
            "column for ids, names or emails",
            "printf 'id,name,email\\n",
            id="an export's roster without a column",
        ),
    ],
)
def test_what_was_expected_what_is_there_and_what_to_type_is_told(
    arguments: list[str], found: str, expected: str, example: str, desk: Path, kata: Run, refusal: Callable[..., str]
) -> None:
    course = [] if "--course" in arguments else ["--course", "course"]
    sentence = refusal(kata(*arguments, *course, cwd=desk), 2)
    assert found in sentence and expected in sentence and example in sentence
    assert not (desk / "OUT2").exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["grade", "lonly.py", *COMMON], id="grade"),
        pytest.param(["grade-class", "SUBMISSION", "--out", "OUT2", *COMMON], id="grade-class"),
        pytest.param(["export", "SUBMISSIONS", "--format", "csv"], id="export"),
    ],
)
def test_the_command_that_is_given_as_an_example_works_as_it_stands(
    arguments: list[str], desk: Path, kata: Run, refusal: Callable[..., str]
) -> None:
    sentence = refusal(kata(*arguments, "--course", "course", cwd=desk), 2)
    example = re.sub(r"--out OUT$", "--out FRESH", sentence.partition("such as: ")[2])
    program, *words = shlex.split(example)
    isolated = COMMON if words[0].startswith("grade") else ()
    done = kata(*words, *isolated, "--course", "course", cwd=desk)
    assert program == "kata" and done.returncode == 0, done.stderr


@pytest.mark.thorough
def test_the_file_that_is_given_as_an_example_is_taken(desk: Path, kata: Run, run_command: Run) -> None:
    refused = kata(*GRADE_CLASS, "--roster", "odd.csv", "--course", "course", cwd=desk)
    example = refused.stderr.partition("This writes one that works: ")[2].strip()
    assert run_command("bash", "-c", example, cwd=desk).returncode == 0
    shutil.copytree(desk / "SUBMISSIONS" / "ada", desk / "HERS" / "Ada Byron")
    words = ["HERS" if each == "SUBMISSIONS" else each for each in GRADE_CLASS]
    done = kata(*words, "--roster", "example.csv", "--course", "course", cwd=desk)
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
