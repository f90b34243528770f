"""Time `nbgrader autograde` with our judge against stock: `python benchmarks/notebooks.py [--learners N]`.

A class hands in unit 1 with its five exercises, half of it right and half with known mistakes. The stock course folder
has the same notebooks, with five comparisons against the reference in each test cell (shapes drawn anew, no gradients),
which is less than the judge does. Both sides run the whole command; the shares of the judge and of stock's kernel are
told apart by running each without it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grader.classroom import Terms
from grader.course import Course, Unit, load_course
from grader.intake import SourceFile, Submission
from grader.judge.mistakes import load_bank
from grader.notebooks.notebook_judge import NotebookJudge

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(sys.executable).parent
UNIT = 0
SEED = 1
COMPARISONS = 5

STOCK_CONFIG = "c = get_config()\n"
NO_KERNEL = """
c.Autograde.autograde_preprocessors = [
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
"""

OWN_CHECK = "kata.check("
"""In the cells where learners have an answer checked by our judge: stock has none."""

STOCK_TEST = """\
import torch
_right = {{}}
exec({source!r}, _right)
for _ in range({comparisons}):
    _words, _width = torch.randint(2, 9, (2,)).tolist()
    _x, _query = torch.randn(_words, _width), torch.randn(_width)
    _given = {given}
    _came, _due = {name}(*_given), _right["{name}"](*_given)
    _came, _due = (_came, _due) if isinstance(_due, tuple) else ((_came,), (_due,))
    for _one, _other in zip(_came, _due, strict=True):
        assert _one.shape == _other.shape and torch.allclose(_one, _other, atol=1e-6)
"""
GIVEN = {
    "soft_lookup": "(torch.softmax(_x[:, 0], dim=-1), _x)",
    "dot_scores": "(_query, _x)",
    "softmax": "(_x,)",
    "context_vector": "(_query, _x)",
    "simplified_self_attention": "(_x,)",
}


@dataclass(frozen=True)
class Figures:
    """Seconds; the shares are of one notebook."""

    learners: int
    ours: float
    stock: float
    judge_share: float
    kernel_share: float

    @property
    def whole_ratio(self) -> float:
        """How many times faster the whole command is."""
        return self.stock / self.ours

    @property
    def share_ratio(self) -> float:
        """How many times faster a notebook's grading is."""
        return self.kernel_share / self.judge_share


def measure(learners: int, folder: Path) -> Figures:
    """Both commands on the same class, and each side's share."""
    course = load_course(ROOT / "course.yml")
    unit = course.units[UNIT]
    answers = list(_answers(course, unit, learners))
    ours = _our_folder(folder / "ours", unit, answers)
    stock = _stock_folder(folder / "stock", course, unit, folder / "ours", answers)
    bare = folder / "bare"
    shutil.copytree(stock, bare)
    (bare / "nbgrader_config.py").write_text(STOCK_CONFIG + NO_KERNEL)
    our_seconds = _autograde(ours, unit)
    stock_seconds = _autograde(stock, unit)
    bare_seconds = _autograde(bare, unit)
    return Figures(
        learners=learners,
        ours=our_seconds,
        stock=stock_seconds,
        judge_share=_judge_share(course, unit, answers),
        kernel_share=(stock_seconds - bare_seconds) / learners,
    )


def _answers(course: Course, unit: Unit, learners: int) -> Iterator[Mapping[str, str]]:
    """Sources by exercise: every other learner has the references, the others a known mistake in each exercise."""
    right = {exercise.id: course.solution_path(exercise).read_text("utf-8") for exercise in unit.exercises}
    banks = {exercise.id: load_bank(course.mistakes_path(exercise)) for exercise in unit.exercises}
    for number in range(learners):
        if number % 2 == 0:
            yield right
        else:
            yield {id: banks[id][number % len(banks[id])].source_from(source) for id, source in right.items()}


def _our_folder(folder: Path, unit: Unit, answers: list[Mapping[str, str]]) -> Path:
    subprocess.run(
        [PROGRAMS / "kata", "notebooks", folder, "--course", ROOT / "course.yml"], check=True, capture_output=True
    )
    _hand_in(folder, unit, answers)
    return folder


def _stock_folder(folder: Path, course: Course, unit: Unit, ours: Path, answers: list[Mapping[str, str]]) -> Path:
    name = f"{unit.folder}.ipynb"
    notebook = json.loads((ours / "source" / unit.folder / name).read_text("utf-8"))
    notebook["cells"] = [cell for cell in notebook["cells"] if OWN_CHECK not in "".join(cell["source"])]
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if grade_id.startswith("test-"):
            exercise = course.exercise(grade_id.removeprefix("test-"))
            cell["source"] = STOCK_TEST.format(
                source=course.solution_path(exercise).read_text("utf-8").replace("SOLUTION", ""),
                comparisons=COMPARISONS,
                given=GIVEN[exercise.id],
                name=exercise.id,
            )
    path = folder / "source" / unit.folder / name
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    (folder / "nbgrader_config.py").write_text(STOCK_CONFIG)
    _hand_in(folder, unit, answers)
    return folder


def _hand_in(folder: Path, unit: Unit, answers: list[Mapping[str, str]]) -> None:
    _nbgrader(folder, "generate_assignment", unit.folder)
    name = f"{unit.folder}.ipynb"
    released = (folder / "release" / unit.folder / name).read_text("utf-8")
    for number, sources in enumerate(answers):
        notebook: dict[str, Any] = json.loads(released)
        for cell in notebook["cells"]:
            grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
            cell["source"] = sources.get(grade_id, cell["source"])
        path = folder / "submitted" / f"learner{number:03d}" / unit.folder / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")


def _autograde(folder: Path, unit: Unit) -> float:
    started = time.perf_counter()
    _nbgrader(folder, "autograde", unit.folder)
    return time.perf_counter() - started


def _nbgrader(folder: Path, *arguments: str) -> None:
    path = os.pathsep.join([str(PROGRAMS), os.environ.get("PATH", os.defpath)])
    # each run starts the judge: one that is warm already would have done its part before
    alone = {"KATA_SERVICE": "1", "XDG_RUNTIME_DIR": str(folder), "JUPYTER_CONFIG_DIR": str(folder / ".jupyter")}
    environment = {**os.environ, "PATH": path, **alone}
    done = subprocess.run(
        [PROGRAMS / "nbgrader", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"nbgrader {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")


def _judge_share(course: Course, unit: Unit, answers: list[Mapping[str, str]]) -> float:
    """A notebook's median time at a warm judge, from its answers to its record."""
    only = tuple(exercise.id for exercise in unit.exercises)
    judge = NotebookJudge(Terms(course.root / "course.yml", "full", SEED, only), stamp="")
    try:
        times = []
        for number, sources in enumerate(answers):
            named = {id: SourceFile(id, id, text.encode("utf-8")) for id, text in sources.items()}
            started = time.perf_counter()
            judge.grade(Submission(f"learner{number:03d}", named, ()))
            times.append(time.perf_counter() - started)
    finally:
        judge.close()
    return statistics.median(times[1:])


def table(figures: Figures) -> str:
    """The figures as a Markdown table."""
    lines = [
        f"| `nbgrader autograde`, {figures.learners} notebooks | ours (s) | stock (s) | times faster | aim |",
        "|---|---|---|---|---|",
        f"| the whole command | {figures.ours:.1f} | {figures.stock:.1f} | {figures.whole_ratio:.1f} | ≥ 5 |",
        f"| the grading of one notebook | {figures.judge_share:.3f} | {figures.kernel_share:.3f} "
        f"| {figures.share_ratio:.0f} | ≥ 20 |",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print the table and, if asked, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", type=int, default=20)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    os.environ["KATA_SERVICE"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(options.learners, Path(folder))
    print(table(figures))
    if options.json:
        told = {**asdict(figures), "whole_ratio": figures.whole_ratio, "share_ratio": figures.share_ratio}
        options.json.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
