"""A worker of a cluster by itself: who gets judges there, and until when."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.cluster_worker import Answer, Job, RunEnded, answer, leave
from grader.classroom.grading_terms import Terms, run_of
from grader.course import load_course


@pytest.fixture
def job(course_root: Path) -> Job:
    terms = Terms(course_root / "course.yml", "none", 5, ())
    return Job("a-run", terms, run_of(load_course(terms.course), terms), {})


@pytest.mark.thorough
def test_call_that_comes_after_the_end_of_its_run_brings_no_judges_back(job: Job) -> None:
    ask: Callable[[], Answer] = lambda: answer(job, 1, len, "seven..")  # noqa: E731
    assert ask().value == 7
    before = set(multiprocessing.active_children())
    leave(job.id)
    late = ask()
    assert isinstance(late.error, RunEnded) and late.value is None
    assert before and set(multiprocessing.active_children()) <= before
