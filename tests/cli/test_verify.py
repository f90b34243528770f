"""What an author got wrong in a kit is told with file and line. What `kata verify` prints: tests/transcripts/verify.txt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.kit import incomplete, misfits, write_stubs
from grader.course import load_course

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
