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
from grader.practice.overview import next_exercise
from grader.practice.progress import Progress

ROOT = Path(__file__).parents[2]
SOLUTIONS = re.compile(r"# BEGIN SOLUTION\n(.*?)# END SOLUTION", re.DOTALL)

SMALL = """\
title: Small course
version: "2"
documents:
  notes: {title: Notes, author: Nobody, language: English}
limits:
  seconds: 30
  memory_mb: 1500
units:
  - folder: 01_first
    title: First steps
    exercises:
      - id: softmax
        number: 3
        kind: implement
        title: Softmax
        points: 5
        document: notes
        step: page 1
        entry_points: [softmax]
        forbidden: {calls: [softmax], operators: ["aten::_softmax"], reason: it is the exercise}
        hints: [vague, clearer, almost code]
  - folder: 02_second
    title: Second steps
    extra_credit: true
    exercises:
      - id: tiny_gpt
        number: 12
        kind: debug
        title: Tiny
        points: 2.5
        requires: [softmax]
        document: notes
        step: page 2
        entry_points: [TinyGPT, generate]
        limits: {memory_mb: 4096}
        hints: [vague, clearer, almost code]
"""


@pytest.fixture
def small(tmp_path: Path) -> Course:
    (tmp_path / "course.yml").write_text(SMALL, encoding="utf-8")
    return load_course(tmp_path / "course.yml")


@pytest.fixture(scope="module")
def real() -> Course:
    return load_course(ROOT / "course.yml")


def test_exercises_come_in_course_order_with_their_unit_and_number(small: Course) -> None:
    assert [(exercise.unit, exercise.number, exercise.id) for exercise in small.exercises] == [
        ("01_first", 3, "softmax"),
        ("02_second", 12, "tiny_gpt"),
    ]


def test_what_the_file_leaves_out_has_a_default(small: Course) -> None:
    softmax, tiny_gpt = small.exercises

    assert softmax.requires == ()
    assert tiny_gpt.forbidden is None
    assert [unit.extra_credit for unit in small.units] == [False, True]


def test_an_exercises_limits_go_before_the_courses_and_those_before_the_defaults(small: Course) -> None:
    softmax, tiny_gpt = small.exercises

    assert softmax.limits == Limits(seconds=30.0, memory_mb=1500)
    assert tiny_gpt.limits == Limits(seconds=30.0, memory_mb=4096)
    assert tiny_gpt.limits.request_seconds == Limits().request_seconds


def test_every_file_of_an_exercise_has_its_place(small: Course, tmp_path: Path) -> None:
    softmax = small.exercise("softmax")

    assert softmax.file_name == "03_softmax.py"
    assert softmax.relative_path == "01_first/03_softmax.py"
    assert small.stub_path(softmax) == tmp_path / "exercises/01_first/03_softmax.py"
    assert small.solution_path(softmax) == tmp_path / "solutions/01_first/03_softmax.py"
    assert small.checks_path(softmax) == tmp_path / "tests/kits/01_first/03_softmax/checks.py"
    assert small.mistakes_path(softmax) == tmp_path / "tests/kits/01_first/03_softmax/mistakes.py"
    assert small.alternatives_path(softmax) == tmp_path / "tests/kits/01_first/03_softmax/alternatives.py"
    assert small.lesson_path(small.units[0]) == tmp_path / "exercises/01_first/README.md"


def test_the_root_is_the_files_folder_however_the_file_was_named(
    small: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert load_course(Path("course.yml")) == small


def test_an_unknown_exercise_is_answered_with_the_ids_like_it(small: Course) -> None:
    with pytest.raises(CourseError, match=r"^there is no exercise `sofmax`: did you mean `softmax`\?$"):
        small.exercise("sofmax")
    with pytest.raises(CourseError, match=r"^there is no exercise `zzz`$"):
        small.exercise("zzz")


@pytest.mark.parametrize(
    "name",
    [
        "softmax",
        "03_softmax",
        "03_softmax.py",
        "1/3",
        "01/03",
        "01_soft_lookup/03_softmax.py",
        "turn scores into weights",
    ],
)
def test_an_exercise_is_found_by_id_file_title_or_numbers(real: Course, name: str) -> None:
    assert real.exercise(name).id == "softmax"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        pytest.param("3", "`3` could be several exercises: 1/3 is `softmax`, 2/3 is", id="number in every unit"),
        pytest.param("2/softmax", "there is no exercise `2/softmax`", id="id in another unit"),
        pytest.param("Turn scores in weights", "did you mean `Turn scores into weights`?", id="misspelt title"),
    ],
)
def test_a_name_that_is_not_clear_is_refused(real: Course, name: str, answer: str) -> None:
    with pytest.raises(CourseError, match=re.escape(answer)):
        real.exercise(name)


def test_an_exercise_may_require_a_later_one_of_its_unit(tmp_path: Path) -> None:
    second = SMALL.replace(
        "  - folder: 02_second\n    title: Second steps\n    extra_credit: true\n    exercises:\n", ""
    )
    both = second.replace("requires: [softmax]\n        ", "").replace(
        "kind: implement", "kind: implement\n        requires: [tiny_gpt]"
    )
    (tmp_path / "course.yml").write_text(both, encoding="utf-8")
    course = load_course(tmp_path / "course.yml")
    assert [each.requires for each in course.exercises] == [("tiny_gpt",), ()]
    assert next_exercise(course, Progress()).id == "tiny_gpt"  # type: ignore[union-attr]


def test_a_course_cannot_be_changed(small: Course) -> None:
    with pytest.raises(ValidationError):
        small.exercises[0].points = 100.0  # type: ignore[misc]


