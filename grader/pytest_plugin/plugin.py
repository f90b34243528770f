"""The pytest plugin. Every pytest in the environment loads it, so importing it loads nothing heavy.

`pytest exercises/<unit>/<NN>_<id>.py` collects the exercise's hidden checks under that file and runs the learner's code
behind the wall. Outside a course the plugin does nothing.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.judge.fixtures import draw, learner

if TYPE_CHECKING:
    from grader.sandbox.levels import Level

__all__ = ["draw", "learner"]

PRACTICE: pytest.StashKey[Any] = pytest.StashKey()
"""The Practice of this run, created at the first exercise file."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("attention kata")
    group.addoption(
        "--isolation",
        choices=("full", "reduced", "process", "none"),
        default=None,
        help="how a learner's code is walled off (default: the strongest this machine has; none for --pdb and -s)",
    )
    group.addoption("--seed", type=int, default=None, help="seed of the hidden inputs (default: a fresh one)")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "points(value, role, visible): what a check of an exercise is worth")


def _may_be_work(path: Path) -> bool:
    """Whether a path looks like an exercise file, without a heavy import.

    Later steps find out whether it is one, and of a course that the user named.
    """
    if "exercises" not in path.parts and path.parent.name != "review":
        return False
    if any(
        (folder / "course.yml").is_file() or (folder / ".kata" / "workspace.json").is_file() for folder in path.parents
    ):
        return True
    from grader.registry import RegistryError, registered_around

    try:
        return registered_around(path.parent) is not None
    except RegistryError:
        return False  # the kata commands report this; pytest in other projects must go on


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    collected = yield
    if file_path.suffix != ".py" or not _may_be_work(file_path):
        return collected
    practice = parent.config.stash.get(PRACTICE, None)
    if practice is None:
        practice = parent.config.stash[PRACTICE] = _practice(parent.config)
    node = practice.collect(file_path, parent)
    # replaces pytest's own node, which would import the file
    return collected if node is None else [node]


def _practice(config: pytest.Config) -> Any:
    from .practice import Practice

    return Practice(config, _level(config))


def _level(config: pytest.Config) -> Level:
    """The level asked for, or the strongest; a debugger and print need the code in this process."""
    from grader.sandbox.doctor import strongest_level

    asked: Level | None = config.getoption("isolation")
    if asked is not None:
        return asked
    wants_a_look_inside = config.getoption("usepdb") or config.getoption("capture") == "no"
    return "none" if wants_a_look_inside else strongest_level()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    practice = item.config.stash.get(PRACTICE, None)
    if practice is not None:
        practice.prepare(item)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    practice = item.config.stash.get(PRACTICE, None)
    if practice is not None:
        practice.leave(item, nextitem)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    practice = item.config.stash.get(PRACTICE, None)
    if practice is not None:
        practice.explain(item, call, report)
    return report


def pytest_report_teststatus(report: Any) -> tuple[str, str, str] | None:
    if getattr(report, "kata_not_started", False):
        return "not started", "-", "NOT STARTED"
    if getattr(report, "kata_hidden", False):
        return "to run when you hand in", "", "RUNS WHEN YOU HAND IN"
    if getattr(report, "kata_example", False):
        return "example checks hold", "~", "THE EXAMPLE HOLDS"
    return None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    practice = config.stash.get(PRACTICE, None)
    offer = practice.offer() if practice is not None else ""
    if offer:
        terminalreporter.write_line(offer)


def pytest_unconfigure(config: pytest.Config) -> None:
    practice = config.stash.get(PRACTICE, None)
    if practice is not None:
        practice.close()
