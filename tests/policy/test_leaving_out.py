"""Exercises that do not count, for anybody or for one learner, and the lowest units: neither points nor maximum."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.results import read_results
from grader.course import load_course
from grader.record import Record

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]


def came_to(record: Record) -> tuple[float | None, float | None]:
    return record.final_points, record.final_max_points


RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Kata) -> Path:
    """Two learners: ada has nothing of the second unit, bo all of it; neither has a policy yet."""
    root = make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share", "01_parts/02_cut", "02_more/01_split")
    for name, ids in (("ada", ("share", "cut")), ("bo", ("share", "cut", "split"))):
        (root / "class" / name).mkdir(parents=True)
        for id in ids:
            text = WRONG if id == "cut" else RIGHT
            (root / "class" / name / f"{id}.py").write_text(text.format(id=id), "utf-8")
    (root / "ill.csv").write_text("id,exempt\nada,02\nbo,\n", "utf-8")
    how = ("--out", "out", "--isolation", "best", "--jobs", 1, "--seed", 5)
    done = kata("grade-class", "class", *how, "--roster", "ill.csv", "--html", cwd=root)
    assert done.returncode == 0, done.stderr
    return root


def exported(kata: Kata, root: Path, form: str, *arguments: str) -> list[list[str]]:
    done = kata("export", "out", "--format", form, "--force", "--to", "made.csv", *arguments, cwd=root)
    assert done.returncode == 0, done.stderr
    return list(csv.reader((root / "made.csv").read_text("utf-8-sig").splitlines()))


@pytest.mark.thorough
def test_exempt_learner_is_out_of_less_on_every_page_and_in_every_file(graded: Path, kata: Kata) -> None:
    records = {each.learner.id: each.record for each in read_results(graded / "out")}
    ada, bo = records["ada"], records["bo"]
    assert came_to(ada) == (ada.points, 8) and came_to(bo) == (bo.points, 12)
    page = (graded / "out" / "class.html").read_text("utf-8")
    assert "1 exercise not counted" in page
    assert "split is exempt: neither" in (graded / "out" / "learner-ada.html").read_text("utf-8")
    assert "exempt" not in (graded / "out" / "learner-bo.html").read_text("utf-8")

    head, one, other = exported(kata, graded, "csv")
    row = dict(zip(head, one, strict=True))
    assert (float(row["points"]), row["max_points"], row["split"]) == (ada.points, "8", "")
    assert dict(zip(head, other, strict=True))["split"] == "4"
    by = [
        dict(zip(head, row, strict=True))
        for head, *rows in [exported(kata, graded, "csv", "--by", "exercise")]
        for row in rows
    ]
    assert [(row["submission"], row["points"], row["status"]) for row in by if row["exercise"] == "split"] == [
        ("ada", "", "missing, does not count"),
        ("bo", "4", "passed"),
    ]


def test_canvas_excuses_and_a_sum_out_of_one_maximum_is_in_proportion(graded: Path, kata: Kata) -> None:
    ada = next(iter(read_results(graded / "out"))).record
    _, worth, one, other = exported(kata, graded, "canvas", "--by", "unit")
    assert worth[-2:] == ["8", "4"] and one[-1] == "EX" and other[-1] == "4"
    assert float(one[-2]) == ada.points, "what counts elsewhere is what it was"
    _, worth, one, other = exported(kata, graded, "canvas")
    assert worth[-1] == "12"
    assert float(one[-1]) == pytest.approx(ada.points / 8 * 12, abs=1e-3)
    assert float(other[-1]) == ada.points + 4
    _, one, other = exported(kata, graded, "moodle", "--by", "unit")
    assert one[-1] == "-" and other[-1] == "4"


def test_gradescope_has_no_points_of_what_does_not_count_and_the_rest_in_proportion(graded: Path, kata: Kata) -> None:
    done = kata("export", "out", "--format", "gradescope", "--force", "--to", "scope", cwd=graded)
    assert done.returncode == 0, done.stderr
    ada, bo = (json.loads(path.read_text("utf-8")) for path in sorted((graded / "scope").glob("*.json")))
    record = next(iter(read_results(graded / "out"))).record
    assert ada["score"] == pytest.approx(record.points / 8 * 12, abs=1e-6)
    assert f"In proportion, {record.points:g} of 8 points are" in ada["output"] and "In proportion" not in bo["output"]
    assert bo["score"] == record.points + 4
    (uncounted,) = (test for test in ada["tests"] if test["tags"] == ["split"])
    assert uncounted["name"].endswith("(does not count)") and not {"score", "max_score"} & uncounted.keys()
    assert sum(test.get("max_score", 0) for test in ada["tests"]) == 8
    assert sum(test["max_score"] for test in bo["tests"]) == 12


@pytest.mark.thorough
def test_exemption_is_kept_changed_and_taken_back_without_grading(graded: Path, kata: Kata) -> None:
    def after(*arguments: str) -> float | None:
        how = ("--out", "out", "--isolation", "best", "--jobs", 1, "--resume", *arguments)
        done = kata("grade-class", "class", *how, cwd=graded)
        assert done.returncode == 0, done.stderr
        return next(iter(read_results(graded / "out"))).record.counted_max_points

    (graded / "none.csv").write_text("id\nada\nbo\n", "utf-8")
    assert after() == 8
    assert after("--roster", "none.csv") == 12
    assert after("--roster", "ill.csv") == 8


def test_course_still_loads_a_part_with_an_exemption_elsewhere(graded: Path) -> None:
    from grader.course.model import catalogue_of, part_of

    text = (graded / "course.yml").read_text("utf-8")
    path = graded / "other.yml"
    path.write_text(text.replace("units:\n", "policy: {exempt: [split, cut]}\nunits:\n", 1), "utf-8")
    assert part_of(load_course(path), ["share", "cut"]).policy.exempt == ("cut",)
    path.write_bytes(catalogue_of(part_of(load_course(path), ["share", "cut"])))
    assert load_course(path).policy.exempt == ("cut",)
