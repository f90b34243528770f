"""The failing case as a script, for the real course, and the debugger on it. What else is typed: tests/transcripts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import torch

from grader.course import load_course
from grader.intake import read_submission
from grader.judge.grading import Judge
from grader.practice.script import Script, look_into

from ..cases import rows, table

CASES = table(__file__, "cases.yml")
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

ROOT = Path(__file__).parents[2]
FILE = Path("exercises", "01_parts", "01_share.py")

WRONG = """\
def share(amounts):
    largest = amounts.max()
    return amounts / largest
"""


# --- the real course -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def look_at(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Script, Done]]:
    """Writes and runs the script of an exercise's reference, with a text of it replaced."""
    course, folder = load_course(ROOT / "course.yml"), tmp_path_factory.mktemp("work")

    def look(id: str, old: str = "", new: str = "") -> tuple[Script, Done]:
        exercise = course.exercise(id)
        file = folder / exercise.file_name
        file.write_text(course.solution_path(exercise).read_text("utf-8").replace(old or "\0", new), "utf-8")
        with closing(Judge(course, "full", 5, [id])) as judge:
            _, fault, _ = look_into(judge, read_submission(file, course))
        assert fault is not None
        script = Script(file, fault, f"{id} --script")
        script.write()
        command = [sys.executable, script.path]
        return script, subprocess.run(command, cwd=folder, env={}, capture_output=True, encoding="utf-8", timeout=100)

    return look


@pytest.mark.thorough
def test_class_gets_the_checks_weights_from_a_file_beside_the_script(
    look_at: Callable[..., tuple[Script, Done]],
) -> None:
    script, done = look_at("self_attention", "** -0.5", "** -1")
    saved = torch.load(script.path.with_suffix(".pt"), weights_only=True)
    assert saved["weights"]["linear_q.weight"].shape == (64, 64) and saved["x"].shape == (2, 100, 64)
    assert "shape (2, 100, 64)" in done.stdout and " of 12800 numbers differ." in done.stdout, done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("id", [each.id for each in load_course(ROOT / "course.yml").exercises])
def test_every_exercise_has_a_script_of_at_most_40_lines_that_its_reference_satisfies(
    id: str, look_at: Callable[..., tuple[Script, Done]]
) -> None:
    script, done = look_at(id)
    assert len(script.text.splitlines()) <= 40
    assert done.returncode == 0, done.stderr
    is_random = id == "attention_dropout"
    assert is_random or "0 of " in done.stdout or "expected" not in script.text or 'print("expected:"' in script.text


# --- the debugger ----------------------------------------------------------------------------------------------------


@pytest.fixture
def debug(tiny_course: Path, cold_kata: Run) -> Callable[..., Done]:
    """Debugs a file with some content; the commands are typed one after another."""

    def run(source: str, *commands: str) -> Done:
        (tiny_course / FILE).write_text(source)
        return cold_kata("check", "--debug", "share", cwd=tiny_course, stdin="\n".join([*commands, "q\n"]))

    return run


@pytest.mark.thorough
def test_debugger_opens_at_the_first_line_and_what_is_expected_is_one_frame_up(debug: Callable[..., Done]) -> None:
    done = debug(WRONG, "p amounts.tolist()", "n", "p largest", "u", "p expected.tolist()")
    assert done.returncode == 1, done.stderr
    before, _, after = done.stdout.partition("(Pdb)")
    assert "It stops at the first line of `share`" in before
    assert "01_share.py(2)share()" in before and before.splitlines()[-1] == "-> largest = amounts.max()"
    assert after.startswith(" [1.0, 1.0, 2.0]") and "tensor(2.)" in after and "[0.25, 0.25, 0.5]" in after


@pytest.mark.thorough
@rows(CASES["stops"], "source", "line")
def test_debugger_opens_where_one_wants_to_look(source: str, line: str, debug: Callable[..., Done]) -> None:
    before = debug(source).stdout.partition("(Pdb)")[0]
    assert line in before.splitlines()[-2], before


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("old", "new", "place"),
    [("self.d_out**0.5", "self.d_out", "forward()"), ("self.W_key", "self.W_keys", "__init__()")],
    ids=["wrong numbers", "another name for a layer"],
)
def test_class_is_debugged_in_forward_or_in_its_constructor(
    old: str, new: str, place: str, cold_kata: Run, tmp_path: Path
) -> None:
    assert cold_kata("init", "work", "--course", ROOT, cwd=tmp_path).returncode == 0
    file = next(tmp_path.rglob("07_causal_attention.py"))
    solution = (ROOT / "solutions" / "03_masks_and_dropout" / "07_causal_attention.py").read_text("utf-8")
    file.write_text(solution.replace(old, new))
    done = cold_kata("check", "--debug", "causal_attention", cwd=tmp_path / "work", stdin="q\n")
    assert place in done.stdout.partition("(Pdb)")[0], done.stdout
