"""Grades the course's own solutions on a machine before any learner is graded there: they must get full marks.

    python -I -m grader.release.trial COURSE.yml

Another version of torch, too little memory or a slow machine would cost learners points for right work. Exits with
status 1, naming the exercises, when a solution loses points; with 0 when none does, or when nothing can be graded here
at all (then no learner is graded wrongly either).
"""

from __future__ import annotations

import sys
from pathlib import Path

from grader.record import POINTS_TOLERANCE

from .walled import grade_walled


def main(course: Path) -> int:
    """Grade the solutions of the course; 1 when right work would lose points here."""
    graded = grade_walled(course.parent / "solutions", course)
    if not graded.can_isolate:
        print(f"This machine cannot isolate submissions, so the solutions were not tried: {graded.reason}.")
        return 0
    if graded.record is None:
        print(f"The course's own solutions could not be graded: {graded.reason}")
        return 1
    lost = [each.id for each in graded.record.exercises if each.points < each.max_points - POINTS_TOLERANCE]
    if lost:
        print(f"Right work loses points on this machine, so it must grade nobody. Look at: {', '.join(lost)}.")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
