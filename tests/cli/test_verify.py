"""`kata verify`: the author's gate names everything that an exercise's kit lacks."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.kit import incomplete, misfits, write_stubs
from grader.course import load_course

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.thorough
def test_complete_kit_holds(tiny_course: Path, kata: Run) -> None:
    done = kata("verify", cwd=tiny_course)
    assert done.returncode == 0, done.stdout + done.stderr
    # the reference at four levels, the stub, three mistakes, three alternatives
    assert "All hold" in done.stdout and "11 files graded" in done.stdout


@pytest.mark.thorough
def test_every_missing_part_is_named_with_the_file_to_write(tiny_course: Path, kata: Run) -> None:
    kit = "01_parts/01_share"
    for part in ("solutions", "exercises"):
        (tiny_course / part / f"{kit}.py").unlink()
    shutil.rmtree(tiny_course / "tests/kits" / kit)
    (tiny_course / "exercises/01_parts/README.md").write_text("# Parts\n")
    done = kata("verify", cwd=tiny_course)
    assert done.returncode == 1, done.stderr
    *problems, sum_line = done.stdout.splitlines()
    assert all(line.startswith("share: ") for line in problems)
    assert [word for line in problems for word in line.split() if "/" in word] == [
        f"solutions/{kit}.py",
        f"tests/kits/{kit}/checks.py",
        f"tests/kits/{kit}/mistakes.py",
        f"exercises/{kit}.py",
        f"tests/kits/{kit}/alternatives.py",
        "exercises/01_parts/README.md",
    ]
    assert sum_line.startswith("6 to mend")


FLAWED = "harmless", "stale", "strict", "misnamed", "curious", "choosy"
ASKS_ONCE_MORE = """    if parts.tolist() != [0.25, 0.25, 0.5]:
        learner.outputs(function("curious", torch.tensor([3.0, 5.0])))
    expect("""
ASKS_WHAT_CAME = """    learner.outputs(function("choosy", parts))
    expect("""


@pytest.fixture(scope="module")
def flawed(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Run) -> tuple[int, str]:
    """Status and output for a course with a flaw in each of its complete kits."""
    kits = [f"01_parts/0{number}_{id}" for number, id in enumerate(FLAWED, 1)]
    root = make_course(tmp_path_factory.mktemp("flawed"), *kits)
    bank = root / "tests/kits/01_parts/01_harmless/mistakes.py"
    bank.write_text(
        bank.read_text() + "MISTAKES.append(Mistake('other-way', 'It is right.', 'test_example', "
        "[('amounts / total', 'amounts * (1 / total)')]))\n"
        "MISTAKES.append(Mistake('no-check', 'It is right.', edits=[('amounts / total', 'amounts * total**-1')]))\n"
    )
    (root / "exercises/01_parts/02_stale.py").write_text("def stale(amounts): ...\n")
    with (root / "tests/kits/01_parts/03_strict/alternatives.py").open("a") as alternatives:
        alternatives.write('ALTERNATIVES["whole"] = "def strict(amounts):\\n    return amounts / amounts.sum()\\n"\n')
    bank = root / "tests/kits/01_parts/04_misnamed/mistakes.py"
    bank.write_text(
        bank.read_text()
        .replace('"columns", "', '"rows", "', 1)
        .replace('"test_example"', '"test_amounts_are_left_alone"')
    )
    checks = root / "tests/kits/01_parts/05_curious/checks.py"
    checks.write_text(checks.read_text().replace("    expect(", ASKS_ONCE_MORE, 1))
    checks = root / "tests/kits/01_parts/06_choosy/checks.py"
    checks.write_text(checks.read_text().replace("    expect(", ASKS_WHAT_CAME, 1))
    done = kata("verify", "--seed", 3, cwd=root)
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize(
    "problem",
    [
        pytest.param("harmless, other-way: not caught by test_example (failed: nothing)", id="mistake nothing catches"),
        pytest.param(
            "harmless, no-check: not caught by test_every_row_by_itself (failed: nothing)", id="nor the main check"
        ),
        pytest.param(
            "stale: the stub is not made from the solution: run `kata verify stale --write-stubs`", id="stale stub"
        ),
        pytest.param("strict, whole: test_every_row_by_itself refuses a right answer", id="refused alternative"),
        pytest.param(
            "misnamed, largest: not caught by test_amounts_are_left_alone (failed: test_every_row_by_itself, test_example)",
            id="caught by another check than the bank says",
        ),
        pytest.param(
            "curious: test_example, first at largest: The grader failed at this check (GraderBroken: it asks something else "
            "than it asks the reference, tests/kits/01_parts/05_curious/checks.py:",
            id="asks mistakes more",
        ),
        pytest.param(
            "choosy, largest: test_example: its question 2 is not the one that it asks the reference",
            id="asks mistakes something else",
        ),
    ],
)
def test_flaw_is_named(problem: str, flawed: tuple[int, str]) -> None:
    status, output = flawed
    assert status == 1
    assert problem in output


@pytest.mark.thorough
def test_stale_stub_is_written_anew_when_asked(tiny_course: Path, kata: Run) -> None:
    stub = tiny_course / "exercises/01_parts/01_share.py"
    due = stub.read_text()
    stub.write_text("def share(amounts): ...\n")
    done = kata("verify", "share", "--write-stubs", cwd=tiny_course)
    assert done.returncode == 0, done.stdout + done.stderr
    assert stub.read_text() == due


@pytest.mark.thorough
def test_points_that_do_not_add_up_are_told(tiny_course: Path, kata: Run) -> None:
    yml = tiny_course / "course.yml"
    yml.write_text(yml.read_text().replace("points: 4", "points: 5"))
    done = kata("verify", cwd=tiny_course)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert "4 points" in done.stdout + done.stderr and "5" in done.stdout + done.stderr


KIT = "01_parts/01_share"
CHECKS, BANK, SOLUTION = f"tests/kits/{KIT}/checks.py", f"tests/kits/{KIT}/mistakes.py", f"solutions/{KIT}.py"
EXAMPLE = """of its row.

    >>> share(torch.tensor([1.0, 1.0, 2.0]))
    tensor([0.2500, 0.2500, 0.6000])
"""


@pytest.mark.parametrize(
    ("file", "before", "after", "line_with", "told"),
    [
        pytest.param(
            *(BANK, '"test_example"', '"test_exmple"', '"largest"'),
            "caught_by='test_exmple' of 'largest' is no check of the exercise: did you mean `test_example`?",
            id="a misspelt caught_by",
        ),
        pytest.param(
            *(BANK, '"test_example"', '"nothing_like_it"', '"largest"'),
            "there are test_example, test_every_row_by_itself, test_amounts_are_left_alone",
            id="a caught_by that looks like no check",
        ),
        pytest.param(
            *(BANK, '[(SUM, "amounts.sum()")]', '[("amounts.summ", "amounts.sum()")]', '"whole-sum"'),
            "the mistake 'whole-sum': 'amounts.summ' occurs 0 times in the reference: copy it from there",
            id="an edit that does not fit",
        ),
        pytest.param(
            *(BANK, '[(SUM, "amounts.sum()")]', '[("amounts", "amounts.sum()")]', '"whole-sum"'),
            "occurs 3 times in the reference: take more of the line, or set everywhere=True",
            id="an edit that fits too often",
        ),
        pytest.param(
            *(BANK, "MISTAKES = [", "MISTAKES = [[", "MISTAKES = [["),
            "SyntaxError: '[' was never closed. Mend that line",
            id="a bank that is no Python",
        ),
        pytest.param(
            *(BANK, '(SUM, "amounts.amax', '(SUMM, "amounts.amax', '"largest"'),
            "NameError: name 'SUMM' is not defined. Mend that line",
            id="a typo in a bank",
        ),
        pytest.param(
            *(BANK, '"columns", "', '"whole-sum", "', "You summed the columns"),
            "'whole-sum' is the id of two mistakes: rename one",
            id="an id twice",
        ),
        pytest.param(
            *(BANK, '"You summed the columns."', '""', '"columns"'),
            "'columns' has no message: write what the learner probably did",
            id="no message",
        ),
        pytest.param(
            *(BANK, '"You summed the columns."', '"TODO"', "TODO"),
            'still to write: Mistake("columns", "TODO"',
            id="a message TODO",
        ),
        pytest.param(
            *(CHECKS, "def test_example(learner):", "def test_example(learner:", "def test_example"),
            "SyntaxError: '(' was never closed. Mend that line",
            id="checks that are no Python",
        ),
        pytest.param(
            *(CHECKS, "import expect, function", "import expct, function", "import expct"),
            "ImportError: cannot import name 'expct'",
            id="a typo in an import",
        ),
        pytest.param(
            *(CHECKS, '@points(1, role="manners")\n', "", "def test_amounts_are_left_alone"),
            "test_amounts_are_left_alone has no @points: write above it what it is worth",
            id="a check without points",
        ),
        pytest.param(
            *(CHECKS, '    """The amounts that were passed in are not changed."""\n', "", "def test_amounts"),
            "test_amounts_are_left_alone has no docstring: write the sentence that a learner reads",
            id="a check without a sentence",
        ),
        pytest.param(
            *(CHECKS, "_alone(learner, draw)", "_alone(learner, draw, tmp_path)", '@points(1, role="manners")'),
            "test_amounts_are_left_alone gets `learner` and `draw`, and there is no `tmp_path`",
            id="a check that asks for something else",
        ),
        pytest.param(
            *(SOLUTION, "of its row.", EXAMPLE, ">>> share"),
            "the example gives tensor([0.2500, 0.2500, 0.5000]), and not tensor([0.2500, 0.2500, 0.6000])",
            id="an example that is wrong",
        ),
        pytest.param(
            *(SOLUTION, "of its row.", EXAMPLE.replace("share(", "shar("), ">>> shar("),
            "the example ends with NameError: name 'shar' is not defined",
            id="an example that ends with an error",
        ),
    ],
)
def test_what_an_author_got_wrong_is_told_once_with_its_file_and_line(
    file: str, before: str, after: str, line_with: str, told: str, tiny_course: Path
) -> None:
    change(tiny_course / file, before, after)
    course = load_course(tiny_course / "course.yml")
    (exercise,) = course.exercises
    write_stubs(course, [exercise])
    (sentence,) = incomplete(course, exercise) or misfits(course, exercise)
    lines = (tiny_course / file).read_text().splitlines()
    line = next(number for number, each in enumerate(lines, 1) if line_with in each)
    assert f"{file}:{line}" in sentence and told in sentence, sentence


FAMILY = """\
from grader.judge.authoring import Mistake

SMALLEST = [("amounts.sum(dim=-1, keepdim=True)", "amounts.amin(-1, True)")]


def smallest():
    return Mistake("smallest", "TODO", "test_example", SMALLEST)
"""


def test_a_family_is_unfinished_only_for_the_banks_that_take_from_it(
    tmp_path: Path, make_course: Callable[..., Path]
) -> None:
    root = make_course(tmp_path / "two", "01_parts/01_share", "01_parts/02_split")
    family = root / "tests/kits/families/sums.py"
    family.parent.mkdir()
    family.write_text(FAMILY)
    change(root / BANK, "MISTAKES = [", "MISTAKES = [\n    sums.smallest(),")
    change(root / BANK, "from grader", "from families import sums\nfrom grader")
    course = load_course(root / "course.yml")
    (sentence,) = incomplete(course, course.exercise("share"))
    assert sentence.startswith('tests/kits/families/sums.py:7: still to write: return Mistake("smallest"')
    assert incomplete(course, course.exercise("split")) == []


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


@pytest.mark.thorough
def test_a_typo_in_a_check_is_told_once_however_many_files_are_graded(tiny_course: Path, kata: Run) -> None:
    change(tiny_course / CHECKS, "draw.uniform(3, 4", "drw.uniform(3, 4")
    done = kata("verify", cwd=tiny_course)
    assert done.returncode == 1 and not done.stderr
    sentence, total = done.stdout.splitlines()
    line = next(n for n, each in enumerate((tiny_course / CHECKS).read_text().splitlines(), 1) if "drw" in each)
    assert f"NameError: name 'drw' is not defined, {CHECKS}:{line}). Mend that line" in sentence
    assert total.startswith("1 to mend")


def test_an_example_may_use_what_other_exercises_define(tmp_path: Path, make_course: Callable[..., Path]) -> None:
    root = make_course(tmp_path / "two", "01_parts/01_share", "01_parts/02_split")
    example = EXAMPLE.replace("share(", "split(").replace("0.6000", "0.5000")
    change(root / SOLUTION, "of its row.", example)
    course = load_course(root / "course.yml")
    assert misfits(course, course.exercise("share")) == []


def test_right_examples_hold_however_they_are_aligned_and_random_ones_are_only_run(
    tiny_course: Path,
) -> None:
    path = tiny_course / SOLUTION
    right = EXAMPLE.replace("0.6000", "0.5000").replace("[0.2500, ", "[ 0.2500,    ")
    path.write_text(
        path.read_text().replace("of its row.", f"{right}    >>> torch.rand(1)  # for instance\n    tensor([2.])\n")
    )
    course = load_course(tiny_course / "course.yml")
    assert misfits(course, course.exercise("share")) == []


@pytest.mark.thorough
def test_kits_without_faults_are_proved_beside_one_with_a_fault(
    tmp_path: Path, make_course: Callable[..., Path], kata: Run
) -> None:
    root = make_course(tmp_path / "two", "01_parts/01_share", "01_parts/02_split")
    bank = root / BANK
    bank.write_text(bank.read_text().replace('"test_example"', '"test_exmple"'))
    with (root / "tests/kits/01_parts/02_split/alternatives.py").open("a") as alternatives:
        alternatives.write('ALTERNATIVES["whole"] = "def split(x):\\n    return x / x.sum()\\n"\n')
    done = kata("verify", cwd=root)
    assert done.returncode == 1 and not done.stderr
    first, *others = done.stdout.splitlines()
    assert "test_exmple" in first
    assert any(line.startswith("split, whole: test_every_row_by_itself refuses a right answer") for line in others)
