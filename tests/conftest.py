"""A course of tiny exercises, the real commands to run in it, and a real Chromium to look at pages with."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from grader.course.installed import VARIABLE
from grader.course.stubs import make_stub

from .warm.client import Warm

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # as a shell starts what goes on in the background: commands started here would not hear of Ctrl-C either
    signal.signal(signal.SIGINT, signal.default_int_handler)


HERE = Path(__file__).parent
FIRST = (
    *(
        "release/test_leaks.py",
        "attacks/test_corpus.py",
        "authoring/",
        "docs/test_commands.py",
        "mutants/",
        "in_notebook/",
    ),
    *(
        "notebooks/",
        "practice/",
        "transcripts/",
        "classroom/",
        "play/",
        "policy/",
        "attacks/",
        "release/test_release_command.py",
    ),
    *("release/test_gradescope.py", "benchmarks/", "docs/", "packaging/", "term/", "sandbox/", "service/", "cli/"),
    *("example_class/", "judge/"),
)
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
def made_once(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str, Callable[[], Path], Callable[[Path], None]], Path]:
    """Has one of the workers make a folder that takes long; `made_once(name, make, then)` is where it lies.

    `then` is called in each worker, in one at a time.
    """
    own = tmp_path_factory.getbasetemp()
    place = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def once(name: str, make: Callable[[], Path], then: Callable[[Path], None]) -> Path:
        with FileLock(place / f"{name}.lock"):
            told = place / f"{name}.made"
            if not told.exists():
                told.write_text(str(make()), encoding="utf-8")
            made = Path(told.read_text(encoding="utf-8"))
            then(made)
        return made

    return once


@pytest.fixture(scope="session", autouse=True)
def own_settings() -> Iterator[None]:
    """Only tests name a course, and no judge stays warm."""
    with pytest.MonkeyPatch.context() as changed:
        changed.delenv(VARIABLE, raising=False)
        changed.setenv("KATA_SERVICE", "0")  # one would outlive the tests
        yield


COURSE = """\
title: Tiny
version: "1"
documents:
  sums:
    title: Sums and parts
    author: someone
    language: English
units:
"""

UNIT = """\
  - folder: {unit}
    title: "{unit}"
    exercises:
"""

EXERCISE = """\
      - id: {id}
        number: {number}
        kind: implement
        title: Parts of a whole ({id})
        points: 4
        requires: []
        document: sums
        step: the first one
        entry_points: [{id}]
        hints: [What must a row add up to?, Divide by the sum., Sum over the last axis with keepdim=True.]
"""

SOLUTION = '''\
"""Parts of a whole: every amount is divided by the sum of its row."""

import torch


def {id}(amounts: torch.Tensor) -> torch.Tensor:
    # BEGIN SOLUTION
    total = amounts.sum(dim=-1, keepdim=True)
    return amounts / total
    # END SOLUTION
'''

CHECKS = '''\
import torch

from grader.judge.authoring import expect, function, points


@points(1, visible=True)
def test_example(learner):
    """1, 1 and 2 become .25, .25 and .5."""
    (parts,) = learner.outputs(function("{id}", torch.tensor([1.0, 1.0, 2.0])))
    expect(parts.tolist() == [0.25, 0.25, 0.5], "The parts of 1, 1 and 2 should be .25, .25 and .5.")


@points(2, role="main")
def test_every_row_by_itself(learner, draw):
    """Every amount is divided by the sum of its own row."""
    rows, columns = draw.distinct(2, 2, 6)
    learner.agrees(
        function("{id}", draw.uniform(rows, columns, low=1.0), axes="rows columns"),
        function("{id}", draw.uniform(columns, columns, low=1.0), axes="rows columns"),
    )


@points(1, role="manners")
def test_amounts_are_left_alone(learner, draw):
    """The amounts that were passed in are not changed."""
    learner.keeps_inputs(function("{id}", draw.uniform(3, 4, low=1.0), names=["amounts"]))
'''

MISTAKES = """\
from grader.judge.authoring import Mistake

SUM = "amounts.sum(dim=-1, keepdim=True)"

