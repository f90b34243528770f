"""`kata diff`: two gradings of a class held against each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .endings import UsageError

if TYPE_CHECKING:
    from grader.classroom.moves import Move
    from grader.classroom.run_header import RunHeader


@app.command("diff", rich_help_panel=TEACH)
def diff(
    before: Annotated[Path, typer.Argument(help="What `kata grade-class --out` left.", metavar="OUT1")],
    after: Annotated[Path, typer.Argument(help="What it left another time, or elsewhere.", metavar="OUT2")],
) -> None:
    """Compare two gradings of a class: whose points differ, and why; nothing is graded."""
    from grader.classroom.attempts import graded_in
    from grader.classroom.moves import told_moves
    from grader.classroom.results_file import read_results
    from grader.classroom.run_header import read_run
    from grader.reports.safe_text import safe_line
    from grader.reports.wording import counted

    for folder in (before, after):
        if not folder.is_dir():
            raise UsageError(f"There is no folder {folder}: `kata grade-class DIR --out {folder}` makes it.")
    headers = read_run(graded_in(before)), read_run(graded_in(after))
    learners = [{each.name: place for place, each in enumerate(read_results(out).learners)} for out in (before, after)]
    for line in _terms(*headers):
        print(line)
    for out, here, other in ((before, learners[0], learners[1]), (after, learners[1], learners[0])):
        if alone := [name for name in here if name not in other]:
            print(f"Only in {out}: {', '.join(map(safe_line, alone))}.")
    moves = _moves(before, after, headers, learners)
    for line in told_moves(moves):
        print(line)
    both = counted(sum(name in learners[1] for name in learners[0]), "learner")
    moved = len({move.learner for move in moves})
    print(f"{counted(len(moves), 'difference')}, of {moved} of {both} in both.")


def _moves(
    before: Path, after: Path, headers: tuple[RunHeader | None, RunHeader | None], places: list[dict[str, int]]
) -> list[Move]:
    from grader.classroom.moves import moves_between
    from grader.classroom.results_file import read_results

    old, new = read_results(before), read_results(after)
    kits = [header.kits if header else {} for header in headers]
    others = _versions(*headers)
    return [
        move
        for name, place in places[0].items()
        if name in places[1]
        for move in moves_between(old[place].record, new[places[1][name]].record, kits[0], kits[1], others)
    ]


def _terms(one: RunHeader | None, other: RunHeader | None) -> list[str]:
    """In what the terms differ."""
    if one is None or other is None:
        return ["One of these does not say on what terms it was graded."]
    differences = one.differences(other)
    return [f"On other terms: {'; '.join(differences)}."] if differences else ["On the same terms."]


def _versions(one: RunHeader | None, other: RunHeader | None) -> list[str]:
    """What else may have moved points."""
    if one is None or other is None:
        return []
    names = sorted(one.versions.keys() | other.versions.keys())
    found = [f"the version of {name}" for name in names if one.versions.get(name) != other.versions.get(name)]
    return [*found, *(["the isolation"] if one.isolation != other.isolation else [])]
