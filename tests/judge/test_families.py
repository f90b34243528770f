"""Banks that take mistakes from families."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course
from grader.judge.families import FromFamily
from grader.judge.faults import BankError
from grader.judge.mistakes import Mistake, load_bank

COURSE = load_course(Path(__file__).parents[2] / "course.yml")
IMPORT = "from grader.judge.authoring import Mistake, from_family\n"
FAMILY = """
FAMILY = [
    Mistake("plus", "$what was added.", caught_by="$check", edits=[("$what * 2", "$what + 2")]),
    Mistake("whole", "All of $what.", caught_by="test_whole", source="def f($what): pass\\n", same_as="$twin"),
]
"""
WORDS = """
WORDS = {"what": "x", "check": "test_f"}
"""

WriteBank = Callable[..., Path]


@pytest.fixture
def write_bank(tmp_path: Path) -> WriteBank:
    """Write a bank, and beside its unit a family called `sums`."""

    def write(bank: str, family: str = FAMILY) -> Path:
        kits = tmp_path / "tests" / "kits"
        path = kits / "01_unit" / "01_f" / "mistakes.py"
        for place, text in ((path, bank), (kits / "families" / "sums.py", family)):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(IMPORT + text, "utf-8")
        return path

    return write


def test_mistakes_of_a_family_speak_the_words_of_the_bank(write_bank: WriteBank) -> None:
    bank = write_bank(WORDS + 'MISTAKES = [from_family("sums", "plus")]\n')
    (mistake,) = load_bank(bank)
    assert mistake == Mistake("plus", "x was added.", caught_by="test_f", edits=[("x * 2", "x + 2")])
    assert mistake.source_from("def f(x): return x * 2\n") == "def f(x): return x + 2\n"


def test_they_stand_where_the_bank_takes_them(write_bank: WriteBank) -> None:
    own = 'Mistake("{}", "It is wrong.", caught_by="test_f", edits=[("a", "b")])'
    bank = write_bank(f"{WORDS}MISTAKES = [{own.format('one')}, from_family('sums', 'plus'), {own.format('two')}]\n")
    assert [mistake.id for mistake in load_bank(bank)] == ["one", "plus", "two"]


def test_words_of_one_place_go_before_those_of_the_bank(write_bank: WriteBank) -> None:
    here = 'from_family("sums", "whole", what="y", twin="plus")'
    plus, whole = load_bank(write_bank(f'{WORDS}MISTAKES = [from_family("sums", "plus"), {here}]\n'))
    assert plus.message == "x was added."
    assert (whole.message, whole.source, whole.same_as) == ("All of y.", "def f(y): pass\n", "plus")


@pytest.mark.parametrize(
    ("bank", "told"),
    [
        pytest.param(
            WORDS + 'MISTAKES = [from_family("sum", "plus")]',
            "tests/kits/01_unit/01_f/mistakes.py: there is no families/sum.py: did you mean `sums`?",
            id="no such family",
        ),
        pytest.param(
            WORDS + 'MISTAKES = [from_family("sums", "plos")]',
            "tests/kits/01_unit/01_f/mistakes.py: families/sums.py has no mistake 'plos': did you mean `plus`?",
            id="no such mistake",
        ),
        pytest.param(
            'WORDS = {"what": "x"}\nMISTAKES = [from_family("sums", "plus")]',
            "tests/kits/01_unit/01_f/mistakes.py: families/sums.py needs the word 'check' for 'plus', so add it to WORDS",
            id="a word is missing",
        ),
        pytest.param(
            'MISTAKES = [from_family("sums", "plus")]',
            "tests/kits/01_unit/01_f/mistakes.py: families/sums.py needs the word 'what' for 'plus', so add it to WORDS",
            id="no words at all",
        ),
        pytest.param(
            'WORDS = {"what": "x", "check": "test_f", "chekc": "y"}\nMISTAKES = [from_family("sums", "plus")]',
            "tests/kits/01_unit/01_f/mistakes.py: no family that it takes mistakes from has the word 'chekc' of WORDS",
            id="a word that nothing asks for",
        ),
        pytest.param(
            WORDS + 'MISTAKES = [from_family("sums", "plus", tokens="n")]',
            "tests/kits/01_unit/01_f/mistakes.py: what it takes from families/sums.py has no word 'tokens'",
            id="a word of one place that nothing asks for",
        ),
        pytest.param(
            'WORDS = ["x"]\nMISTAKES = [from_family("sums", "plus")]', "tests/kits/01_unit/01_f/mistakes.py: WORDS must be a dict of texts", id="words in a list"
        ),
        pytest.param(
            'WORDS = {"what": 3}\nMISTAKES = [from_family("sums", "plus")]', "tests/kits/01_unit/01_f/mistakes.py: WORDS must be a dict of texts", id="a number"
        ),
        pytest.param(
            WORDS + 'MISTAKES = [from_family("sums", "plus", "plus")]', "tests/kits/01_unit/01_f/mistakes.py: 'plus' is taken twice: take it once", id="taken twice"
        ),
    ],
)  # fmt: skip
def test_a_bank_that_takes_what_is_not_there_is_told_in_one_sentence(
    bank: str, told: str, write_bank: WriteBank
) -> None:
    with pytest.raises(BankError) as caught:
        load_bank(write_bank(bank))
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("family", "told"),
    [
        pytest.param("", "families/sums.py: FAMILY must be a list of Mistake", id="empty"),
        pytest.param("FAMILY = [1]", "families/sums.py: FAMILY must be a list of Mistake", id="no mistakes"),
        pytest.param(
            "FAMILY = [Mistake('plus', 'x', caught_by='t')] * 2",
            "families/sums.py:2 too: rename one",
            id="same id twice",
        ),
        pytest.param(
            "FAMILY = [Mistake('plus', 'It costs 3 $.', caught_by='t')]",
            "families/sums.py: mistake 'plus' has a $ that no word follows",
            id="a $ by itself",
        ),
    ],
)
def test_a_broken_family_is_told_in_one_sentence(family: str, told: str, write_bank: WriteBank) -> None:
    with pytest.raises(BankError) as caught:
        load_bank(write_bank('MISTAKES = [from_family("sums", "plus")]', family))
    assert str(caught.value).endswith(told) and "\n" not in str(caught.value)


def test_every_family_of_the_course_serves_two_banks_and_each_of_its_mistakes_one() -> None:
    served: dict[str, set[str]] = {}
    for exercise in COURSE.exercises:
        bank = runpy.run_path(str(COURSE.mistakes_path(exercise)))
        for taken in bank["MISTAKES"]:
            if isinstance(taken, FromFamily):
                for place in (taken.family, *(f"{taken.family}: {id}" for id in taken.ids)):
                    served.setdefault(place, set()).add(exercise.id)
    families = {path.stem: runpy.run_path(str(path))["FAMILY"] for path in COURSE.families()}
    assert families and all(len(served.get(name, ())) >= 2 for name in families)
    assert [
        f"{name}: {each.id}"
        for name, family in families.items()
        for each in family
        if f"{name}: {each.id}" not in served
    ] == []
