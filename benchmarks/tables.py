"""Write the measured figures into docs/evidence.md: `python benchmarks/tables.py`.

The figures are the files in benchmarks/figures/, which the benchmarks write with `--json`. In the page each stands
between two marks, `<!-- figures: NAME -->` and `<!-- end -->`; the text around them is left alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), *(str(ROOT / "benchmarks" / part) for part in ("rivals", "load"))]

import attacks  # noqa: E402
import classes  # noqa: E402
import growth  # noqa: E402
import outcome  # noqa: E402
import play  # noqa: E402
import run  # noqa: E402
import watch  # noqa: E402

FIGURES = ROOT / "benchmarks" / "figures"
PAGE = ROOT / "docs" / "evidence.md"
BLOCK = re.compile(r"(<!-- figures: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
Figures = Mapping[str, Any]


def class_table(figures: Figures) -> str:
    """One class, every tool, and under which conditions."""
    rows = [classes.Measured(**row) for row in figures["rows"]]
    exercises = len(figures["exercises"])
    ours = rows[0]
    checked = [row for row in rows[1:] if row.checks == "same"]
    compared = sum(sum(row.learners) for row in checked) * exercises
    return "\n".join(
        [
            classes.table(rows, exercises),
            "",
            f"{exercises} exercises in {counted(figures['notebooks'], 'notebook')} a submission. Our class of "
            f"{ours.learners[0]} took {ours.seconds[0]:.0f} s. Of {compared} answers that a rival graded with the same "
            f"checks, {sum(len(row.disagreements) for row in checked)} got full points from one side only. Load of the "
            f"machine before: {figures['load_before']:.1f}.",
        ]
    )


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def import_sentence(figures: Figures) -> str:
    """What the rivals pay for loading our checks."""
    torch, checks = figures["import_seconds"]
    return f"Here torch takes {torch:.2f} s to import, and the modules of our checks {checks:.2f} s more."


def version_table(figures: Figures) -> str:
    """What was compared."""
    lines = ["| what | version |", "|---|---|"]
    return "\n".join(lines + [f"| {name} | {version} |" for name, version in figures["versions"].items()])


def growth_table(figures: Figures) -> str:
    """A class that grows."""
    sizes = [growth.Size(**size) for size in figures["sizes"]]
    return f"{growth.table(sizes)}\n\nLoad of the machine before: {figures['load_before']:.1f}."


def attack_table(figures: Figures) -> str:
    """What every cheat got."""
    outcomes = [attacks.Outcome(**outcome) for outcome in figures["outcomes"]]
    cheats = [each for each in outcomes if each.id not in {honest.id for honest in attacks.HONEST}]
    marked = {
        tool: sum((getattr(each, field) or 0) > 0 for each in cheats)
        for tool, field in (("nbgrader", "nbgrader"), ("otter-grader", "otter"), ("ours", "ours"))
    }
    told = ", ".join(f"{tool} {number}" for tool, number in marked.items())
    return f"{attacks.table(outcomes)}\n\nCheats that got points, of {len(cheats)}: {told}."


def load_table(figures: Figures) -> str:
    """A class and what happened to it."""
    outcomes = [outcome.Outcome(**each) for each in figures["outcomes"]]
    first = outcomes[0]
    return (
        f"{outcome.table(outcomes)}\n\n{first.learners:,} learners, {first.hostile} of them hostile. Undisturbed it "
        f"took {figures['peak_mb']} MB at most, all processes and what the system kept of files together."
    )


def bench_table(figures: Figures) -> str:
    """One submission and its parts."""
    rows = [run.Row(**{name: row[name] for name in ("what", "ours", "other", "aim")}) for row in figures["rows"]]
    return f"{run.table(rows)}\n\nLoad of the machine before: {figures['load_before']:.1f}."


def watch_table(figures: Figures) -> str:
    """From a save to the verdict."""
    saves = [watch.Saves(**row) for row in figures["rows"]]
    return f"{watch.table(saves)}\n\nLoad of the machine before: {figures['load_before']:.1f}."


def play_table(figures: Figures) -> str:
    """From a command to the first picture."""
    rows = [play.Played(**row) for row in figures["rows"]]
    return (
        f"{play.table(rows)}\n\n`import torch` in a Python of its own took {figures['import_torch']:.0f} ms. "
        f"Load of the machine before: {figures['load_before']:.1f}."
    )


PARTS: dict[str, tuple[str, Callable[[Figures], str]]] = {
    "versions": ("attacks", version_table),
    "class": ("class", class_table),
    "class-without-training": ("class-without-training", class_table),
    "class-unlike": ("class-unlike", class_table),
    "class-of-six": ("class-of-six", class_table),
    "imports": ("class", import_sentence),
    "growth": ("growth", growth_table),
    "attacks": ("attacks", attack_table),
    "load": ("load", load_table),
    "bench": ("bench", bench_table),
    "watch": ("watch", watch_table),
    "play": ("play", play_table),
}
"""By the name in the page: the file of figures, and what makes text of it."""


def filled(page: str, figures: Path) -> str:
    """The page with the figures that are there; what was not measured yet says so."""

    def fill(block: re.Match[str]) -> str:
        file, tell = PARTS[block[2]]
        path = figures / f"{file}.json"
        told = tell(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else "*Not measured yet.*"
        return f"{block[1]}{told}\n{block[3]}"

    return BLOCK.sub(fill, page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), FIGURES), encoding="utf-8")
