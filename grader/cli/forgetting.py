"""`kata forget`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import TEACH, app
from .expected import demand_results

if TYPE_CHECKING:
    from grader.classroom.members import Learner

OUT_OF_REACH = (
    "what they handed in ({submissions}): take it away there too, or --resume grades it again",
    "the roster and CSVs of groups, times and exemptions that you gave ({roster})",
    "pages and exports that lie elsewhere, were sent or uploaded, such as the marks in a learning platform",
    "nbgrader's folders and gradebook (`nbgrader db student remove ID`), and copies in backups",
)
"""Places outside OUT that may still contain data of the learner."""


@app.command(rich_help_panel=TEACH)
def forget(
    out: Annotated[Path, typer.Argument(help="The results folder of `kata grade-class`.", metavar="OUT")],
    learner: Annotated[str, typer.Argument(help="The learner's id, or a login, email or name that nobody else has.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, and change nothing.")] = False,
) -> None:
    """Remove one learner from a graded class: records, pages, exports, times."""
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
