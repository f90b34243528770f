"""A course of tiny exercises, the real commands to run in it, and a real Chromium to look at pages with."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from grader.course.installed import VARIABLE
from grader.course.stubs import make_stub

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # as a shell starts what goes on in the background: commands started here would not hear of Ctrl-C either
    signal.signal(signal.SIGINT, signal.default_int_handler)


HERE = Path(__file__).parent
TINY = HERE / "tiny_course"
FIRST = [
    "release/test_leaks.py", "attacks/test_corpus.py", "authoring/", "docs/test_commands.py", "mutants/", "golden/",
    "in_notebook/", "notebooks/", "practice/", "transcripts/", "classroom/", "play/", "policy/", "attacks/",
    "release/test_release_command.py", "release/test_gradescope.py", "benchmarks/", "docs/", "packaging/", "term/",
    "sandbox/", "service/", "cli/", "example_class/", "judge/",
]  # fmt: skip
"""Where the tests are that take long: begun first, so that no worker is left alone with them at the end."""
LAST = ("release/",)
"""These wait for what the first of them makes."""


def pytest_sessionstart() -> None:
    """What is loaded stays to the end: looking through it for what could go takes seconds, in each worker."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What comes from here on is looked through as ever, without what is loaded."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bring the files into an order that keeps all workers busy; `--no-loadscope-reorder` leaves it as it is."""
    items.sort(key=lambda item: _turn(item.path))


def _turn(path: Path) -> int:
    if not path.is_relative_to(HERE):
        return 0
    name = path.relative_to(HERE).as_posix()
    places = [place for place, start in enumerate(FIRST) if name.startswith(start)]
    return places[0] if places else len(FIRST) + name.startswith(LAST)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[], Path]], Path]:
    """Has one of the workers make what takes long; `made_once(name, make)` is where it lies."""
    own = tmp_path_factory.getbasetemp()
    place = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def once(name: str, make: Callable[[], Path]) -> Path:
        with FileLock(place / f"{name}.lock"):
            told = place / f"{name}.made"
            if not told.exists():
                told.write_text(str(make()), encoding="utf-8")
            return Path(told.read_text(encoding="utf-8"))

    return once


@pytest.fixture(scope="session", autouse=True)
def own_settings() -> Iterator[None]:
    """Only tests name a course, and no judge stays warm."""
    with pytest.MonkeyPatch.context() as changed:
        changed.delenv(VARIABLE, raising=False)
        changed.setenv("KATA_SERVICE", "0")  # one would outlive the tests
        yield


# Plain `pytest` is the learner's, as in the real course.
PYTEST_INI = "[pytest]\ntestpaths = exercises\naddopts = --import-mode=importlib\n"


def write_course(root: Path, *kits: str, named: bool = True) -> Path:
    """Write a course with a copy of tiny_course's exercise for each of `kits`, like "01_parts/01_share"; return its folder.

    named: commands that are run in this folder use it, as if its author had set KATA_COURSE.
    """
    sources = {path.name: path.read_text(encoding="utf-8") for path in TINY.glob("*.*")}
    course, unit_block, exercise_block = re.split(r"(?m)^(?=  - folder|      - id)", sources["course.yml"])
    lessons: dict[str, str] = {}
    for kit in kits:
        unit, _, stem = kit.partition("/")
        number, _, id = stem.partition("_")
        if unit not in lessons:
            course += unit_block.replace("01_parts", unit)
            lessons[unit] = f"# {unit}\n"
        course += exercise_block.replace("share", id).replace("number: 1", f"number: {int(number)}")
        lessons[unit] += f"\n## {number} Parts of a whole\n\n`{id}`\n"
        of_id = {name: source.replace("share", id) for name, source in sources.items()}
        _write(root / "solutions" / f"{kit}.py", of_id["solution.py"])
        _write(root / "exercises" / f"{kit}.py", make_stub(of_id["solution.py"]))
        for name in ("checks.py", "mistakes.py", "alternatives.py"):
            _write(root / "tests" / "kits" / kit / name, of_id[name])
    for unit, lesson in lessons.items():
        _write(root / "exercises" / unit / "README.md", lesson)
    _write(root / "course.yml", course)
    _write(root / "pytest.ini", PYTEST_INI)
    if named:
        _use_course(root, root)
    return root


COURSES: dict[Path, Path] = {}
"""The course that commands use in a folder and below it, as if their user had set KATA_COURSE."""


def _use_course(folder: Path, course: Path) -> None:
    COURSES[folder.resolve()] = course


@pytest.fixture(scope="session")
def use_course() -> Callable[[Path, Path], None]:
    """`use_course(folder, course)`: commands that are run in this folder use this course from now on."""
    return _use_course


def _course_in(cwd: Path) -> dict[str, str]:
    """KATA_COURSE for a command that is run in a folder."""
    here = cwd.resolve()
    return next(({VARIABLE: str(COURSES[folder])} for folder in (here, *here.parents) if folder in COURSES), {})


@pytest.fixture(scope="session")
def course_in() -> Callable[[Path], dict[str, str]]:
    """`course_in(folder)`: the variable with which a command that is run in this folder uses its course."""
    return _course_in


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def make_course() -> Callable[..., Path]:
    """`write_course`, for tests that want more than one exercise or a course for a whole module."""
    return write_course


@pytest.fixture
def tiny_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a course with one complete exercise, `share`. KATA_COURSE names it, in workspaces too."""
    root = write_course(tmp_path / "tiny", "01_parts/01_share")
    monkeypatch.setenv(VARIABLE, str(root))
    return root