MISTAKES = [
    Mistake("whole-sum", "You divided by one sum of everything.", "test_every_row_by_itself", [(SUM, "amounts.sum()")]),
    Mistake("columns", "You summed the columns.", edits=[(SUM, "amounts.sum(0, keepdim=True)")]),
    Mistake("largest", "You divided by the largest.", "test_example", [(SUM, "amounts.amax(-1, keepdim=True)")]),
]
"""

ALTERNATIVES = {
    "reciprocal": "def {id}(amounts):\n    return amounts * amounts.sum(-1, True).reciprocal()\n",
    "loop": "import torch\n\n\ndef {id}(amounts):\n"
    "    rows = amounts.reshape(-1, amounts.shape[-1])\n"
    "    return torch.stack([row / sum(row) for row in rows]).reshape(amounts.shape)\n",
    "einsum": "import torch\n\n\ndef {id}(amounts):\n"
    "    return amounts / torch.einsum('...i->...', amounts).unsqueeze(-1)\n",
}

# Plain `pytest` is the learner's, as in the real course.
PYTEST_INI = "[pytest]\ntestpaths = exercises\naddopts = --import-mode=importlib\n"


def write_course(root: Path, *kits: str, named: bool = True) -> Path:
    """Write a course with one complete kit for each of `kits`, like "01_parts/01_share"; return its folder.

    named: commands that are run in this folder use it, as if its author had set KATA_COURSE.
    """
    course, units = COURSE, set[str]()
    for kit in kits:
        unit, _, stem = kit.partition("/")
        number, _, id = stem.partition("_")
        if unit not in units:
            units.add(unit)
            course += UNIT.format(unit=unit)
            _write(root / "exercises" / unit / "README.md", f"# {unit}\n")
        course += EXERCISE.format(id=id, number=int(number))
        solution = SOLUTION.format(id=id)
        _write(root / "solutions" / f"{kit}.py", solution)
        _write(root / "exercises" / f"{kit}.py", make_stub(solution))
        folder = root / "tests" / "kits" / kit
        _write(folder / "checks.py", CHECKS.format(id=id))
        _write(folder / "mistakes.py", MISTAKES)
        written = {name: source.format(id=id) for name, source in ALTERNATIVES.items()}
        _write(folder / "alternatives.py", f"ALTERNATIVES = {written!r}\n")
        with (root / "exercises" / unit / "README.md").open("a", encoding="utf-8") as lesson:
            lesson.write(f"\n## {number} Parts of a whole\n\n`{id}`\n")
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


ALWAYS_COLD = "KATA_TESTS_COLD"


@pytest.fixture(scope="session")
def open_warm() -> Iterator[Callable[[str], Warm]]:
    """The process that has loaded what a kind of programs loads, see tests/warm/server.py."""
    opened: dict[str, Warm] = {}

    def of(kind: str) -> Warm:
        if kind not in opened:
            opened[kind] = Warm(kind, _plain_environment())
        return opened[kind]

    yield of
    for warm in opened.values():
        warm.close()


@pytest.fixture(scope="session")
def run_warm(run_command: Run, open_warm: Callable[[str], Warm]) -> Callable[..., Run]:
    """Runs programs as `run_command` does, but as forks of a process that has loaded what they load.

    `run_warm("nbgrader", program, ...)` gives the runner of some programs of a kind. Where a fork would differ from a
    process that is started anew, and with KATA_TESTS_COLD set, one is started.
    """

    def runner(kind: str, *programs: Path) -> Run:
        warm = open_warm(kind)

        def run(
            *command: object,
            cwd: Path,
            env: Mapping[str, str] | None = None,
            stdin: str = "",
            seconds: float = 100,
        ) -> subprocess.CompletedProcess[str]:
            environment = {**_plain_environment(), **_course_in(cwd), **(env or {})}
            if os.environ.get(ALWAYS_COLD) or command[0] not in programs or not warm.is_alike(environment):
                python = () if os.access(str(command[0]), os.X_OK) else (sys.executable,)
                return run_command(*python, *command, cwd=cwd, env=env, stdin=stdin, seconds=seconds)
            return warm.run(list(map(str, command)), cwd, environment, stdin, seconds)

        return run

    return runner


KATA = Path(sys.executable).with_name("kata")


@pytest.fixture(scope="session")
def kata(run_warm: Callable[..., Run]) -> Run:
    """Runs `kata` as it is installed, as a fork of a process that has loaded it."""
    return partial(run_warm("grader", KATA), KATA)


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


# --- a browser ---------------------------------------------------------------------------------------------------

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
REQUIRED = "KATA_BROWSER_REQUIRED"
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # pages may name places elsewhere, and that is seen; no test goes there
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), "Space": (" ", 32, " ")}
"""What a key is called, its code and what it types."""
SCRIPT_SECONDS = 60

# Every text with its colour and what it stands on, the cells of heat maps included.
CONTRASTS = """
const numbers = colour => {
    const [r, g, b, a] = colour.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a === undefined ? 1 : a];
};
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const light = colour => {
    const [r, g, b] = colour.map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = element => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
        layers.push(numbers(getComputedStyle(each).backgroundColor));
        if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
};
const cell = text => {
    let each = text.previousElementSibling;
    return each && each.tagName === 'rect' ? numbers(getComputedStyle(each).fill) : null;
};
const found = {};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const said = walker.currentNode.data.trim();
    if (!said || !element.getClientRects().length || ['title', 'desc'].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const isDrawn = element instanceof SVGElement;
    const below = (isDrawn && cell(element)) || ground(element);
    const ink = numbers(isDrawn ? style.fill : style.color);
    ink[3] *= Number(style.opacity);
    const [dark, bright] = [light(over(ink, below)), light(below)].sort((a, b) => a - b);
    found[`${element.tagName}.${element.className.baseVal ?? element.className}: ${said.slice(0, 40)}`] =
        (bright + 0.05) / (dark + 0.05);
}
return found;
"""

# What is wider than its place and cannot be scrolled there.
CUT_OFF = """
const isCut = each => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== 'visible';
const canScroll = each => ['auto', 'scroll'].includes(getComputedStyle(each).overflowX) && each.tabIndex === 0;
return [...document.querySelectorAll('main *, header *')]
    .filter(each => !(each instanceof SVGElement) && !each.closest('.unseen') && isCut(each) && !canScroll(each))
    .map(each => each.outerHTML.slice(0, 120))
