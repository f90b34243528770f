"""The judge's process: grades one hand-in after another as they come, until nobody asks any more.

It imports nothing of Jupyter. Messages are JSON in the frames of multiprocessing's Connection; both ends are ours.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.classroom import Terms
from grader.judge.errors import GraderBroken
from grader.sandbox.launch import MachineError, launch_ahead

if TYPE_CHECKING:
    from grader.course import Course
    from grader.results import Record
    from grader.submission import Submission

READY = "ready"


def main() -> None:
    """Grade what comes through the descriptor that is the first argument, on the terms that are the second."""
    line = Connection(int(sys.argv[1]))
    try:
        _serve(line, terms_from(sys.argv[2]))
    except (EOFError, BrokenPipeError):
        pass
    except (MachineError, GraderBroken) as error:
        line.send_bytes(json.dumps({"failed": _sentence(error)}).encode())
    except Exception as error:
        traceback.print_exc()
        line.send_bytes(json.dumps({"failed": f"The judge broke ({type(error).__name__}: {error})."}).encode())


def terms_text(terms: Terms) -> str:
    """The terms as an argument of a command."""
    return json.dumps([str(terms.course), terms.level, terms.seed, list(terms.only)])


def terms_from(text: str) -> Terms:
    """The terms from such an argument."""
    course, level, seed, only = json.loads(text)
    return Terms(Path(course), level, seed, tuple(only))


def question(submission: Submission) -> bytes:
    """A submission as a message."""
    sources = {id: source.content.decode("utf-8") for id, source in submission.sources.items()}
    problems = [[each.file, each.kind, each.message, each.exercise] for each in submission.problems]
    return json.dumps({"name": submission.name, "sources": sources, "problems": problems}).encode("ascii")


def _serve(line: Connection, terms: Terms) -> None:
    launched = launch_ahead(terms.level)  # first, so that torch loads there and here at the same time
    from grader.course import load_course
    from grader.judge.grading import Judge

    course = load_course(terms.course)
    judge = Judge(course, terms.level, terms.seed, terms.only, launched)
    answered = 0

    def take(record: Record) -> None:
        nonlocal answered
        if answered == 0:
            _demand_full_marks(record)
            line.send_bytes(json.dumps({READY: True}).encode())
        else:
            line.send_bytes(json.dumps({"record": record.to_json()}).encode())
        answered += 1

    try:
        judge.grade(_hand_ins(line, course, terms), take)
    finally:
        judge.close()


def _hand_ins(line: Connection, course: Course, terms: Terms) -> Iterator[Submission]:
    """The references, as a trial of the judge itself, and then what comes."""
    from grader.submission import SourceFile, Submission

    paths = {id: course.solution_path(course.exercise(id)) for id in terms.only}
    yield Submission("reference", {id: SourceFile(id, path.name, path.read_bytes()) for id, path in paths.items()}, ())
    while True:
        try:
            yield _submission(json.loads(line.recv_bytes()))
        except EOFError:
            return


def _submission(message: dict[str, Any]) -> Submission:
    from grader.submission import Problem, SourceFile, Submission

    sources = {id: SourceFile(id, id, text.encode("utf-8")) for id, text in message["sources"].items()}
    return Submission(message["name"], sources, tuple(Problem(*each) for each in message["problems"]))


def _demand_full_marks(record: Record) -> None:
    short = [each for each in record.exercises if each.points != each.max_points or each.status != "passed"]
    if short:
        listed = ", ".join(f"{each.id} ({each.points:g} of {each.max_points:g} points)" for each in short)
        raise GraderBroken(
            f"The reference solution does not get full marks here: {listed}. Nobody is graded before that is mended; "
            "`kata verify` says more."
        )


def _sentence(error: MachineError | GraderBroken) -> str:
    if isinstance(error, MachineError):
        return f"This machine cannot isolate submissions (missing: {error}). No grade was recorded. See `kata doctor`."
    return str(error)


if __name__ == "__main__":
    main()
