"""What a wheel without answers says of references, other right answers and known mistakes is what `kata grade` says.

Here for a few exercises, of each kind one; scripts/compare_wheel.py does it for all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import load_course
from grader.sandbox.doctor import strongest_level
from tests.cases import rows, table
from tests.records import check, exercise
from tests.release.conftest import COURSE, ROOT

with pytest.MonkeyPatch.context() as changed:
    changed.syspath_prepend(ROOT / "scripts")
    import compare_wheel as script


@rows(table(__file__, "cases.yml")["compared"], "id")
def test_same_verdicts_and_diagnoses(id: str, planned: Path) -> None:
    released = load_course(planned / "course.yml")
    sources = script.sources_of(COURSE, [id])
    assert len(sources[id]) > 15
    assert list(map(str, script.compare(COURSE, released, sources, released.planned_seed, strongest_level()))) == []


def test_what_is_read_from_a_learners_own_numbers_gives_the_same_verdicts(planned: Path) -> None:
    """Mistakes that only show in such a reading are not named: nobody can be asked for theirs."""
    released = load_course(planned / "course.yml")
    sources = script.sources_of(COURSE, ["tiled_attention", "tiny_gpt"])
    sources["tiny_gpt"] = dict(list(sources["tiny_gpt"].items())[:2])
    found = list(script.compare(COURSE, released, sources, released.planned_seed, strongest_level()))
    assert len(found) < 5 and not any(each.is_verdict for each in found)
    assert all(each.what.startswith("tiled_attention, the mistake") and each.planned == [] for each in found)


def test_difference_is_noticed() -> None:
    right = exercise(check(max_points=4.0))
    in_part = right.model_copy(update={"status": "partly", "points": 0.0})
    (found,) = script._differences("the reference", right, in_part)
    assert found.is_verdict and "partly with 0 points with plans" in str(found)
