import pytest

from grader.judge.faults import BankError
from grader.judge.mistakes import Mistake, load_bank

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
