"""A graded class: `kata explain`, `diff`, `override` and `forget`. Each uses the course of the class's last run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from .app import TEACH, app, say
from .named_paths import demand_results
from .terms import ID_HELP, CourseFile, course_of_class

EARLIER = "Another such folder; without it the last run is compared with the one before."
COUNTED = "The points that count; back takes an earlier override back."
REASON = "Why, in a sentence: the learner reads it too."
Out = Annotated[Path, Argument(help="The results folder of `kata grade-class`.", metavar="OUT")]
LearnerName = Annotated[str, Argument(help="The learner's id, login, email or name.", metavar="LEARNER")]


@app.command(rich_help_panel=TEACH)
def explain(
    out: Out,
    learner: LearnerName,
    exercises: Annotated[
        list[str] | None, Argument(help="Only these exercises; all with lost points by default.", metavar="[ID ...]")
    ] = None,
    course: CourseFile = None,
) -> None:
    """Show where a learner lost points, and why: the checks run again with the same inputs. Not for learners."""
    from grader.classroom.explain import explain as explained
    from grader.course.installed import refuse_exposed
    from grader.render.safe_text import encodable

    demand_results(out, "kata explain {} LEARNER")
    chosen = course_of_class(out, course)
    refuse_exposed("full", chosen.root)
    for line in explained(out, learner, exercises or (), chosen):
        print(encodable(line, sys.stdout.encoding or "utf-8"))


@app.command("diff", rich_help_panel=TEACH)
def diff(
    out: Out,
    other: Annotated[Path | None, Argument(help=EARLIER, metavar="[OTHER]")] = None,
    course: CourseFile = None,
) -> None:
    """Compare two gradings of a class: whose points differ, and why; nothing is graded."""
    from grader.classroom.diff import compared

    demand_results(out, "kata diff {}")
    if other:
        demand_results(other, f"kata diff {out} {{}}")
    for line in compared(out, other, course_of_class(other or out, course)):
        print(line)


@app.command(rich_help_panel=TEACH)
def override(
    out: Out,
    learner: LearnerName,
    exercise: Annotated[str, Argument(help=ID_HELP, metavar="EXERCISE")],
    points: Annotated[str, Argument(help=COUNTED, metavar="POINTS")],
    reason: Annotated[str, Option(help=REASON, metavar="TEXT")],
    course: CourseFile = None,
) -> None:
    """Set a learner's points for an exercise by hand: recorded with the reason, and kept when a run goes on."""
    from grader.classroom.corrections import override_points
    from grader.render.safe_text import safe_line
    from grader.render.wording import score

    demand_results(out, "kata override {} LEARNER EXERCISE POINTS --reason TEXT")
    done = override_points(out, learner, exercise, points, reason, course_of_class(out, course))
    for remark in done.remarks:
        say(remark)
    print(f"{safe_line(done.learner)}, {done.exercise}: {score(done.before)} -> {score(done.after)} points.")


@app.command(rich_help_panel=TEACH)
def forget(out: Out, learner: LearnerName, course: CourseFile = None) -> None:
    """Remove one learner from a graded class: records, sources, pages."""
    from grader.classroom.corrections import forget_learner
    from grader.render.safe_text import visible

    demand_results(out, "kata forget {} LEARNER")
    for line in forget_learner(out, learner, course_of_class(out, course)):
        print(visible(line))
