from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from grader.course import Course
from grader.judge.grading import Judge

from .graded import CHECKS, with_checks


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Course:
    """A course with one exercise, `share`, whose checks have every role."""
    return with_checks(make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share"), CHECKS)


@pytest.fixture
def open_judge() -> Iterator[Callable[..., Judge]]:
    """Makes judges, which are closed at the end of the test."""
    with ExitStack() as opened:
        yield lambda *terms: opened.enter_context(closing(Judge(*terms)))


@pytest.fixture
def judge_with(
    open_judge: Callable[..., Judge], make_course: Callable[..., Path], tmp_path: Path
) -> Callable[[str], Judge]:
    """Makes a judge whose exercise has these checks."""
    return lambda checks: open_judge(with_checks(make_course(tmp_path, "01_parts/01_share"), checks), "process", 1)
