"""What learners and platforms get: `kata release`, `kata autograder` and `kata notebooks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from grader.errors import KataError
from grader.files import write_file
from grader.render.wording import counted, score

from .app import TEACH, app
from .teach_class import Force
from .terms import (
    CourseFile,
    Only,
    Units,
    chosen_exercises,
    chosen_part,
    course_at,
    demand_one_of,
    instructors_extra,
    progress,
    units_called,
)

REPO = "OWNER/NAME"
PLATFORMS = ("gradescope", "github")
TARGET = "The zip to write for Gradescope; for GitHub the template of the learners' repositories."
ANSWERS = "Put solutions and known mistakes into it, or only plans."
WHICH = "--with-answers for learners who practise on their own, or --without-answers for those who hand in for marks"
ONE_NOTEBOOK = "One notebook of this name for all that was chosen, such as week1."
REFLECTION = "Add a question that a person reads and marks, for 2 points."
WHEEL = "The wheel that learners' notebooks tell to install, as absolute path or URL; kept in DIR's settings."


@app.command(rich_help_panel=TEACH)
def release(
    out: Annotated[Path, Option("--out", help="The folder for the wheel.", metavar="DIR")],
    with_answers: Annotated[bool | None, Option("--with-answers/--without-answers", help=ANSWERS)] = None,
    unit: Units = None,
    only: Only = None,
    course: CourseFile = None,
) -> None:
    """Make the learners' copy of the course.

    It is a wheel with program and course. Learners who practise on their own get it --with-answers: it holds all that
    you have, and `kata solution` shows an answer after passing. Those who hand in for marks get it --without-answers:
    it is as strict, and solutions and known mistakes stay with you.
    """
    if with_answers is None:
        raise KataError(f"Say which: {WHICH}.")
    chosen = chosen_part(course_at(course), only, unit)
    from grader.release.learners_wheel import learners_wheel

    with progress("Planning", len(chosen.exercises)) as advance:
        name, content, checks = learners_wheel(chosen, with_answers=with_answers, advance=advance)
    write_file(out / name, content, below=out)
    exercises = counted(len(chosen.exercises), "exercise")
    print(f"{out / name}: {exercises}, {checks} checks, {len(content) / 1e6:.1f} MB.")
    print(f"Learners type: pip install {name}, then kata init ~/attention")


@app.command(rich_help_panel=TEACH)
def notebooks(
    folder: Annotated[Path, Argument(help="The course folder for nbgrader.", metavar="DIR")],
    unit: Units = None,
    only: Only = None,
    name: Annotated[str, Option(help=ONE_NOTEBOOK)] = "",
    reflection: Annotated[bool, Option("--reflection", help=REFLECTION)] = False,
    wheel: Annotated[str | None, Option(help=WHEEL, metavar="FILE|URL")] = None,
    course: CourseFile = None,
) -> None:
    """Write a course folder for nbgrader.

    Its settings, and a source notebook for each unit or week. One that you edited is never overwritten.
    """
    with instructors_extra():
        from grader.notebooks.course_folder import assignments_of, write_folder

    chosen = course_at(course)
    ids = chosen_exercises(chosen, only, unit) if only else []
    found = assignments_of(chosen, units_called(chosen, unit), ids, name, reflection=reflection)
    for line in write_folder(chosen, folder, found, wheel=wheel):
        print(line)
    print(f"Next, in {folder}: nbgrader generate_assignment {found[0].name}")


@app.command(rich_help_panel=TEACH)
def autograder(
    platform: Annotated[str, Argument(help="gradescope or github.", metavar="PLATFORM")],
    path: Annotated[Path, Argument(help=TARGET, metavar="FILE.zip|DIR")],
    repository: Annotated[str, Option(help="For GitHub: the private repository with the course.", metavar=REPO)] = "",
    unit: Units = None,
    only: Only = None,
    force: Force = False,
    course: CourseFile = None,
) -> None:
    """Make an autograder for Gradescope or GitHub.

    For Gradescope's autograder page it is a zip, which holds solutions and hidden checks: never give it to learners.
    For GitHub it is the workflow that grades a learner's repository at every push.
    """
    from grader.formats.export import write_new
    from grader.release.autograders import TOKEN, WORKFLOW, github_workflow, gradescope_zip, points_of

    demand_one_of("platform", platform, PLATFORMS)
    if platform == "github":
        if not repository:
            raise KataError(f"Say which repository holds the course: --repository {REPO}.")
        text = github_workflow(repository, units=unit or (), only=only or ())
        print(write_new(path / WORKFLOW, text.encode(), force=force))
        print(f"The secret {TOKEN} has to hold a token that can read {repository}; the file's first lines say more.")
        return
    chosen = chosen_part(course_at(course), only, unit)
    print(write_new(path, gradescope_zip(chosen), force=force))
    print(f"Upload it to an assignment worth {score(points_of(chosen))} points; README.txt in it says how.")
    print("It holds the solutions and the hidden checks: keep it from learners.")
