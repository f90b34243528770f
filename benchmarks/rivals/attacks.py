"""Cheats run for real through nbgrader, otter-grader and ours: how many points each tool gives for a wrong answer.

One exercise, `softmax`, worth 5 points. The rivals test it as their guides say: random inputs, a reference, and
`torch.allclose`, in hidden tests. Ours is the course as it is, graded by `nbgrader autograde` with our own steps in it,
with every cheat and two honest learners in one batch. `python benchmarks/rivals/attacks.py [--json FILE]`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import otter_run
import stock
from cheats import CHEATS, HONEST, RIGHT, Cheat
from marks import Scores
from sheets import code, fill_in, write_notebook
from workplace import ROOT, Failed, await_environment, environment, versions

EXERCISE = "softmax"
POINTS = 5.0
UNIT = "01_soft_lookup"
LATER = "later"
"""The cheat that leaves a process behind."""
AFTERWARDS_SECONDS = 25
"""Until a process that a cheat left behind has had its chance."""

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


Points = dict[str, float | None]


@dataclass(frozen=True)
class Outcome:
    """What became of one cheat: points by tool, None where the tool gave no mark at all."""

    id: str
    title: str
    nbgrader: float | None
    otter: float | None
    ours: float | None


def by_nbgrader(folder: Path, cheats: Sequence[Cheat]) -> Points:
    """Each cheat in a course folder of its own, so that none can spoil another's."""
    course = folder / "course"
    answer = code(f"### BEGIN SOLUTION\n{RIGHT}\n### END SOLUTION", EXERCISE, nbgrader=stock.marks(EXERCISE))
    test = code(NBGRADER_TEST, f"test-{EXERCISE}", nbgrader=stock.marks(f"test-{EXERCISE}", POINTS))
    write_notebook(course / "source" / stock.ASSIGNMENT / "homework.ipynb", [answer, test])
    stock.release(course)
    for cheat in cheats:
        tell("nbgrader", cheat)
        own = folder / "cheats" / cheat.id
        shutil.copytree(course, own)
        released = own / "release" / stock.ASSIGNMENT / "homework.ipynb"
        handed_in = own / "submitted" / "cheat" / stock.ASSIGNMENT / "homework.ipynb"
        fill_in(released, handed_in, {EXERCISE: cheat.nbgrader}, cheat.edit)
        _try(stock.autograde, own)
        wait_for(cheat)
    found = stock.all_scores([folder / "cheats" / cheat.id for cheat in cheats])
    return {cheat.id: _points(scores, "cheat") for cheat, scores in zip(cheats, found, strict=True)}


def by_otter(folder: Path, cheats: Sequence[Cheat]) -> Points:
    """One after another; a cheat that leaves a process behind has a folder of its own, where it can spoil nothing."""
    points: Points = {}
    for name, some in {
        "all": [c for c in cheats if c.id != LATER],
        LATER: [c for c in cheats if c.id == LATER],
    }.items():
        own = folder / name
        otter_run.add_sheet(own, "homework", {EXERCISE: (POINTS, OTTER_TEST)})
        for cheat in some:
            tell("otter-grader", cheat)
            answers = {EXERCISE: cheat.otter or cheat.nbgrader}
            handed_in = own / "submitted" / cheat.id / "homework.ipynb"
            fill_in(own / "release" / "homework.ipynb", handed_in, answers, cheat.edit)
        if some and _try(otter_run.grade, own):
            points |= {cheat.id: _points(otter_run.scores(own), cheat.id) for cheat in some}
    return points


def by_us(folder: Path, cheats: Sequence[Cheat]) -> Points:
    """All in one class, as an instructor has them."""
    kata = [Path(sys.executable).parent / "kata", "notebooks", folder, "--course", ROOT / "course.yml"]
    subprocess.run(kata, check=True, capture_output=True)
    _nbgrader(folder, "generate_assignment")
    for cheat in cheats:
        tell("ours", cheat)
        released = folder / "release" / UNIT / f"{UNIT}.ipynb"
        handed_in = folder / "submitted" / cheat.id / UNIT / f"{UNIT}.ipynb"
        fill_in(released, handed_in, {EXERCISE: cheat.ours or cheat.nbgrader}, cheat.edit)
    _nbgrader(folder, "autograde")
    for cheat in cheats:
        wait_for(cheat)
    (scores,) = stock.all_scores([folder], UNIT)
    return {cheat.id: _points(scores, cheat.id) for cheat in cheats}


def _points(scores: Scores, learner: str) -> float | None:
    return scores.get(learner, {}).get(EXERCISE, (None, POINTS))[0]


def _try(grade: Callable[[Sequence[Path], Path], float], own: Path) -> bool:
    """Whether the tool came to an end by itself."""
    try:
        grade([own], Path(os.devnull))
    except Failed as failure:
        print(textwrap.indent(str(failure)[-300:], "    "), file=sys.stderr)
        return False
    return True


def _nbgrader(folder: Path, command: str) -> None:
    """Run nbgrader of the project's own environment, with the steps that `kata notebooks` wrote into its settings."""
    program = Path(sys.executable).parent / "nbgrader"
    told = environment(folder)
    del told["PYTHONPATH"]
    done = subprocess.run([program, command, UNIT], cwd=folder, env=told, capture_output=True, text=True, check=False)
    if done.returncode:
        print(textwrap.indent(done.stderr[-2000:], "    "), file=sys.stderr)


def wait_for(cheat: Cheat) -> None:
    """Give what stays behind its time."""
    if cheat.id == LATER:
        time.sleep(AFTERWARDS_SECONDS)


def tell(tool: str, cheat: Cheat) -> None:
    """What is tried now."""
    print(f"  {tool}: {cheat.id} …", file=sys.stderr, flush=True)


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a Markdown table."""
    lines = ["| what was handed in | nbgrader | otter-grader | ours | of |", "|---|---|---|---|---|"]
    for each in outcomes:
        cells = [points(value) for value in (each.nbgrader, each.otter, each.ours)]
        lines.append(f"| {each.title} | {' | '.join(cells)} | {POINTS:g} |")
    return "\n".join(lines)


def points(value: float | None) -> str:
    """Points for a person."""
    return "no mark" if value is None else f"{value:g}"


def main() -> None:
    """Run everything, print the table and, if asked, write the outcomes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], metavar="CHEAT", help="only these cheats")
    parser.add_argument("--tools", nargs="*", default=["nbgrader", "otter", "ours"], help="only these tools")
    parser.add_argument("--json", type=Path, help="write the outcomes here")
    options = parser.parse_args()
    await_environment()
    cheats = [cheat for cheat in [*HONEST, *CHEATS] if not options.only or cheat.id in options.only]
    tools = {"nbgrader": by_nbgrader, "otter": by_otter, "ours": by_us}
    got: dict[str, Points] = {}
    with tempfile.TemporaryDirectory() as place:
        for tool, grade in tools.items():
            folder = Path(place) / tool
            folder.mkdir()
            got[tool] = grade(folder, cheats) if tool in options.tools else {}
    outcomes = [Outcome(c.id, c.title, *(got[tool].get(c.id) for tool in tools)) for c in cheats]
    print(table(outcomes))
    if options.json:
        figures = {"versions": versions(), "points": POINTS, "outcomes": [asdict(each) for each in outcomes]}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
