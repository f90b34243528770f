"""Compares two gradings of a class: whose points differ, and why. Nothing is graded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.render.safe_text import safe_line
from grader.render.wording import counted

from .regrading import Move, grades_of, moves_between, told_moves
from .results_file import Results, read_results
from .run_header import RunHeader, read_run


def compared(before: Path, after: Path) -> Iterator[str]:
    """Yield lines for people on the differences of two results folders. Raises KataError when one cannot be read."""
    one, other = read_results(before), read_results(after)
    headers = read_run(before), read_run(after)
    here, there = (dict.fromkeys(each.name for each in results.learners) for results in (one, other))
    yield _told_terms(*headers)
    for out, mine, theirs in ((before, here, there), (after, there, here)):
        if alone := [name for name in mine if name not in theirs]:
            yield f"Only in {out}: {', '.join(map(safe_line, alone))}."
    both = [name for name in here if name in there]
    moves = list(_moves(both, one, other, headers))
    yield from told_moves(moves)
    moved = len({move.learner for move in moves})
    yield f"{counted(len(moves), 'difference')}, of {moved} of {counted(len(both), 'learner')} in both."


def _moves(
    names: list[str], one: Results, other: Results, headers: tuple[RunHeader | None, RunHeader | None]
) -> Iterator[Move]:
    places = [{each.name: place for place, each in enumerate(results.learners)} for results in (one, other)]
    isolations = {header.isolation for header in headers if header}
    for name in names:
        old = grades_of(one[places[0][name]].record, headers[0])
        new = grades_of(other[places[1][name]].record, headers[1])
        yield from moves_between(name, old, new, ["the isolation"] if len(isolations) > 1 else [])


def _told_terms(one: RunHeader | None, other: RunHeader | None) -> str:
    if one is None or other is None:
        return "One of these does not say on what terms it was graded."
    differences = one.differences(other)
    return f"On other terms: {'; '.join(differences)}." if differences else "On the same terms."
