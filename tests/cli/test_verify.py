"""What an author got wrong in a kit is told with file and line. What `kata verify` prints: tests/transcripts/verify.txt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grader.authoring.kit import incomplete, misfits, write_stubs
from grader.authoring.verify import wrong_examples
from grader.course import load_course

from ..cases import rows, table

KIT = "01_parts/01_share"
BANK, SOLUTION = f"tests/kits/{KIT}/mistakes.py", f"solutions/{KIT}.py"
EXAMPLE = """of its row.

    >>> share(torch.tensor([1.0, 1.0, 2.0]))
    tensor([0.2500, 0.2500, 0.6000])
"""


@rows(table(__file__, "kit_mistakes.yml"))
def test_what_an_author_got_wrong_is_told_once_with_its_file_and_line(case: dict[str, str], tiny_course: Path) -> None:
    file = case["file"]
    change(tiny_course / file, case["before"], case["after"])
    course = load_course(tiny_course / "course.yml")
    (exercise,) = course.exercises
    write_stubs(course, [exercise])
    (sentence,) = incomplete(course, exercise) or misfits(course, exercise) or wrong_examples(course, exercise)
    lines = (tiny_course / file).read_text().splitlines()
    line = next(number for number, each in enumerate(lines, 1) if case["line_with"] in each)
    assert f"{file}:{line}" in sentence and case["told"] in sentence, sentence


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
    assert wrong_examples(course, course.exercise("share")) == []


def test_right_examples_hold_however_they_are_aligned_and_random_ones_are_only_run(
    tiny_course: Path,
) -> None:
    path = tiny_course / SOLUTION
    right = EXAMPLE.replace("0.6000", "0.5000").replace("[0.2500, ", "[ 0.2500,    ")
    path.write_text(
        path.read_text().replace("of its row.", f"{right}    >>> torch.rand(1)  # for instance\n    tensor([2.])\n")
    )
    course = load_course(tiny_course / "course.yml")
    assert wrong_examples(course, course.exercise("share")) == []
