"""The hidden checks of a course: collected once by pytest, then run one after another without it.

A check is a pytest function of `learner`, or of `learner` and `draw`, and may be parametrised. Collecting them with
pytest keeps them ordinary pytest functions; running them for submission after submission takes none of its protocol.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.course import Course

from . import fixtures
from .authored import place
from .collection import ExerciseFile, Kit, Worth, exercise_file, worth_of
from .errors import GraderBroken

if TYPE_CHECKING:
    from .draw import Draw
    from .learner import Learner

GIVEN = frozenset({"learner", "draw"})
"""What a check may ask for."""

# Collecting needs none of what pytest does for a person at a terminal.
LEAN = ("cacheprovider", "terminal", "capture", "logging", "warnings", "doctest", "junitxml", "stepwise", "pastebin",
        "setuponly", "setupplan", "debugging", "nose", "faulthandler", "unraisableexception", "threadexception",
        "recwarn", "reports", "legacypath", "skipping")  # fmt: skip


@dataclass(frozen=True)
class Check:
    """One hidden check."""

    name: str
    worth: Worth
    function: Callable[..., object]
    wants: frozenset[str]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def run(self, learner: Learner, draw: Draw) -> None:
        """Run it. Raises CheckFailed for the learner's fault; anything else is the grader's own."""
        given = {"learner": learner, "draw": draw}
        self.function(**{name: given[name] for name in self.wants}, **self.parameters)

    @property
    def file(self) -> Path:
        """Where it is written."""
        return Path(inspect.unwrap(self.function).__code__.co_filename)

    @classmethod
    def of(cls, item: pytest.Item) -> Check:
        """The check that pytest has collected. Raises GraderBroken for one that asks for something else."""
        function = item.obj  # type: ignore[attr-defined]
        parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        wants = frozenset(inspect.signature(function).parameters) - parameters.keys()
        if not wants <= GIVEN:
            strange = ", ".join(sorted(wants - GIVEN))
            where = place(exercise_file(item).kit.checks_path, function.__code__.co_firstlineno)
            raise GraderBroken(f"{where}: {item.name} gets `learner` and `draw`, and there is no `{strange}`")
        return cls(item.name, worth_of(item), function, wants, parameters)


def collect_checks(course: Course, kits: Sequence[Kit]) -> dict[str, tuple[Check, ...]]:
    """The checks of these exercises, by the exercise's id, in the order in which they are written.

    Raises GraderBroken when some are not there or cannot be collected.
    """
    absent = [kit.exercise.id for kit in kits if not kit.checks_path.is_file()]
    if absent:
        kind = "checks" if course.is_bundle else "hidden checks"
        raise GraderBroken(f"there are no {kind} for {', '.join(absent)}")
    collector = _Collector(course, kits)
    arguments = ["-c", os.devnull, "--rootdir", str(course.root), "--import-mode=importlib", "--collect-only"]
    arguments += ["--noconftest"]  # a check gets `learner` and `draw`, and nothing else that lies around
    arguments += [part for name in LEAN for part in ("-p", f"no:{name}")]
    arguments += [str(kit.checks_path) for kit in kits]
    with _own_environment():
        code = pytest.main(arguments, plugins=[collector, fixtures])
    if collector.problems:
        raise GraderBroken(f"the hidden checks could not be collected: {'; '.join(collector.problems)}")
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise GraderBroken(f"the hidden checks could not be collected: {code}")
    return {kit.exercise.id: tuple(map(Check.of, collector.items.get(kit.exercise.id, []))) for kit in kits}


class _Collector:
    """A pytest plugin that takes the files of checks for what they are, and keeps what was found."""

    def __init__(self, course: Course, kits: Sequence[Kit]) -> None:
        self._course = course
        self._by_path = {kit.checks_path: kit for kit in kits}
        self.items: dict[str, list[pytest.Item]] = {}
        self.problems: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "points(value, role, visible): what a check of an exercise is worth")

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
        collected = yield
        kit = self._by_path.get(file_path)
        return [ExerciseFile.of(parent, file_path, kit, self._course)] if kit else collected

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(report.longreprtext.strip().splitlines()[-1][:300])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.items.setdefault(exercise_file(item).kit.exercise.id, []).append(item)


@contextmanager
def _own_environment() -> Iterator[None]:
    """Keep the user's pytest settings and plugins out of a grade."""
    kept = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
