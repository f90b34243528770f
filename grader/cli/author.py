"""The author's commands: `kata new` and `kata verify`."""

from __future__ import annotations

import os
import sys
from keyword import iskeyword
from typing import Annotated

from typer import Argument, Option

from grader.errors import EXIT_NOT_RIGHT, KataError

from .app import WRITE, app
from .terms import CourseFile, Seed, best_level, course_at, exercise_ids, progress, unit_folders


@app.command(rich_help_panel=WRITE)
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
    units = {each.folder: each for each in chosen.units}
    if unit not in units:
        raise KataError(f"There is no unit {unit!r}; there are {', '.join(units)}.")
    words = (title or id.replace("_", " ").capitalize()).strip()
    if not words or any(mark in words for mark in '"\\\n'):
        raise KataError("A title holds words, and no quotes, backslashes or line ends.")
    exercise = new_exercise(units[unit], id, words)
    try:
        for path in write_scaffold(chosen, exercise):
            print(path.relative_to(chosen.root))
    except FileExistsError as error:
        raise KataError(f"{error.args[0]} is there already.") from None
    alternatives = chosen.alternatives_path(exercise).relative_to(chosen.root)
    print(f"Write what says TODO in these, and right answers written differently into {alternatives}.")
    print("In course.yml requires, points and entry_points are guesses.")
    print(f"kata verify {id} says what is missing.")


@app.command(rich_help_panel=WRITE)
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
    chosen = course_at(course)
    level = best_level()
    exercises = [chosen.exercise(id) for id in ids or []] or list(chosen.exercises)
    from grader.authoring.kit import incomplete, stale_stub, write_stubs
    from grader.authoring.verify import prove_in_parallel
    from grader.render.wording import counted

    number, graded = chosen.seed_for(seed), 0
    for written in write_stubs(chosen, exercises) if stubs else ():
        print(f"wrote {written}")
    problems = [problem for each in exercises for problem in incomplete(chosen, each)]
    if not problems:
        problems = [problem for each in exercises for problem in stale_stub(chosen, each)]
        course_file, chosen_ids = chosen.root / "course.yml", [each.id for each in exercises]
        judges = os.cpu_count() or 1
        with progress("Proving", len(exercises)) as advance:
            graded, found = prove_in_parallel(course_file, level, number, chosen_ids, judges, advance)
        problems += found
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} to mend (seed {number}, isolation {level}).")
        sys.exit(EXIT_NOT_RIGHT)
    proved = counted(len(exercises), "exercise")
    print(f"All hold: {proved}, {graded} files graded (seed {number}, isolation {level}).")
