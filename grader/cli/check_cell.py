"""The command behind a notebook's check cell: one question about the cells that were run, and the answer in parts.

The question is a line of JSON on standard input, each part a line on standard output, as text and as HTML. It ends with
the kernel that asked, which holds its standard input open.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from html import escape
from pathlib import Path
from typing import Any

from grader.course import load_course
from grader.course.installed import course_file
from grader.errors import KataError
from grader.play.catalogue import offer_of
from grader.practice.checking import ExecutedAnswer, answer_among, judged, note_record
from grader.practice.workspace import Workspace, find_workspace
from grader.render.pages import below_cell
from grader.render.safe_text import safe_line
from grader.render.verdict import verdict_on
from grader.render.wording import ISOLATION, counted
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import MachineError
from grader.service.client import judge_for

LINE_NUMBER = re.compile(r"\bline \d")

CellPart = tuple[str, str, bool]
"""Text, the same as HTML, and whether every check passed."""


def main() -> None:
    """Answer the question on standard input. Never returns."""
    question = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_kernel, daemon=True).start()
    answer = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # others may print
    with suppress(OSError):  # the kernel has ended
        for text, html, passed in _answered(question):
            print(json.dumps({"text": text, "html": html, "passed": passed}), file=answer, flush=True)
    os._exit(0)


def _end_with_kernel() -> None:
    sys.stdin.read()
    os._exit(1)


def _answered(question: dict[str, Any]) -> Iterator[CellPart]:
    """The parts of the answer; what prevents one is a sentence."""
    try:
        yield from _played(question) if "play" in question else _checked(question)
        return
    except MachineError as error:
        sentence = f"Your code cannot be run here (missing: {error}). See `kata doctor`."
    except KataError as error:
        sentence = str(error)
    except Exception as error:
        sentence = f"The judge broke ({type(error).__name__}: {error}). That is no fault of your code."
    yield sentence, f"<p>{escape(sentence)}</p>", False


def _played(question: dict[str, Any]) -> Iterator[CellPart]:
    """Each part of a scene. Raises KataError, MachineError."""
    from grader.play.showing import played_in_cell, read_line

    typed = read_line(question["play"])
    workspace, _, answer = _found(question, typed.exercise)
    exercise, source = workspace.course.exercise(typed.exercise), answer.submission.sources[typed.exercise].content
    for text, html in played_in_cell(workspace, exercise, source, typed, has_magic=question["has_magic"]):
        yield text, html, True


def _checked(question: dict[str, Any]) -> Iterator[CellPart]:
    """The verdict. Raises KataError, MachineError."""
    id = question["exercise"]
    workspace, keeps_progress, answer = _found(question, id)
    course = workspace.course
    with closing(judge_for(course, strongest_level(), course.seed_for(question.get("seed")), [id])) as judge:
        record, mismatches = judged(judge, answer.submission, [id])
    (result,) = record.exercises
    remarks = []
    if answer.lines_before and any(LINE_NUMBER.search(check.message) for check in result.checks):
        before, first = counted(answer.lines_before, "line"), answer.lines_before + 1
        remarks.append(
            f"Line numbers count {before} of other cells too, in front of this one: line {first} is its first."
        )
    if question["is_try"] and keeps_progress:
        play = "%kata play {}" if question["has_magic"] else 'kata.play("{}")'
        remarks += [*note_record(workspace, answer.submission, record), *filter(None, [offer_of(result, play)])]
    text, page = below_cell(
        verdict_on(result, title=course.exercise(id).title, mismatches=mismatches, in_cell=True),
        closing=f"Checked as it was run in [{answer.number}]. Isolation: {ISOLATION[record.isolation]}. "
        f'The same inputs again with kata.check("{result.id}", seed={record.seed})',
        problems=[safe_line(problem.message) for problem in record.problems],
        remarks=remarks,
    )
    yield text, page, record.complete and result.status == "passed"


def _found(question: dict[str, Any], id: str) -> tuple[Workspace, bool, ExecutedAnswer]:
    """The workspace, whether progress is kept there, and the answer that was run last. Raises KataError."""
    start, named = Path(question["folder"]), question["course"]
    course = load_course(course_file(None if named is None else start / Path(named).expanduser()))
    found = find_workspace(course, start)  # none around a notebook that nbgrader fetched: it is checked all the same
    answer = answer_among(question["cells"], course.exercise(id), course)
    if answer is None:
        missing = f"the cell with your answer to {id} has not been run since the kernel was started"
        raise KataError(f"There is nothing to check yet: {missing}. Run it, then this cell.")
    return found or Workspace(course, course.root), found is not None, answer


if __name__ == "__main__":
    main()
