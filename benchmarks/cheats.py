"""Cheats run for real through nbgrader, otter-grader and ours: how many points does a wrong answer get?

`python benchmarks/cheats.py [--only CHEAT ...] [--tools TOOL ...]`. One exercise, `softmax`, worth 5 points. The others
test it as their guides say: random inputs, a reference and `torch.allclose`, in hidden tests. Ours is the course as it
is, graded by `nbgrader autograde` with our steps in it, with every cheat of cheats.yml and two honest learners in one
batch.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from figures import ROOT, Table, options_of, tell
from rivals import (
    ASSIGNMENT,
    Failed,
    KataInNbgrader,
    Nbgrader,
    Otter,
    Scores,
    Tool,
    code,
    fill_in,
    marks,
    write_notebook,
)

from grader.course import Course, load_course

EXERCISE, POINTS = "softmax", 5.0
HONEST = ("right", "wrong")
LATER = "later"
"""The cheat that leaves a process behind."""
AFTERWARDS_SECONDS = 25
"""Until a process that a cheat left behind has had its chance."""
CHEATS: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "benchmarks" / "cheats.yml").read_text(encoding="utf-8"))

REFERENCE = """\
def _reference(scores, dim=-1):
    exps = torch.exp(scores - scores.max(dim=dim, keepdim=True).values)
    return exps / exps.sum(dim=dim, keepdim=True)
"""
COMPARISON = """\
for shape in ((4,), (3, 5), (2, 3, 4)):
    for dim in range(len(shape)):
        scores = 2 * torch.randn(*shape)
        came, due = softmax(scores, dim), _reference(scores, dim)
        assert came.shape == due.shape and torch.allclose(came, due, atol=1e-6)
"""
NBGRADER_TEST = f"### BEGIN HIDDEN TESTS\nimport torch\n\n{REFERENCE}\n{COMPARISON}### END HIDDEN TESTS"
OTTER_TEST = f'import torch\n\n{REFERENCE}\nsoftmax = env["softmax"]\n{COMPARISON}'


def source_of(cheat: str, tool: str) -> str:
    """What stands in the answer's cell."""
    said = CHEATS[cheat]
    return str(said.get(tool) or said.get("nbgrader") or CHEATS["wrong"]["nbgrader"])


def edit(change: Mapping[str, Any], cells: list[Any]) -> None:
    """Change the cells that test answers: by nbgrader's name, or by the one that otter's got here."""
    for cell in [each for each in cells if "test" in each.metadata.get("nbgrader", {}).get("grade_id", each.id)]:
        if change.get("delete"):
            cells.remove(cell)
        cell.source = change.get("source", cell.source)
        cell.metadata.setdefault("nbgrader", {}).update(change.get("nbgrader", {}))
        cell.metadata["tags"] = change.get("tags", [])


def hand_in(cheat: str, tool: str, released: Path, target: Path) -> None:
    """Write the notebook of a cheat, and say what is tried now."""
    print(f"  {tool}: {cheat} …", file=sys.stderr, flush=True)
    change = CHEATS[cheat].get("edit")
    answers = {EXERCISE: source_of(cheat, tool)}
    fill_in(released, target, answers, partial(edit, change) if change else lambda cells: None)


def grade(tool: Tool, folder: Path, has_late_one: bool) -> Scores:
    """What the tool says when it came to an end by itself, and when what stays behind had its time."""
    try:
        tool.grade(folder)
    except Failed as error:
        print(f"    {error}", file=sys.stderr)
    if has_late_one:
        time.sleep(AFTERWARDS_SECONDS)
    return tool.scores(folder)


def by_nbgrader(course: Course, folder: Path, cheats: Sequence[str]) -> Scores:
    """Each cheat in a course folder of its own, so that none can spoil another's."""
    tool, first, scores = Nbgrader(course, [EXERCISE]), folder / "course", Scores()
    solution = f"### BEGIN SOLUTION\n{CHEATS['right']['nbgrader']}### END SOLUTION"
    answer = code(solution, EXERCISE, nbgrader=marks(EXERCISE))
    test = code(NBGRADER_TEST, f"test-{EXERCISE}", nbgrader=marks(f"test-{EXERCISE}", POINTS))
    write_notebook(first / "source" / ASSIGNMENT / "homework.ipynb", [answer, test])
    tool.release(first)
    for cheat in cheats:
        own = folder / cheat
        shutil.copytree(first, own)
        notebook = Path(ASSIGNMENT, "homework.ipynb")
        hand_in(cheat, "nbgrader", own / "release" / notebook, own / "submitted" / cheat / notebook)
        scores |= grade(tool, own, cheat == LATER)
    return scores


def by_otter(course: Course, folder: Path, cheats: Sequence[str]) -> Scores:
    """One after another; the cheat that leaves a process behind has a folder of its own, where it can spoil nothing."""
    tool, scores = Otter(course, [EXERCISE]), Scores()
    for name, some in (("all", [each for each in cheats if each != LATER]), (LATER, [LATER] * (LATER in cheats))):
        own = folder / name
        tool.write(own, {EXERCISE: (POINTS, OTTER_TEST)})
        for cheat in some:
            hand_in(cheat, "otter", own / "release" / "homework.ipynb", own / "submitted" / cheat / "homework.ipynb")
        if some:
            scores |= grade(tool, own, False)
    return scores


def by_us(course: Course, folder: Path, cheats: Sequence[str]) -> Scores:
    """All in one class, as an instructor has them."""
    tool = KataInNbgrader(course, [EXERCISE])
    tool.prepare(folder)
    (released,) = (folder / "release").glob("*/*.ipynb")
    for cheat in cheats:
        hand_in(cheat, "ours", released, folder / "submitted" / cheat / released.parent.name / released.name)
    return grade(tool, folder, LATER in cheats)


BY_TOOL: dict[str, Callable[[Course, Path, Sequence[str]], Scores]] = {
    "nbgrader": by_nbgrader,
    "otter-grader": by_otter,
    "ours": by_us,
}


def main() -> None:
    """Run everything and print the table."""
    parser = options_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=CHEATS, default=list(CHEATS), metavar="CHEAT")
    parser.add_argument("--tools", nargs="+", choices=BY_TOOL, default=list(BY_TOOL))
    options = parser.parse_args()
    course = load_course(ROOT / "course.yml")
    points: dict[str, dict[str, float | None]] = {}
    with tempfile.TemporaryDirectory() as place:
        for tool in options.tools:
            folder = Path(place) / tool
            folder.mkdir()
            scores = BY_TOOL[tool](course, folder, options.only)
            points[tool] = {cheat: scores.get(cheat, {}).get(EXERCISE) for cheat in options.only}
    rows = [
        (
            CHEATS[cheat]["title"],
            *("no mark" if (got := points[tool][cheat]) is None else f"{got:g}" for tool in points),
        )
        for cheat in options.only
    ]
    cheats = [cheat for cheat in options.only if cheat not in HONEST]
    paid = ", ".join(f"{tool} {sum(bool(got[cheat]) for cheat in cheats)}" for tool, got in points.items())
    note = f"Of {POINTS:g} points each. Cheats that got points, of {len(cheats)}: {paid}."
    harm = any(points.get("ours", {}).get(cheat) for cheat in cheats)
    tell(Table(("what was handed in", *points), rows, note), None if harm else options.json)
    if harm:
        sys.exit("A cheat got points from ours.")


if __name__ == "__main__":
    main()
