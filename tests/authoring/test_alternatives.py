"""An alternative is the reference with other definitions."""

import pytest

from grader.authoring.alternatives import defined_anew
from grader.course import load_course
from grader.judge.bank import written_alternatives
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


@pytest.mark.parametrize("text", ["ALTERNATIVES = ['a text']", "ALTERNATIVES = {'a_number': 1}", "OTHERS = {}"])
def test_a_file_without_a_dict_of_alternatives_is_told_and_none_is_needed(text: str, make_course, tmp_path):
    course = load_course(make_course(tmp_path, "01_parts/01_share") / "course.yml")
    exercise = course.exercise("share")
    path = course.alternatives_path(exercise)
    path.write_text(text)
    with pytest.raises(GraderBroken, match="ALTERNATIVES must be a dict"):
        written_alternatives(course, exercise)
    path.unlink()
    assert written_alternatives(course, exercise) == {}