@pytest.fixture(scope="session")
def golden() -> Callable[[Path, str], None]:
    """`golden(path, text)` compares a text with a file, whole; with RENEW set in the environment it writes the file."""

    def compare(path: Path, text: str) -> None:
        if os.environ.get("RENEW"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == text

    return compare


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def run_command() -> Run:
    """Runs a command in a folder and returns what it printed and its exit status."""

    def run(
        *command: object,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        seconds: float = 100,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            list(map(str, command)),
            cwd=cwd,
            env={**_plain_environment(), **_course_in(cwd), **(env or {})},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=seconds,
            check=False,
        )

    return run


KATA = Path(sys.executable).with_name("kata")
READ_AT_START = ("PYTHON", "LD_", "OMP_", "MKL_")
"""Variables that Python or a library reads once, when it starts."""


@pytest.fixture(scope="session")
def kata() -> Run:
    """Calls `kata` in this process, see tests/called.py, as `cold_kata` does; pytest keeps the time."""

    def run(
        *words: object, cwd: Path, env: Mapping[str, str] | None = None, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        from .called import kata  # which loads the command line

        plain = _plain_environment()
        read_at_start = [name for name, value in (env or {}).items() if name.startswith(READ_AT_START)]
        assert all((env or {})[name] == plain.get(name) for name in read_at_start), "cold_kata obeys these"
        return kata(list(map(str, words)), {**plain, **_course_in(cwd), **(env or {})}, cwd, stdin)

    return run


@pytest.fixture(scope="session")
def cold_kata(run_command: Run) -> Run:
    """Runs `kata` as it is installed, started anew: where starting is what matters, and here and there to be sure."""
    return partial(run_command, KATA)


def _plain_environment() -> dict[str, str]:
    """This environment without what the pytest around it has set, in a wide terminal without colour.

    On a CI machine pytest writes a longer summary, so it must not know that it is on one. Learners have no hypothesis,
    whose plugin takes pytest a second at its end.
    """
    foreign = ("PYTEST_", "COV_")
    on_ci = ("CI", "BUILD_NUMBER")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign) and name not in on_ci}
    return {
        **kept,
        "COLUMNS": "140",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
        "PYTEST_ADDOPTS": "-p no:hypothesispytest",
    }


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Shows pages in a real Chromium; see tests/browser.py."""
    from .browser import open_browser  # selenium takes long to load

    with open_browser() as opened:
        yield opened
