"""A catalogue that is read: what is in it, what is filled in, how exercises are found; and what ours holds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from grader import __version__
from grader.course import Course, CourseError, Limits, load_course, loading
from grader.course.model import catalogue_of, part_of
from tests.cases import rows, table

ROOT = Path(__file__).parents[2]
SOLUTIONS = re.compile(r"# BEGIN SOLUTION\n(.*?)# END SOLUTION", re.DOTALL)
RELIED_ON = table(__file__, "relied_on.yml")
SMALL = Path(__file__).with_name("small.yml").read_text(encoding="utf-8")


@pytest.fixture
def small(tmp_path: Path) -> Course:
    (tmp_path / "course.yml").write_text(SMALL, encoding="utf-8")
    return load_course(tmp_path / "course.yml")


@pytest.fixture(scope="module")
def real() -> Course:
    return load_course(ROOT / "course.yml")


def test_exercises_come_in_course_order_with_what_the_file_leaves_out(small: Course) -> None:
    softmax, tiny_gpt = small.exercises
    assert [(each.unit, each.number, each.id, each.requires) for each in small.exercises] == [
        ("01_first", 3, "softmax", ()),
        ("02_second", 12, "tiny_gpt", ("softmax",)),
    ]
    assert [unit.extra_credit for unit in small.units] == [False, True] and tiny_gpt.forbidden is None
    # an exercise's limits go before the course's, and those before the defaults
    assert softmax.limits == Limits(seconds=30.0, memory_mb=1500)
    assert tiny_gpt.limits == Limits(seconds=30.0, memory_mb=4096)


def test_every_file_of_an_exercise_has_its_place(small: Course, tmp_path: Path) -> None:
    softmax = small.exercise("softmax")
    kit = tmp_path / "tests/kits/01_first/03_softmax"
    assert softmax.relative_path == "01_first/03_softmax.py"
    assert small.stub_path(softmax) == tmp_path / "exercises/01_first/03_softmax.py"
    assert small.solution_path(softmax) == tmp_path / "solutions/01_first/03_softmax.py"
    assert small.plan_path(softmax) == tmp_path / "plans/01_first/03_softmax.plan"
    assert small.lesson_path(small.units[0]) == tmp_path / "exercises/01_first/README.md"
    paths = (small.checks_path(softmax), small.mistakes_path(softmax), small.alternatives_path(softmax))
    assert paths == (kit / "checks.py", kit / "mistakes.py", kit / "alternatives.py")


TAKEN = {
    "a module": ("from families import scale", ["loud", "scale"]),
    "several": ("from families import heads, scale as root", ["heads", "loud", "scale"]),
    "over lines": ("from families import (\n    heads,\n)", ["heads"]),
    "names": ("from families.heads import loud", ["heads"]),
    "in a function": ("def f():\n    from families import heads", ["heads"]),
    "no import": ("families = 'from families import heads'", []),
    "another package": ("from grader.judge.authoring import heads", []),
    "none such": ("from families import hats", []),
}
"""What a file says, and the families that it takes from; `scale` takes from `loud`."""


@rows(TAKEN, "text", "names")
def test_the_families_that_a_file_of_a_kit_takes_from(text: str, names: list[str], small: Course) -> None:
    checks = small.checks_path(small.exercise("softmax"))
    for path, content in (
        (checks, f"import torch\n{text}\n"),
        (small.root / "tests/kits/families/heads.py", ""),
        (small.root / "tests/kits/families/scale.py", "from families.loud import LOW\n"),
        (small.root / "tests/kits/families/loud.py", "from families.scale import ROOT\n"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    assert [path.stem for path in small.families_of(checks, checks.with_name("none.py"))] == names


def test_the_same_file_is_the_same_course_however_it_is_named_and_read(
    small: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_course(Path("course.yml")) == small
    for content in (b"\xef\xbb\xbf" + SMALL.encode(), SMALL.replace("\n", "\r\n").encode()):
        (tmp_path / "course.yml").write_bytes(content)
        assert load_course(tmp_path / "course.yml") == small
    monkeypatch.setattr(loading, "_LOADER", yaml.SafeLoader)  # where there is no libyaml
    assert load_course(tmp_path / "course.yml") == small


@pytest.mark.parametrize("name", RELIED_ON["names"])
def test_an_exercise_is_found_by_id_file_title_or_numbers(real: Course, name: str) -> None:
    assert real.exercise(name).id == "softmax"


@rows(RELIED_ON["unclear"], "name", "answer")
def test_a_name_that_is_not_clear_is_refused(real: Course, name: str, answer: str) -> None:
    with pytest.raises(CourseError, match=re.escape(answer)):
        real.exercise(name)


def test_a_course_cannot_be_changed(small: Course) -> None:
    with pytest.raises(ValidationError):
        small.exercises[0].points = 100.0  # type: ignore[misc]


def test_a_part_written_as_a_file_is_that_part(real: Course, tmp_path: Path) -> None:
    part = part_of(real, ["softmax", "causal_mask", "tiny_gpt"])
    assert [len(unit.exercises) for unit in part.units] == [1, 1, 1]
    (tmp_path / "course.yml").write_bytes(catalogue_of(part))
    assert load_course(tmp_path / "course.yml") == part.model_copy(update={"root": tmp_path, "limits": Limits()})


def test_reading_the_course_needs_no_torch() -> None:
    script = (
        "import sys; from pathlib import Path; from grader.course import load_course;"
        f"load_course(Path({str(ROOT / 'course.yml')!r})); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


# --- our own course ---------------------------------------------------------------------------------------------------


def test_units_exercises_and_documents_are_those_that_others_rely_on(real: Course) -> None:
    assert [unit.folder for unit in real.units] == RELIED_ON["folders"]
    assert [unit.folder for unit in real.units if unit.extra_credit] == RELIED_ON["extra_credit"]
    assert (len(real.exercises), real.version) == (47, __version__)
    # "beyond" stands for the papers and manuals of the two stretch units
    assert set(real.documents) - {"beyond"} == {"day-5", "day-15", "gqa", "happy-llm", "hacktricks"}
    entry_points = {each.relative_path: each.entry_points for each in real.exercises}
    assert {path: entry_points.get(path) for path in RELIED_ON["files"]} == {
        path: (name,) for path, name in RELIED_ON["files"].items()
    }
    assert all((each.kind == "debug") == each.id.startswith("debug_") for each in real.exercises)


def test_softmax_refuses_every_library_softmax_but_not_logsumexp(real: Course) -> None:
    forbidden = real.exercise("softmax").forbidden
    assert forbidden is not None
    assert {"softmax", "log_softmax", "softmin", "Softmax", "scaled_dot_product_attention"} < set(forbidden.calls)
    assert {"aten::_softmax", "aten::_log_softmax", "aten::_safe_softmax"} < set(forbidden.operators)
    assert not [name for name in (*forbidden.calls, *forbidden.operators) if "logsumexp" in name]


def test_hints_grow_more_concrete_fit_a_screen_and_leave_something_to_write(real: Course) -> None:
    for exercise in real.exercises:
        assert len(set(exercise.hints)) == 3, exercise.id
        assert all(40 <= len(hint) <= 500 for hint in exercise.hints), exercise.id
        assert "`" in exercise.hints[2], f"{exercise.id}: the last hint is almost code"
        assert exercise.kind != "implement" or "..." in exercise.hints[2], f"{exercise.id}: leave a blank, written ..."
        solution = real.solution_path(exercise).read_text(encoding="utf-8")
        written = [part for region in SOLUTIONS.findall(solution) for part in region.splitlines() if "return " in part]
        for hint in exercise.hints:
            assert not [part for part in written if "".join(part.split()) in "".join(hint.split())], exercise.id
