"""The course's own hidden checks without wall, pytest or marks: what another tool's test cells run to do equal work.

The same check functions draw the same inputs from the same seed, ask the same questions and compare with the same
reference; only there is no second process between them and the learner's code. `write_facts` says beforehand, in a file
named by the environment, what a check needs of the catalogue, so that no test cell has to read `course.yml`.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.course import Course

FACTS = "KATA_BARE_FACTS"
"""The environment's variable with the path of the facts."""


def write_facts(path: Path, course: Course, seed: int) -> None:
    """Write what the checks need to know of the catalogue."""
    from grader.course.stubs import stub_of

    told = {
        exercise.id: {
            "checks": str(course.checks_path(exercise)),
            "solution": str(course.solution_path(exercise)),
            "mistakes": str(course.mistakes_path(exercise)),
            "given": stub_of(course, exercise),
            "entry_points": list(exercise.entry_points),
            "calls": list(exercise.forbidden.calls) if exercise.forbidden else [],
            "operators": list(exercise.forbidden.operators) if exercise.forbidden else [],
            "reason": exercise.forbidden.reason if exercise.forbidden else "",
        }
        for exercise in course.exercises
    }
    path.write_text(json.dumps({"seed": seed, "exercises": told}), encoding="utf-8")


def check_cell(exercise: str, names: Mapping[str, Any]) -> None:
    """Check what a notebook's kernel holds; `names` are its globals. Raises AssertionError that names failed checks."""
    entry = _facts()["exercises"][exercise]["entry_points"][0]
    defines = re.compile(rf"^(def|class) {entry}\b", re.MULTILINE)
    source = next((cell for cell in reversed(names["In"]) if defines.search(cell)), "")
    _check(exercise, names, source)


def check_file(exercise: str, path: Path) -> None:
    """Check a learner's file. Raises AssertionError that names failed checks, and whatever the file raises."""
    from grader.sandbox.inside import host

    source = path.read_text(encoding="utf-8")
    _check(exercise, host.load(source, path.name), source)


def _check(exercise: str, names: Mapping[str, Any], source: str) -> None:
    failed = failed_checks(exercise, names, source)
    assert not failed, f"{exercise}: {', '.join(failed)}"


def failed_checks(exercise: str, names: Mapping[str, Any], source: str) -> list[str]:
    """Run every check of an exercise on these names; the names of those that failed."""
    from grader.judge.draw import Draw
    from grader.judge.failure import CheckFailed
    from grader.judge.learner import LearnerModule
    from grader.sandbox.inside import host

    facts = _facts()["exercises"][exercise]
    expected = _expected(exercise)
    scan = host.scan(source, facts["calls"], facts["entry_points"])
    if scan.get("forbidden") or "syntax" in scan:
        return ["the look at the source"]
    failed, doubted, main_failed = [], [], False
    for name, check in _checks(exercise).items():
        draw = Draw(_facts()["seed"], exercise, name, expected.code.reference.namespace)
        learner = LearnerModule(
            worker=_SameProcess(names, facts["operators"]),
            expected=expected,
            draw=draw,
            source=source,
            given=facts["given"],
            forbidden_reason=facts["reason"],
        )
        given = {"learner": learner, "draw": draw}
        try:
            check(**{name: given[name] for name in inspect.signature(check).parameters})
        except CheckFailed:
            failed.append(name)
            main_failed = main_failed or check.pytestmark[0].kwargs["role"] == "main"
        else:
            doubted += [name] if learner.doubts else []
    return failed if main_failed else failed + doubted


class _SameProcess:
    """Answers questions here and now, with the functions that answer them behind the wall."""

    printed_bytes = 0

    def __init__(self, names: Mapping[str, Any], operators: list[str]) -> None:
        self._names, self._operators = names, operators

    def ask(self, question: Any) -> Any:
        from grader.sandbox.inside import host, wire

        asked = wire.unpack_frame(question.frame)
        return wire.copied(host.run_question(asked, self._names, "the learner's", self._operators))


@functools.cache
def _facts() -> Any:
    return json.loads(Path(os.environ[FACTS]).read_text(encoding="utf-8"))


@functools.cache
def _expected(exercise: str) -> Any:
    from grader.judge.expected import Expected
    from grader.judge.plan import Plan
    from grader.judge.trusted import CourseCode

    facts = _facts()["exercises"][exercise]
    code = CourseCode(Path(facts["solution"]), Path(facts["mistakes"]))
    return Expected(Plan(), functools.partial(code.draw, _facts()["seed"], exercise), code)


@functools.cache
def _checks(exercise: str) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location(f"checks_of_{exercise}", _facts()["exercises"][exercise]["checks"])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: value for name, value in vars(module).items() if name.startswith("test_")}
