"""An alternative is the reference with other definitions."""

from pathlib import Path

import pytest
import yaml

from grader.judge.bank import defined_anew
from grader.judge.faults import BankError

TABLES = yaml.safe_load(Path(__file__).with_name("alternatives.yml").read_text("utf-8"))


@pytest.mark.parametrize("case", TABLES["defined anew"].values(), ids=TABLES["defined anew"])
def test_definitions_stand_in_place_of_the_references(case: dict[str, str]):
    assert defined_anew(TABLES["reference"], case["text"], "kit: 'own'") == case["expected"]


@pytest.mark.parametrize("case", TABLES["refused"].values(), ids=TABLES["refused"])
def test_an_alternative_that_defines_nothing_is_told(case: dict[str, str]):
    with pytest.raises(BankError) as refused:
        defined_anew(TABLES["reference"], case["text"], "kit: 'own'")
    assert str(refused.value) == case["says"]
