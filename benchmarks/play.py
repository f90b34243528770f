"""From `kata play` to the first picture: `python benchmarks/play.py [ID ...] [--runs N] [--json FILE]`.

The reference is played in a pseudo-terminal, as a learner has it, with a judge kept warm; the time goes from the start
of the command until the title of the first map, table, curve or text is in the terminal. `import torch` in a Python of
its own stands beside it: that is what a command that computes cannot do without.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import pexpect

from grader.course import Course, Exercise, load_course
from grader.play.catalogue import PLAYS, digest_of, play_of, scene_of
from grader.play.parts import Slider, Words
from grader.play.stage import Stage
from grader.practice.progress import AttemptEntry, ProgressFile, now

ROOT = Path(__file__).resolve().parent.parent
KATA = [sys.executable, "-m", "grader"]
WARM_UP = "softmax"
WAIT_SECONDS = 120
LETTERS = 20
"""So many letters of a title are waited for: a narrow terminal breaks long ones."""


@dataclass(frozen=True)
class Played:
    """One exercise, in milliseconds: the median and the slowest of some runs."""

    exercise: str
    median: float
    slowest: float


def table(rows: Sequence[Played]) -> str:
    """The rows as a Markdown table."""
    lines = ["| exercise | first picture, median (ms) | slowest (ms) | aim (ms) |", "|---|---|---|---|"]
    return "\n".join(
        lines + [f"| {each.exercise} | {each.median:.0f} | {each.slowest:.0f} | ≤ 2000 |" for each in rows]
    )


def main() -> None:
    """Measure, print the table and, if asked, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", default=[each.id for each in PLAYS])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    course, load = load_course(ROOT / "course.yml"), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder}
        workspace = Path(folder) / "mine"
        subprocess.run([*KATA, "init", workspace, "--course", ROOT], env=environment, check=True, capture_output=True)
        pass_unchecked(course, workspace, options.ids)
        subprocess.run([*KATA, "check", WARM_UP], cwd=workspace, env=environment, check=False, capture_output=True)
        rows = [measure(course.exercise(id), workspace, environment, options.runs) for id in options.ids]
        torch = statistics.median(import_milliseconds() for _ in range(options.runs))
    print(f"{table(rows)}\n\nimport torch: {torch:.0f} ms")
    if options.json:
        figures = {"load_before": load, "import_torch": torch, "rows": [asdict(row) for row in rows]}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def pass_unchecked(course: Course, workspace: Path, ids: Sequence[str]) -> None:
    """Write the references, and note them as passed."""
    with ProgressFile(workspace / ".kata").change() as progress:
        for exercise in map(course.exercise, [*ids, WARM_UP]):
            content = (ROOT / "solutions" / exercise.relative_path).read_bytes()
            (workspace / "exercises" / exercise.relative_path).write_bytes(content)
            digest = digest_of(content)
            points = {"points": exercise.points, "max_points": exercise.points}
            progress.of(exercise.id).note(AttemptEntry(at=now(), status="passed", digest=digest, **points))


def measure(exercise: Exercise, workspace: Path, environment: Mapping[str, str], runs: int) -> Played:
    """One row."""
    title = first_title(exercise)[:LETTERS]
    taken = []
    for _ in range(runs):
        started = time.perf_counter()
        child = pexpect.spawn(
            KATA[0], [*KATA[1:], "play", exercise.id], cwd=str(workspace), env={**environment, "NO_COLOR": "1"},
            dimensions=(60, 100), encoding="utf-8",
        )  # fmt: skip
        try:
            child.expect_exact(title, timeout=WAIT_SECONDS)
            taken.append((time.perf_counter() - started) * 1000)
        finally:
            child.close(force=True)
    return Played(exercise.id, statistics.median(taken), max(taken))


def first_title(exercise: Exercise) -> str:
    """What the first picture is called, found by playing here without a wall."""
    play = play_of(exercise.id)
    if play is None:
        raise SystemExit(f"There is nothing to play in {exercise.id}.")
    with closing(Stage(exercise, (ROOT / "solutions" / exercise.relative_path).read_bytes(), "none")) as stage:
        scene = scene_of(play, stage)
        for part in scene.parts(scene.example, (), in_full=False):
            if isinstance(part, Words):
                if part.kind == "line":
                    return part.text.split("  ")[0]
            elif not isinstance(part, Slider):
                return part.title
    raise SystemExit(f"{exercise.id} shows no picture.")


def import_milliseconds() -> float:
    """How long a Python takes that only imports torch."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
