"""`kata check --debug`: what a learner sees who looks into a failed check, with the debugger's commands typed ahead."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]

ROOT = Path(__file__).parents[2]
KATA = Path(sys.executable).with_name("kata")
FILE = Path("exercises", "01_parts", "01_share.py")

WRONG = """\
def share(amounts):
    print("sharing", tuple(amounts.shape))
    whole = amounts.sum()
    return amounts / whole
"""
STOPS = WRONG.replace("    return", "    breakpoint()\n    return")
STOPS_BY_IMPORT = WRONG.replace("    return", "    import pdb; pdb.set_trace()\n    return")
STOPS_ELSEWHERE = WRONG + "\n\ndef other():\n    breakpoint()\n"
RAISES = WRONG.replace("    return amounts / whole", "    return divided(amounts, whole)") + (
    "\n\ndef divided(amounts, whole):\n    return amounts / whole[0, 0]\n"
)
RIGHT = WRONG.replace("sum()", "sum(-1, keepdim=True)")


@pytest.fixture
def debug(tiny_course: Path, cold_kata: Run) -> Callable[..., Done]:
    """Debugs a file with some content; the commands are typed one after another."""

    def run(source: str, *commands: str, options: tuple[object, ...] = ("share",)) -> Done:
        (tiny_course / FILE).write_text(source)
        typed = "".join(f"{command}\n" for command in commands)
        return cold_kata("check", "--debug", *options, cwd=tiny_course, stdin=typed)

    return run


def test_first_line_of_the_function_is_where_it_stops_with_inputs_and_both_results_at_hand(
    debug: Callable[..., Done],
) -> None:
    done = debug(
        WRONG, "n", "n", "p whole", "p (yours * whole - amounts).abs().max() < 1e-5", "p float(expected[0].sum())", "c"
    )
    assert done.returncode == 1, done.stderr
    before, _, after = done.stdout.partition("(Pdb)")
    assert "Every amount is divided by the sum of its own row." in before
    assert "output = share(argument_1)" in before and "Here is your first line." in before
    assert f"{FILE}(2)share()" in before and '-> print("sharing"' in before
    assert (
        f"{FILE}(4)share()" in after
        and "tensor(True)" in after
        and after.count("(Pdb) 1.0") + after.count("(Pdb) 0.99") == 1
    )


@pytest.mark.thorough
def test_numbers_are_those_of_the_failed_check(debug: Callable[..., Done]) -> None:
    shown = [debug(WRONG, "p amounts.tolist()", "q", options=("share", "--seed", 7)).stdout for _ in range(2)]
    assert shown[0] == shown[1] and "(seed 7)" in shown[0] and "(Pdb) [[" in shown[0]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "line"), [(STOPS, 5), (STOPS_BY_IMPORT, 5)], ids=["breakpoint()", "pdb.set_trace()"]
)
def test_the_learners_own_breakpoint_is_where_it_stops(source: str, line: int, debug: Callable[..., Done]) -> None:
    done = debug(source, "p whole, expected", "c")
    assert "Your own breakpoint is where it stops." in done.stdout
    before, _, after = done.stdout.partition("(Pdb)")
    assert "share()" in before.splitlines()[-2] and "return amounts / whole" in before.splitlines()[-1]
    assert after.startswith(" (tensor(")


@pytest.mark.thorough
def test_breakpoint_that_is_not_reached_is_told_and_it_begins_at_the_first_line(debug: Callable[..., Done]) -> None:
    done = debug(STOPS_ELSEWHERE, "c")
    assert "Your breakpoint was not reached" in done.stdout and f"{FILE}(2)share()" in done.stdout


def test_error_opens_where_it_was_raised_and_up_leads_to_who_called_but_not_to_us(debug: Callable[..., Done]) -> None:
    done = debug(RAISES, "p whole", "u", "p amounts", "u", "w", "q")
    assert done.returncode == 1, done.stderr
    assert "IndexError in line 8, in `divided`" in done.stdout and "Here is where it was raised." in done.stdout
    assert f"{FILE}(8)divided()" in done.stdout and f"{FILE}(4)share()" in done.stdout
    assert "*** Oldest frame" in done.stdout
    assert "site-packages" not in done.stdout and "grader/" not in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("source", [WRONG, RAISES], ids=["wrong", "raises"])
def test_prints_are_seen_of_the_call_that_is_looked_at_only(source: str, debug: Callable[..., Done]) -> None:
    assert debug(source, "c", "c").stdout.count("sharing (") == 1


@pytest.mark.thorough
def test_right_file_prints_and_stops_in_its_first_check(debug: Callable[..., Done]) -> None:
    done = debug(RIGHT)
    assert done.returncode == 0 and "Every check holds." in done.stdout and "sharing (3,)" in done.stdout
    stopped = debug(RIGHT.replace("    return", "    breakpoint()\n    return"), "p whole", "c")
    assert stopped.returncode == 0 and "tensor([4.])" in stopped.stdout


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "said"),
    [
        pytest.param("def share(amounts:\n", "Your file is not valid Python", id="no Python"),
        pytest.param("1 / 0\n", "(1)<module>()", id="raises while it is loaded"),
        pytest.param("def shares(amounts):\n    return amounts\n", "there is a `shares`", id="other name"),
    ],
)
def test_file_that_cannot_be_asked_is_told_as_ever(source: str, said: str, debug: Callable[..., Done]) -> None:
    done = debug(source, "q")
    assert done.returncode == 1 and said in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param((), "--debug looks at one exercise: kata check --debug ID", id="none"),
        pytest.param(("01_parts", "--isolation", "full"), "leave out --isolation", id="behind the wall"),
        pytest.param(("shares",), "share", id="unknown"),
    ],
)
def test_bad_input_is_one_sentence(options: tuple[str, ...], said: str, debug: Callable[..., Done]) -> None:
    done = debug(WRONG, options=options)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def test_untouched_file_has_nothing_to_look_at(tiny_course: Path, cold_kata: Run) -> None:
    done = cold_kata("check", "--debug", "share", cwd=tiny_course)
    assert (done.returncode, done.stderr) == (0, "") and "share is not started yet" in done.stdout


@pytest.mark.thorough
def test_loop_is_stopped_by_the_keyboard_and_the_debugger_opens_in_it(tiny_course: Path) -> None:
    (tiny_course / FILE).write_text(
        "import os, signal\n\n\ndef share(amounts):\n    step = 0\n    while True:\n        step += 1\n"
        "        if step == 1000:\n            os.kill(os.getpid(), signal.SIGINT)\n"
    )
    done = subprocess.run(
        [KATA, "check", "--debug", "share"], cwd=tiny_course, input="p step >= 1000\nq\n", capture_output=True,
        encoding="utf-8", timeout=100, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Stopped by you." in done.stdout and "(Pdb) True" in done.stdout and "share()" in done.stdout


# --- modules of the real course ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def at_causal_attention(tmp_path_factory: pytest.TempPathFactory, kata: Run) -> tuple[Path, Path]:
    """A workspace of the real course, and where its `causal_attention` is."""
    folder = tmp_path_factory.mktemp("learner") / "work"
    done = kata("init", folder, "--course", ROOT, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    return folder, next(folder.rglob("07_causal_attention.py"))


SOLUTION = (ROOT / "solutions" / "03_masks_and_dropout" / "07_causal_attention.py").read_text("utf-8")


def test_module_stops_in_forward_with_the_weights_of_the_check(
    at_causal_attention: tuple[Path, Path], cold_kata: Run
) -> None:
    folder, file = at_causal_attention
    file.write_text(SOLUTION.replace("self.d_out**0.5", "self.d_out"))
    typed = "p x.shape[-1] == self.W_query.in_features, yours.shape == expected.shape\nn\np n\nc\n"
    done = cold_kata("check", "--debug", "causal_attention", cwd=folder, stdin=typed)
    assert "module = CausalAttention(" in done.stdout and "forward()" in done.stdout
    assert "(Pdb) (True, True)" in done.stdout and "__init__" not in done.stdout


@pytest.mark.thorough
def test_wrong_name_of_a_layer_stops_in_the_constructor(at_causal_attention: tuple[Path, Path], cold_kata: Run) -> None:
    folder, file = at_causal_attention
    file.write_text(SOLUTION.replace("self.W_key", "self.W_keys"))
    done = cold_kata("check", "--debug", "causal_attention", cwd=folder, stdin="q\n")
    assert "missing: `W_key.weight`" in done.stdout and "__init__()" in done.stdout


def test_failed_check_says_how_to_step_through_it(tiny_course: Path, kata: Run) -> None:
    (tiny_course / FILE).write_text(WRONG)
    done = kata("check", "share", "--seed", 5, cwd=tiny_course)
    assert "Step through it: kata check --debug share --seed 5" in done.stdout


def test_breakpoint_that_was_left_over_is_told_with_what_answers_it(tiny_course: Path, kata: Run) -> None:
    (tiny_course / FILE).write_text(STOPS)
    done = kata("check", "share", cwd=tiny_course)
    assert done.returncode == 1 and "There is a `breakpoint()` in your code" in done.stdout
    assert "BdbQuit" not in done.stdout