"""

# Tables, pictures and places that have no name for those who listen.
NAMELESS = """
const isNamed = each => each.getAttribute('aria-label')
    || (each.getAttribute('aria-labelledby') || '').split(' ').some(id => document.getElementById(id)?.textContent.trim())
    || each.querySelector(':scope > caption')?.textContent.trim();
return [...document.querySelectorAll('table, [role=img], [role=group], [role=region], section, [tabindex="0"]')]
    .filter(each => !isNamed(each)).map(each => each.outerHTML.slice(0, 120))
"""


class Browser:
    """Shows pages of ours in a real Chromium and tells what became of them."""

    def __init__(self, driver: Chrome) -> None:
        self._driver = driver

    def show(self, page: Path | str, *, width: int, height: int, scheme: str = "light") -> None:
        """Load a file or an address in a window of this size; what was logged before is forgotten."""
        self.tell(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.requests(), self.complaints()
        self._driver.get(page if isinstance(page, str) else page.as_uri())

    def run(self, script: str, *arguments: object) -> Any:
        """What a script, as the body of a function, returns."""
        return self._driver.execute_script(script, *arguments)

    def wait_for(self, script: str) -> Any:
        """What a script, as the body of a function, hands to the function that is its last argument."""
        return self._driver.execute_async_script(script)

    def until(self, script: str, *arguments: object, seconds: float = 60) -> Any:
        """What a script returns, once that is something."""
        from selenium.webdriver.support.wait import WebDriverWait

        return WebDriverWait(self._driver, seconds, poll_frequency=0.1).until(
            lambda _: self.run(script, *arguments), message=script
        )

    def click(self, selector: str) -> None:
        """Press the mouse on an element, which fails where something covers it."""
        self._driver.find_element("css selector", selector).click()

    def write(self, selector: str, text: str) -> None:
        """Type into a field and leave it."""
        field = self._driver.find_element("css selector", selector)
        field.clear()
        field.send_keys(text, "\t")

    def tell(self, command: str, **parameters: object) -> Any:
        """A command of the DevTools protocol."""
        return self._driver.execute_cdp_cmd(command, parameters)

    def press(self, key: str) -> None:
        """A key, as from a keyboard."""
        name, number, text = KEYS[key]
        named = {"key": name, "code": key, "windowsVirtualKeyCode": number}
        self.tell("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        self.tell("Input.dispatchKeyEvent", type="keyUp", **named)

    def contrasts(self) -> dict[str, float]:
        """How well each text on the page stands out from what it stands on."""
        found: dict[str, float] = self.run(CONTRASTS)
        return found

    def scrolls_sideways(self) -> bool:
        """Whether the page is wider than the window."""
        # not innerWidth: a phone zooms out until everything fits
        width, room = self.run("const page = document.documentElement; return [page.scrollWidth, page.clientWidth]")
        return bool(width > room)

    def cut_off(self) -> list[str]:
        """What is wider than its place and cannot be scrolled there."""
        return list(self.run(CUT_OFF))

    def nameless(self) -> list[str]:
        """Tables, pictures and places that have no name for those who listen."""
        return list(self.run(NAMELESS))

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self._driver.get_log("performance")]
        sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent]

    def complaints(self) -> list[str]:
        """What stood in the console since the last call."""
        return [entry["message"] for entry in self._driver.get_log("browser")]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; the test is skipped where there is none, unless KATA_BROWSER_REQUIRED is set."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver_program = shutil.which("chromedriver")
    if program is None or driver_program is None:
        lacking = "chromium" if program is None else "chromedriver"
        reason = f"no {lacking} here; on Debian: apt-get install chromium chromium-driver"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, but there is {reason}")
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    for argument in QUIET:
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver_program))
    driver.set_script_timeout(SCRIPT_SECONDS)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
