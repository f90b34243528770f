"""A worker of a cluster by itself: until when it has judges for a run."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import distributed
import pytest

from grader.classroom.cluster import ClusterJudges
from grader.classroom.cluster_worker import Job, job_of, leave
from grader.classroom.grading_terms import Terms, run_of
from grader.course import load_course

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(300)]


@pytest.fixture
def job(course_root: Path) -> Job:
    terms = Terms(course_root / "course.yml", "none", 5, ())
    course = load_course(terms.course)
    return job_of(course, terms, run_of(course, terms), [])


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a scheduler whose one worker is in this process."""
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as local:
        yield str(local.scheduler_address)


def _asked(judges: ClusterJudges) -> set[BaseProcess]:
    """The processes that there are when a judge has answered."""
    assert judges.submit(len, "seven..").result() == 7
    return set(multiprocessing.active_children())


def test_call_that_comes_after_the_end_of_its_run_brings_no_judges_back(job: Job, scheduler: str) -> None:
    judges = ClusterJudges(scheduler, job)
    before = _asked(judges)
    judges._client.run(leave, judges._client.id)
    with pytest.raises(ValueError, match="Invalid executor"):
        judges.submit(len, "late").result()
    left = set(multiprocessing.active_children())
    judges.shutdown(cancel_futures=True)
    assert left < before


def test_judges_of_a_killed_command_end_when_the_next_run_comes(job: Job, scheduler: str) -> None:
    killed = ClusterJudges(scheduler, job)
    its_judges = _asked(killed)
    killed._client.close()  # as far as the scheduler can tell
    assert set(multiprocessing.active_children()) == its_judges
    judges = ClusterJudges(scheduler, job)
    left = set(multiprocessing.active_children())
    judges.shutdown(cancel_futures=True)
    assert left < its_judges
