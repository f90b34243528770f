"""A graded class: `kata explain`, `diff`, `override` and `forget`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .named_paths import demand_results
from .terms import CourseFile, course_at, level_called, refuse_exposed, say

if TYPE_CHECKING:
    from grader.classroom.members import ListedLearner as Learner

Out = Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")]
LearnerName = Annotated[str, typer.Argument(help="The learner's id, login, email or name.", metavar="LEARNER")]


@app.command(rich_help_panel=TEACH)
def explain(
    out: Out,
    learner: LearnerName,
    exercise: Annotated[
        str | None, typer.Argument(help="Only this exercise; all with lost points by default.", metavar="[EXERCISE]")
    ] = None,
    inputs: Annotated[
        bool,
        typer.Option(
            "--inputs",
            help="Run the checks again and show hidden inputs, expected and actual values. Not for learners.",
        ),
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="The submission, if it has moved since it was graded.", metavar="PATH"),
    ] = None,
    isolation: Annotated[
        str | None, typer.Option("--isolation", help="Isolation level; by default that of the class.", metavar="LEVEL")
    ] = None,
    course: CourseFile = None,
) -> None:
    """Show at which checks a learner lost points, and why, and how to run them again with the same inputs."""
    from grader.classroom.explain import ExplainOptions
    from grader.classroom.explain import explain as explained
    from grader.render.safe_text import encodable

    demand_results(out, "kata explain {} LEARNER")
    chosen = course_at(course)
    level = level_called(isolation, chosen_aloud=inputs) if isolation else None
    if inputs:
        refuse_exposed(level or "full", chosen.root)
    for line in explained(out, learner, chosen, ExplainOptions(exercise, inputs, file, level), say):
        print(encodable(line, sys.stdout.encoding or "utf-8"))


@app.command("diff", rich_help_panel=TEACH)
def diff(
    before: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT1")],
    after: Annotated[Path, typer.Argument(help="Another such folder, to compare with.", metavar="OUT2")],
) -> None:
    """Compare two gradings of a class: whose points differ, and why; nothing is graded."""
    from grader.classroom.comparison import compared

    demand_results(before, "kata diff {} OUT2")
    demand_results(after, "kata diff OUT1 {}")
    for line in compared(before, after):
        print(line)


@app.command(rich_help_panel=TEACH)
def override(
    out: Out,
    learner: LearnerName,
    exercise: Annotated[str, typer.Argument(help="The exercise's id.", metavar="EXERCISE")],
    points: Annotated[
        str, typer.Argument(help="The points that count; back takes an earlier override back.", metavar="POINTS")
    ],
    reason: Annotated[
        str, typer.Option("--reason", help="Why, in a sentence: the learner reads it too.", metavar="TEXT")
    ],
    course: CourseFile = None,
) -> None:
    """Set a learner's points for an exercise by hand: recorded with the reason, and kept when a run goes on."""
    from grader.classroom.override import override_points
    from grader.render.safe_text import safe_line
    from grader.render.wording import score

    demand_results(out, "kata override {} LEARNER EXERCISE POINTS --reason TEXT")
    done = override_points(out, learner, exercise, points, reason, course_at(course))
    for remark in done.remarks:
        say(remark)
    print(f"{safe_line(done.learner)}, {done.exercise}: {score(done.before)} -> {score(done.after)} points.")
    print(f"Write the pages anew with: kata grade-class DIR --out {out} --resume --html")


OUT_OF_REACH = (
    "what they handed in ({submissions}): take it away there too, or --resume grades it again",
    "the roster that you gave ({roster})",
    "pages and exports that lie elsewhere, were sent or uploaded, such as the marks in a learning platform",
    "nbgrader's folders and gradebook (`nbgrader db student remove ID`), and copies in backups",
)
"""Places outside OUT that may still contain data of the learner."""


@app.command(rich_help_panel=TEACH)
def forget(
    out: Out,
    learner: LearnerName,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, and change nothing.")] = False,
) -> None:
    """Remove one learner from a graded class: records, pages, exports."""
    from grader.classroom.forgetting import Forgetting, learner_in
    from grader.classroom.run import sole_run
    from grader.render.safe_text import visible

    demand_results(out, "kata forget {} LEARNER")
    with sole_run(out):
        forgetting = Forgetting(out, learner_in(out, learner))
        told = _told(forgetting.learner)
        print(f"{'Would be taken' if dry_run else 'Taken'} out of {out}: {told}")
        for step in forgetting.steps():
            if not dry_run:
                step.take(out)
            print(visible(f"  {step.path.relative_to(out)}: {step.told}"))
        left = [*forgetting.in_group(), *([] if dry_run else forgetting.left())]
    for sentence in left:
        print(visible(sentence))
    _tell_out_of_reach(out)


def _told(learner: Learner) -> str:
    from grader.render.safe_text import safe_line

    return safe_line(learner.name if learner.shown == learner.name else f"{learner.shown} ({learner.name})")


def _tell_out_of_reach(out: Path) -> None:
    from grader.classroom.run_header import read_run

    header = read_run(out)
    given = header.arguments if header else {}
    places = {"submissions": given.get("submissions") or "DIR", "roster": given.get("roster") or "none was given"}
    print("Out of reach from here:")
    for place in OUT_OF_REACH:
        print(f"  {place.format(**places)}")
