from pathlib import Path

import pytest

from grader.judge.bank import Mistake, load_bank
from grader.judge.faults import BankError

REFERENCE = "def f(x):\n    return x + 1\n"


def mistake(**options):
    return Mistake("m", "what happened", caught_by="test_f", **options)


def test_an_edit_makes_the_wrong_answer_from_the_reference():
    assert mistake(edits=[("x + 1", "x - 1")]).source_from(REFERENCE) == "def f(x):\n    return x - 1\n"


def test_a_whole_file_stands_for_itself():
    assert mistake(source="def f(x): pass").source_from(REFERENCE) == "def f(x): pass"


@pytest.mark.parametrize(
    "edits",
    [[("y", "z")], [("x", "z")], [], [("x + 1", "x + 1")]],
    ids=["absent", "twice", "none", "no-change"],
)
def test_an_edit_that_does_not_fit_is_told(edits):
    with pytest.raises(BankError):
        mistake(edits=edits).source_from(REFERENCE)


@pytest.mark.parametrize(
    "text",
    ["", "MISTAKES = 3", "MISTAKES = [1]",
     "from grader.judge.authoring import Mistake\nMISTAKES = [Mistake('a', 'x', caught_by='t')] * 2"],
    ids=["empty", "no-list", "no-mistakes", "same-id-twice"],
)  # fmt: skip
def test_a_broken_bank_is_told(tmp_path, text):
    path = tmp_path / "bank.py"
    path.write_text(text)
    with pytest.raises(BankError):
        load_bank(path)


def test_a_missing_bank_is_told(tmp_path):
    with pytest.raises(BankError, match="no bank"):
        load_bank(tmp_path / "bank.py")


FAMILY = """
from grader.judge.authoring import Mistake


def other_sums(check, what):
    return [
        Mistake("plus", f"{what} was added.", check, edits=[(f"{what} * 2", f"{what} + 2")]),
        Mistake("half", f"{what} was halved.", check, edits=[(f"{what} * 2", f"{what} / 2")]),
    ]
"""
BANK = """
from families import sums
from grader.judge.authoring import Mistake, without

MISTAKES = [
    Mistake("minus", "It was subtracted.", "test_f", edits=[("x * 2", "x - 2")]),
    *without(sums.other_sums("test_f", "x"), "half"),
]
"""


def write_kits(root: Path, bank: str = BANK, family: str = FAMILY) -> Path:
    """A bank, and the family `sums` beside its unit."""
    path = root / "tests" / "kits" / "01_unit" / "01_f" / "mistakes.py"
    for place, text in ((path, bank), (root / "tests" / "kits" / "families" / "sums.py", family)):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return path


def test_a_bank_takes_mistakes_from_the_families_of_its_own_course(tmp_path):
    other = write_kits(tmp_path / "other", family=FAMILY.replace("was added", "came on top"))
    one = write_kits(tmp_path / "one")
    assert [each.message for each in load_bank(other)] == ["It was subtracted.", "x came on top."]
    minus, plus = load_bank(one)
    assert plus == Mistake("plus", "x was added.", "test_f", edits=[("x * 2", "x + 2")])
    assert (minus.where, plus.where) == ("tests/kits/01_unit/01_f/mistakes.py:6", "tests/kits/01_unit/01_f/mistakes.py")
    assert not list(tmp_path.rglob("__pycache__"))


@pytest.mark.parametrize(
    ("bank", "family", "told"),
    [
        pytest.param(BANK.replace("sums", "sms"), FAMILY, "mistakes.py:2: ImportError: cannot import name 'sms'", id="no such family"),
        pytest.param(BANK.replace("other_sums", "sums"), FAMILY, "mistakes.py:7: AttributeError: module 'families.sums' has no", id="no such function"),
        pytest.param(BANK.replace('"half"', '"hlf"'), FAMILY, "mistakes.py:7: BankError: without 'hlf': there are only plus, half", id="no such mistake"),
        pytest.param(BANK.replace(', "x")', ")"), FAMILY, "mistakes.py:7: TypeError: other_sums() missing 1 required", id="an argument is missing"),
        pytest.param(BANK, FAMILY.replace('"plus"', '"minus"'), "mistakes.py:6: 'minus' is the id of two mistakes: rename one", id="id taken"),
    ],
)  # fmt: skip
def test_what_a_bank_cannot_take_from_a_family_is_told(bank, family, told, tmp_path):
    with pytest.raises(BankError) as caught:
        load_bank(write_kits(tmp_path, bank, family))
    assert told in str(caught.value) and "\n" not in str(caught.value)