@pytest.mark.parametrize(
    "content",
    [b"\xef\xbb\xbf" + SMALL.encode(), SMALL.replace("\n", "\r\n").encode()],
    ids=["with a BOM", "with Windows line endings"],
)
def test_a_file_saved_by_another_editor_is_the_same(content: bytes, small: Course) -> None:
    (small.root / "course.yml").write_bytes(content)

    assert load_course(small.root / "course.yml") == small


def test_libyaml_makes_no_difference(small: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(yaml.SafeLoader):
        yaml_implicit_resolvers = loading._Loader.yaml_implicit_resolvers

    monkeypatch.setattr(loading, "_Loader", Slow)
    assert load_course(small.root / "course.yml") == small


def test_a_part_written_as_a_file_is_that_part(real: Course, tmp_path: Path) -> None:
    part = part_of(real, ["softmax", "causal_mask", "tiny_gpt"])
    assert [len(unit.exercises) for unit in part.units] == [1, 1, 1]
    (tmp_path / "course.yml").write_bytes(catalogue_of(part))
    assert load_course(tmp_path / "course.yml") == part.model_copy(update={"root": tmp_path})


def test_reading_the_course_needs_no_torch() -> None:
    script = (
        "import sys; from pathlib import Path; from grader.course import load_course;"
        f"load_course(Path({str(ROOT / 'course.yml')!r})); assert 'torch' not in sys.modules"
    )

    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_the_units_have_their_folders(real: Course) -> None:
    folders = [
        "01_soft_lookup",
        "02_self_attention",
        "03_masks_and_dropout",
        "04_multi_head",
        "05_grouped_query",
        "06_beyond",
        "07_transformer",
    ]

    assert [unit.folder for unit in real.units] == folders
    assert [unit.folder for unit in real.units if unit.extra_credit] == folders[5:]
    assert len(real.exercises) == 47


@pytest.mark.parametrize(
    ("path", "entry_point"),
    [
        ("01_soft_lookup/03_softmax.py", "softmax"),
        ("02_self_attention/02_qkv_linear.py", "QKVLinear"),
        ("02_self_attention/04_scaled_scores.py", "scaled_scores"),
        ("02_self_attention/06_self_attention.py", "MySelfAttention"),
        ("02_self_attention/07_debug_attn_weights.py", "MySelfAttention"),
        ("03_masks_and_dropout/01_causal_mask.py", "causal_mask"),
        ("03_masks_and_dropout/04_masked_softmax.py", "masked_softmax"),
        ("04_multi_head/03_split_heads.py", "split_heads"),
        ("04_multi_head/06_multi_head_attention.py", "MultiHeadAttention"),
        ("05_grouped_query/01_repeat_kv.py", "repeat_kv"),
        ("05_grouped_query/02_grouped_query_attention.py", "GroupQueryAttention"),
        ("07_transformer/04_transformer_block.py", "TransformerBlock"),
        ("07_transformer/08_tiny_gpt.py", "TinyGPT"),
    ],
    ids=str,
)
def test_outside_submissions_can_rely_on_file_and_entry_point(real: Course, path: str, entry_point: str) -> None:
    [exercise] = [exercise for exercise in real.exercises if exercise.relative_path == path]

    assert exercise.entry_points == (entry_point,)
    assert exercise.kind == ("debug" if exercise.id.startswith("debug_") else "implement")


def test_softmax_refuses_every_library_softmax_but_not_logsumexp(real: Course) -> None:
    forbidden = real.exercise("softmax").forbidden

    assert forbidden is not None
    assert {"softmax", "log_softmax", "softmin", "Softmax", "scaled_dot_product_attention"} < set(forbidden.calls)
    assert {"aten::_softmax", "aten::_log_softmax", "aten::_safe_softmax"} < set(forbidden.operators)
    assert not [name for name in (*forbidden.calls, *forbidden.operators) if "logsumexp" in name]


def test_all_five_documents_are_named(real: Course) -> None:
    # "beyond" stands for the papers and manuals of the two stretch units
    assert set(real.documents) - {"beyond"} == {"day-5", "day-15", "gqa", "happy-llm", "hacktricks"}


def test_hints_grow_more_concrete_and_fit_a_screen(real: Course) -> None:
    for exercise in real.exercises:
        assert len(set(exercise.hints)) == 3, exercise.id
        assert all(40 <= len(hint) <= 500 for hint in exercise.hints), exercise.id
        assert "`" in exercise.hints[2], f"{exercise.id}: the last hint is almost code"


def test_a_last_hint_leaves_something_to_write(real: Course) -> None:
    for exercise in real.exercises:
        solution = real.solution_path(exercise).read_text(encoding="utf-8")
        written = [part for region in SOLUTIONS.findall(solution) for part in region.splitlines() if "return " in part]
        for hint in exercise.hints:
            assert not [part for part in written if "".join(part.split()) in "".join(hint.split())], exercise.id
        if exercise.kind == "implement":
            assert "..." in exercise.hints[2], f"{exercise.id}: leave a blank, written ..."


def test_a_course_without_answers_is_told_from_a_whole_one(small: Course, tmp_path: Path) -> None:
    (tmp_path / "course.yml").write_text(SMALL + "planned_seed: 7\n", encoding="utf-8")
    planned = load_course(tmp_path / "course.yml")

    assert small.has_answers and not planned.has_answers
    assert planned.plan_path(planned.exercise("softmax")) == tmp_path / "plans/01_first/03_softmax.plan"


def test_course_has_the_version_of_the_program() -> None:
    assert load_course(ROOT / "course.yml").version == __version__
