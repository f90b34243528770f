"""Reuses the settings of the earlier run that decide whose each row is, so that resuming moves no row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.intake.names import first_few

from .claims import folded
from .class_folder import ReadingOptions
from .lms_names import Platform, platform_called
from .members import CLASS_LIST, Members, read_learners
from .members import ListedLearner as Learner
from .results_file import RESULTS, final_lines
from .roster import Roster, read_roster
from .rows import Rows
from .run_header import ClassSource, RunHeader


@dataclass(frozen=True)
class SameClass:
    """Roster and platform by which a class is read; with remarks on settings taken from the earlier run."""

    roster: Roster | None
    names: Platform | None
    remarks: tuple[str, ...] = ()

    def reading_options(self, rows: Rows) -> ReadingOptions:
        """The settings for reading the class; submitters keep their earlier rows."""
        return ReadingOptions(self.roster, self.names, rows)


def as_before(
    before: RunHeader | None, roster: Path | None, names: Platform | None, course: Course, out: Path
) -> SameClass:
    """The settings of the earlier run, where the user gave no others.

    Raises KataError when a roster cannot be used, that of the run before is missing, or another platform is given.
    """
    source = before.source if before else None
    remarks: tuple[str, ...] = ()
    if roster is None and source and source.roster:
        roster = Path(source.roster)
        if not roster.is_file():
            raise KataError(
                f"{out} was graded with the roster {roster}, which is not there any more: "
                "--roster says where it is now."
            )
        remarks = (f"The roster is that of the run before, {roster}.",)
    used = platform_called(source.names) if source and source.names else None
    if names and used and names != used:
        raise KataError(
            f"{out} was graded with the names of {used}, and --from says {names}: rows would be somebody else's. "
            "Leave --from out, or give another folder."
        )
    known = before.kits if before else ()
    return SameClass(read_roster(roster, course, withdrawn=known) if roster else None, names or used, remarks)


def rows_before(out: Path, before: RunHeader | None, roster: Roster | None) -> Rows:
    """The rows of the earlier run in OUT, which submitters keep; none if there was no run.

    Raises KataError when its class list is damaged, OSError.
    """
    if before is None:
        return Rows()
    path = out / CLASS_LIST
    learners = [each for each in read_learners(path) if each.submitter] if path.exists() else []
    enrolled = frozenset(each.name for each in learners if each.in_roster)
    may_move = before.source is None or before.source.roster_sha256 != (roster.sha256 if roster else "")
    return Rows({each.submitter: each.name for each in learners}, enrolled, may_move)


def source_of(submissions: Path, same: SameClass, members: Members) -> ClassSource:
    """Where the class is, and what decided its rows, to be stored."""
    return ClassSource(
        submissions=str(submissions.absolute()),
        roster=str(same.roster.path.absolute()) if same.roster else "",
        roster_sha256=same.roster.sha256 if same.roster else "",
        names=members.platform,
    )


def refuse_another_roster(out: Path, before: RunHeader | None, now: ClassSource, members: Members, rows: Rows) -> None:
    """Raise KataError if another roster would drop a graded row or give it to somebody else.

    One more learner, or another order, is fine.
    """
    old = before.source if before else None
    if old is None or old.roster_sha256 == now.roster_sha256:
        return
    listed = [member.learner for member in members.all]
    left = _left_behind(out, [learner.name for learner in listed])
    moved = _moved(out, listed) or [
        row for each in listed if (row := rows.of.get(each.submitter)) is not None and row != each.name
    ]
    if not (left or moved):
        return
    was = f"the roster {old.roster}" if old.roster else "no roster"
    what = f"{first_few(left)} would lose their row" if left else f"the row of {first_few(moved)} would be another's"
    is_now = f"with {now.roster} {what}" if now.roster else f"without one {what}"
    raise KataError(
        f"{out} was graded with {was}; {is_now}. Give the roster of that run, with new learners added, "
        "or grade the class anew, without --resume."
    )


def _left_behind(out: Path, names: Sequence[str]) -> list[str]:
    if not (out / RESULTS).exists():
        return []
    there = set(names)
    return [name for name in dict(final_lines(out / RESULTS)) if name not in there]


def _moved(out: Path, now: Sequence[Learner]) -> list[str]:
    """Ids that now belong to somebody who had another id in the class."""
    path = out / CLASS_LIST
    before = list(read_learners(path)) if path.exists() else []
    called = {each.name: folded(each.shown) for each in before if each.in_roster}
    owners = {shown: name for name, shown in called.items()}
    return [
        each.name
        for each in now
        if each.name in called
        and called[each.name] != folded(each.shown)
        and owners.get(folded(each.shown), each.name) != each.name
    ]
