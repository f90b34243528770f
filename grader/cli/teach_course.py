"""A course that is written and handed out: `kata release`, `notebooks` and `autograder`, `new` and `verify`."""

from __future__ import annotations

import os
import sys
from keyword import iskeyword
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from grader.errors import EXIT_NOT_RIGHT, KataError
from grader.files import write_file
from grader.render.wording import counted, score

from .app import authors_command, teachers_command
from .teach_class import Force
from .terms import (
    CourseFile,
    Only,
    Seed,
    Units,
    best_level,
    chosen_exercises,
    chosen_part,
    course_at,
    demand_one_of,
    exercise_ids,
    progress,
    unit_folders,
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


@teachers_command()
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


@teachers_command()
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
    from grader.notebooks.course_folder import assignments_of, write_folder

    chosen = course_at(course)
    ids = chosen_exercises(chosen, only, unit) if only else []
    found = assignments_of(chosen, units_called(chosen, unit), ids, name, reflection=reflection)
    for line in write_folder(chosen, folder, found, wheel=wheel):
        print(line)
    print(f"Next, in {folder}: nbgrader generate_assignment {found[0].name}")


@teachers_command()
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


# --- a course that is written -----------------------------------------------------------------------------------------


@authors_command()
def new(
    id: Annotated[str, Argument(help="The exercise's id, a Python name.", metavar="ID")],
    unit: Annotated[str, Option(help="The unit's folder.", metavar="FOLDER", autocompletion=unit_folders)],
    title: Annotated[str | None, Option(help="The title for learners; by default the id.")] = None,
    course: CourseFile = None,
) -> None:
    """Begin a new exercise.

    It gets a template for each file of its kit, and entries in course.yml and the lesson.
    """
    from grader.authoring.kit import new_exercise, write_scaffold

    chosen = course_at(course)
    if not (id.isidentifier() and id.islower() and not iskeyword(id)):
        raise KataError(f"{id!r} can be no exercise's id: it becomes a function, so take small letters, digits and _.")
    if any(id == each.id for each in chosen.exercises):
        raise KataError(f"There is an exercise {id} already.")
    words = (title or id.replace("_", " ").capitalize()).strip()
    if not words or any(mark in words for mark in '"\\\n'):
        raise KataError("A title holds words, and no quotes, backslashes or line ends.")
    (there,) = units_called(chosen, [unit])
    exercise = new_exercise(there, id, words)
    for path in write_scaffold(chosen, exercise):
        print(path.relative_to(chosen.root))
    alternatives = chosen.alternatives_path(exercise).relative_to(chosen.root)
    print(f"Write what says TODO in these, and right answers written differently into {alternatives}.")
    print("In course.yml requires, points and entry_points are guesses.")
    print(f"kata verify {id} says what is missing.")


@authors_command()
def verify(
    ids: Annotated[
        list[str] | None, Argument(help="Exercises; all by default.", metavar="[ID ...]", autocompletion=exercise_ids)
    ] = None,
    seed: Seed = None,
    course: CourseFile = None,
    stubs: Annotated[bool, Option("--write-stubs", help="Make the stubs from the solutions first.")] = False,
) -> None:
    """Prove that an exercise's checks hold.

    Whether its kit is complete, and its checks accept and refuse what they should.
    """
    chosen, level = course_at(course), best_level()
    exercises = [chosen.exercise(id) for id in ids or []] or list(chosen.exercises)
    from grader.authoring.kit import incomplete, stale_stub, write_stubs
    from grader.authoring.verify import prove_in_parallel

    number, graded = chosen.seed_for(seed), 0
    for written in write_stubs(chosen, exercises) if stubs else ():
        print(f"wrote {written}")
    problems = list(dict.fromkeys(problem for each in exercises for problem in incomplete(chosen, each)))
    if not problems:
        problems = [problem for each in exercises for problem in stale_stub(chosen, each)]
        file, judges = chosen.root / "course.yml", os.cpu_count() or 1
        with progress("Proving", len(exercises)) as advance:
            graded, found = prove_in_parallel(file, level, number, [each.id for each in exercises], judges, advance)
        problems += found
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} to mend (seed {number}, isolation {level}).")
        sys.exit(EXIT_NOT_RIGHT)
    print(f"All hold: {counted(len(exercises), 'exercise')}, {graded} files graded (seed {number}, isolation {level}).")
