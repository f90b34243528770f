"""An alternative is the reference with other definitions."""

import pytest

from grader.judge.bank import defined_anew
from grader.judge.faults import GraderBroken

from ..cases import rows, table

TABLES = table(__file__, "alternatives.yml")


@rows(TABLES["defined anew"])
def test_definitions_stand_in_place_of_the_references(case: dict[str, str]):
    assert defined_anew(TABLES["reference"], case["text"], "kit: 'own'") == case["expected"]


@rows(TABLES["refused"])
def test_an_alternative_that_defines_nothing_is_told(case: dict[str, str]):
    with pytest.raises(GraderBroken) as refused:
        defined_anew(TABLES["reference"], case["text"], "kit: 'own'")
    assert str(refused.value) == case["says"]
