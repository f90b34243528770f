"""The hidden checks of a course: collected once by pytest, then run one after another without it.

A check is a pytest function of `learner`, or of `learner` and `draw`, and may be parametrised. Collecting with pytest
keeps checks ordinary pytest functions; running them directly avoids pytest's overhead for every submission. pytest sees
an exercise's file as a node with its hidden checks below it; the file itself is never imported.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from grader.course import Course, Exercise
from grader.course.stubs import same_as_stub, stub_of

from .authored import fault, place
from .faults import GraderBroken
from .points import Role
from .trusted import CourseCode

if TYPE_CHECKING:
    from .draw import Draw
    from .learner import LearnerModule


@dataclass(frozen=True)
class Worth:
    """What one check is worth, from its `points` marker."""

    points: float
    role: Role
    visible: bool
    title: str
    converses: bool = False


class Kit:
    """An exercise with what the judge has for it; a learner's bundle has plans in place of the answers."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.course = course
        self.exercise = exercise
        self.checks_path = course.checks_path(exercise)

    @cached_property
    def code(self) -> CourseCode | None:
        """The reference and the known mistakes; none in a learner's bundle."""
        if self.course.is_bundle:
            return None
        return CourseCode(self.course.solution_path(self.exercise), self.course.mistakes_path(self.exercise))

    def forget(self) -> None:
        """Drop what is cached for a seed that is no longer used."""
        if "code" in self.__dict__ and self.code is not None:
            self.code.forget()

    @cached_property
    def stub(self) -> str:
        """The file as a learner is given it."""
        return stub_of(self.course, self.exercise)

    def is_untouched(self, source: bytes) -> bool:
        """Whether a learner's file is still the stub."""
        return same_as_stub(source, self.stub)


class ExerciseFile(pytest.Module):
    """The node of one exercise; its items are the hidden checks."""

    kit: Kit

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, kit: Kit) -> ExerciseFile:
        """The node for `path`, which need not be the file that is graded."""
        node: ExerciseFile = cls.from_parent(parent, path=path)
        node.kit = kit
        return node

    def _getobj(self) -> ModuleType:
        if not self.kit.checks_path.is_file():
            raise self.CollectError(f"There are no hidden checks for {self.kit.exercise.id} in this course.")
        try:
            return _load_checks(self.kit.checks_path)
        except Exception as error:
            raise self.CollectError(fault(error, self.kit.checks_path)) from None

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        items = list(super().collect())
        for item in items:
            if isinstance(item, pytest.Function) and item.get_closest_marker("points") is None:
                line = item.obj.__code__.co_firstlineno
                raise self.CollectError(
                    f"{place(self.kit.checks_path, line)}: {item.name} has no @points: write above it what it is worth"
                )
        return items


def _load_checks(path: Path) -> ModuleType:
    name = "kata_checks_" + re.sub(r"\W", "_", "_".join(path.parts[-3:-1]))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def worth_of(item: pytest.Item) -> Worth:
    """Read a check's marker and its title."""
    marker = item.get_closest_marker("points")
    assert marker is not None
    value, options = float(marker.args[0]), marker.kwargs
    title = _title(getattr(item, "obj", None))
    return Worth(value, options["role"], options["visible"], title, options["converses"])


def _title(function: Any) -> str:
    text = (function.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(text.split())


def exercise_file(item: pytest.Item) -> ExerciseFile:
    """The exercise that a check belongs to."""
    node = item.getparent(ExerciseFile)
    assert node is not None
    return node


GIVEN = frozenset({"learner", "draw"})
"""The arguments that a check may have."""

# pytest plugins for interactive use, which collecting does not need.
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

    def run(self, learner: LearnerModule, draw: Draw) -> None:
        """Run it. Raises CheckFailed for the learner's fault; any other error is the grader's own."""
        given = {"learner": learner, "draw": draw}
        self.function(**{name: given[name] for name in self.wants}, **self.parameters)

    @property
    def file(self) -> Path:
        """The file that defines it."""
        return Path(inspect.unwrap(self.function).__code__.co_filename)

    @classmethod
    def of(cls, item: pytest.Item) -> Check:
        """The check for a collected pytest item. Raises GraderBroken for one with an unknown argument."""
        function = item.obj  # type: ignore[attr-defined]
        parameters = dict(item.callspec.params) if hasattr(item, "callspec") else {}
        wants = frozenset(inspect.signature(function).parameters) - parameters.keys()
        if not wants <= GIVEN:
            strange = ", ".join(sorted(wants - GIVEN))
            where = place(exercise_file(item).kit.checks_path, function.__code__.co_firstlineno)
            raise GraderBroken(f"{where}: {item.name} gets `learner` and `draw`, and there is no `{strange}`")
        return cls(item.name, worth_of(item), function, wants, parameters)


def collect_checks(course: Course, kits: Sequence[Kit]) -> dict[str, tuple[Check, ...]]:
    """The checks of these exercises, by exercise id, in the order of their files.

    Raises GraderBroken when some are missing or cannot be collected.
    """
    absent = [kit.exercise.id for kit in kits if not kit.checks_path.is_file()]
    if absent:
        kind = "checks" if course.is_bundle else "hidden checks"
        raise GraderBroken(f"there are no {kind} for {', '.join(absent)}")
    collector = _Collector(kits)
    arguments = ["-c", os.devnull, "--rootdir", str(course.root), "--import-mode=importlib", "--collect-only"]
    arguments += ["--noconftest"]  # a check gets `learner` and `draw`, and nothing from conftest files
    arguments += [part for name in LEAN for part in ("-p", f"no:{name}")]
    arguments += [str(kit.checks_path) for kit in kits]
    with _own_environment():
        code = pytest.main(arguments, plugins=[collector])
    if collector.problems:
        raise GraderBroken(f"the hidden checks could not be collected: {'; '.join(collector.problems)}")
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise GraderBroken(f"the hidden checks could not be collected: {code}")
    return {kit.exercise.id: tuple(map(Check.of, collector.items.get(kit.exercise.id, []))) for kit in kits}


class _Collector:
    """A pytest plugin that collects the files of checks and stores their items."""

    def __init__(self, kits: Sequence[Kit]) -> None:
        self._by_path = {kit.checks_path: kit for kit in kits}
        self.items: dict[str, list[pytest.Item]] = {}
        self.problems: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line(
            "markers", "points(value, role, visible, converses): what a check of an exercise is worth"
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
        collected = yield
        kit = self._by_path.get(file_path)
        return [ExerciseFile.of(parent, file_path, kit)] if kit else collected

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(report.longreprtext.strip().splitlines()[-1][:300])

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.items.setdefault(exercise_file(item).kit.exercise.id, []).append(item)


@contextmanager
def _own_environment() -> Iterator[None]:
    """Keep the user's pytest settings and plugins out of grading."""
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
