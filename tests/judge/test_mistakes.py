from pathlib import Path

import pytest

from grader.judge.bank import Mistake, load_bank
from grader.judge.faults import GraderBroken

from ..cases import rows, table

REFERENCE = "def f(x):\n    return x + 1\n"
TABLES = table(__file__, "banks.yml")


def mistake(**options):
    return Mistake("m", "what happened", caught_by="test_f", **options)


def test_an_edit_makes_the_wrong_answer_from_the_reference_and_a_whole_file_stands_for_itself():
    assert mistake(edits=[("x + 1", "x - 1")]).source_from(REFERENCE) == "def f(x):\n    return x - 1\n"
    assert mistake(source="def f(x): pass").source_from(REFERENCE) == "def f(x): pass"


@pytest.mark.parametrize(
    "edits",
    [[("y", "z")], [("x", "z")], [], [("x + 1", "x + 1")]],
    ids=["absent", "twice", "none", "no-change"],
)
def test_an_edit_that_does_not_fit_is_told(edits):
    with pytest.raises(GraderBroken):
        mistake(edits=edits).source_from(REFERENCE)


def test_a_missing_bank_is_told(tmp_path):
    with pytest.raises(GraderBroken, match="no bank"):
        load_bank(tmp_path / "bank.py")


def write_kits(root: Path, bank: str = TABLES["bank"], family: str = TABLES["family"]) -> Path:
    """A bank, and the family `sums` beside its unit."""
    path = root / "tests" / "kits" / "01_unit" / "01_f" / "mistakes.py"
    for place, text in ((path, bank), (root / "tests" / "kits" / "families" / "sums.py", family)):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    return path


def test_a_bank_takes_mistakes_from_the_families_of_its_own_course(tmp_path):
    other = write_kits(tmp_path / "other", family=TABLES["family"].replace("was added", "came on top"))
    one = write_kits(tmp_path / "one")
    assert [each.message for each in load_bank(other)] == ["It was subtracted.", "x came on top."]
    minus, plus = load_bank(one)
    assert plus == Mistake("plus", "x was added.", "test_f", edits=[("x * 2", "x + 2")])
    assert (minus.where, plus.where) == ("tests/kits/01_unit/01_f/mistakes.py:5", "tests/kits/01_unit/01_f/mistakes.py")
    assert not list(tmp_path.rglob("__pycache__"))


@rows(TABLES["unusable"])
def test_a_bank_that_cannot_be_used_is_told_with_its_line(case, tmp_path):
    bank = case["bank"] if "bank" in case else TABLES["bank"].replace(case["was"], case["now"])
    with pytest.raises(GraderBroken) as caught:
        load_bank(write_kits(tmp_path, bank))
    assert case["says"] in str(caught.value) and "\n" not in str(caught.value)
