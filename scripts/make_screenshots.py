"""Write docs/pictures from real runs: `python scripts/make_screenshots.py [--only NAME] [--into FOLDER]`.

watch.svg       `kata watch` in a pseudo-terminal, after a save with a known mistake in it
play.svg        `kata play` there: what a head looks at, and what the model writes
places-*.png    the curve on a page of `kata play`, in a light and a dark Chromium
report-*.png    an exercise on the page of `kata report`, in a light and a dark Chromium
class-*.png     the beginning of the page of `kata grade-class --html`, for learners invented from the known mistakes
*.json          what these pages say and how they are styled: a test sees by it that a picture has become stale
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import pexpect
import pyte
from PIL import Image

from grader.course import load_course
from grader.judge.bank import load_bank

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).resolve().parents[1]
COURSE = load_course(ROOT / "course.yml")
KATA = Path(sys.executable).with_name("kata")
SEED = 2026
WAIT_SECONDS = 120

# --- what is on the pictures ---------------------------------------------------------------------------------------

PASSED = ("soft_lookup", "dot_scores", "softmax", "context_vector", "simplified_self_attention")
WATCHED = ("causal_mask", "diagonal-hidden")
REPORTED = ("masked_softmax", "mask-after-softmax")
PLAYED, PLACES = "multi_head_attention", "rotary"

LEARNERS = (
    *("Abena Owusu", "Aiko Tanaka", "Alejandro Ruiz", "Amira Haddad", "Anja Kovač", "Chidi Eze", "Clara Jensen"),
    *("Dmitri Orlov", "Elif Demir", "Finn Murphy", "Giulia Conti", "Ines Carvalho", "Jun Park", "Kofi Mensah"),
    *("Leila Rahimi", "Mai Nguyen", "Noah Becker", "Olga Nowak", "Rohan Gupta", "Sofia Lindgren", "Tomás Silva"),
)
TAUGHT = ("softmax", "scaled_scores", "causal_mask", "split_heads", "repeat_kv")
RIGHT, WRONG = 0.5, 0.4
"""The shares of right and wrong answers in the invented class; the rest was not handed in."""


def source_of(id: str, mistake: str = "") -> str:
    """The reference of an exercise, or one of its known mistakes."""
    exercise = COURSE.exercise(id)
    reference = COURSE.solution_path(exercise).read_text(encoding="utf-8")
    if not mistake:
        return reference
    bank = load_bank(COURSE.mistakes_path(exercise))
    return next(each for each in bank if each.id == mistake).source_from(reference)


def write_answer(folder: Path, id: str, mistake: str = "") -> None:
    """Save an answer as editors do: written beside, then moved into its place."""
    path = folder / COURSE.exercise(id).relative_path
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    beside.write_text(source_of(id, mistake), encoding="utf-8")
    beside.replace(path)


def make_workspace(folder: Path) -> Path:
    """A learner's folder in which the first unit is done."""
    run("init", folder, "--course", ROOT)
    for id in PASSED:
        write_answer(folder / "exercises", id)
    run("check", "--seed", SEED, cwd=folder)
    return folder


def make_class(folder: Path) -> Path:
    """Invented learners with right answers, wrong ones out of the banks (the first ones most often) and gaps."""
    chance = random.Random(SEED)
    for name in LEARNERS:
        for id in TAUGHT:
            kind = chance.random()
            bank = load_bank(COURSE.mistakes_path(COURSE.exercise(id)))
            mistake = bank[min(int(chance.expovariate(0.7)), len(bank) - 1)].id
            if kind < RIGHT + WRONG:
                write_answer(folder / name, id, "" if kind < RIGHT else mistake)
    return folder


def make_player(folder: Path) -> Path:
    """A learner's folder in which two exercises have passed that can be played."""
    run("init", folder, "--course", ROOT)
    for id in (PLAYED, PLACES):
        write_answer(folder / "exercises", id)
        run("check", id, "--seed", SEED, cwd=folder)
    return folder


def run(*arguments: object, cwd: Path = ROOT) -> None:
    """Run `kata`. Raises CalledProcessError when it was used wrongly, or cannot isolate here."""
    done = subprocess.run([KATA, *map(str, arguments)], cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    if done.returncode > 1:
        raise subprocess.CalledProcessError(done.returncode, done.args, done.stdout, done.stderr)


# --- the terminal --------------------------------------------------------------------------------------------------

COLUMNS, LINES = 84, 50
READY, NAMED = "Save a file to have it checked", "Probably"
"""The last line of the screen, written after a verdict; and what a known mistake is told with."""
SAVE_AGAIN_SECONDS = 5

CELL, LINE, MARGIN, TITLE_BAR = 8, 18, 14, 30
GROUND, FRAME, INK, PALE = "#161b22", "#30363d", "#e6edf3", "#9aa4af"
BUTTONS = ("#ff5f57", "#febc2e", "#28c840")
COLOURS = {
    **{
        "black": "#000000",
        "brightblack": PALE,
        "red": "#ff7b72",
        "green": "#56d364",
        "brown": "#e3b341",
        "blue": "#79c0ff",
    },
    **{"magenta": "#d2a8ff", "cyan": "#56d4dd", "white": INK, "default": INK},
}
"""The terminal's colours by pyte's names, in which yellow is brown."""


class Terminal:
    """A command of ours in a pseudo-terminal, and its screen."""

    def __init__(self, *arguments: object, cwd: Path, columns: int = COLUMNS, lines: int = LINES) -> None:
        foreign = ("NO_COLOR", "COLUMNS", "LINES", "CI")
        environment = {name: value for name, value in os.environ.items() if name not in foreign}
        environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONUTF8": "1"}
        self._child = pexpect.spawn(
            str(KATA), list(map(str, arguments)), cwd=str(cwd), env=environment, dimensions=(lines, columns)
        )
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)

    def shows(self, *texts: str, seconds: float = WAIT_SECONDS) -> bool:
        """Read until all of these stand on the screen; whether they came to do so in this time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with suppress(pexpect.TIMEOUT):
                self._stream.feed(self._child.read_nonblocking(65536, timeout=0.1))
            said = "\n".join(self.screen.display)
            if all(text in said for text in texts):
                return True
        return False

    def close(self) -> None:
        """Quit the command."""
        self._child.send("q")
        self._child.close(force=True)


def watched(workspace: Path) -> str:
    """The watch's screen after a save with a mistake in it, as an SVG. Raises TimeoutError when it never comes."""
    terminal = Terminal("watch", "--seed", SEED, cwd=workspace)
    try:
        end = time.monotonic() + WAIT_SECONDS
        is_there = terminal.shows(READY)
        while is_there and time.monotonic() < end:
            # the folder is watched a moment after the first screen: what was saved too soon is saved again
            write_answer(workspace / "exercises", *WATCHED)
            if terminal.shows(NAMED, READY, seconds=SAVE_AGAIN_SECONDS):
                return terminal_svg(terminal.screen, "kata watch")
        raise TimeoutError("\n".join(terminal.screen.display))
    finally:
        terminal.close()


PLAY_COLUMNS, PLAY_LINES = 60, 130
FROM, UP_TO = "Head 2.3", "How surprised"
"""The lines of `kata play` that are on the picture: the second map, and what is written."""


def played(workspace: Path) -> str:
    """The middle of the screen of `kata play`, as an SVG. Raises TimeoutError when it never comes."""
    terminal = Terminal("play", PLAYED, cwd=workspace, columns=PLAY_COLUMNS, lines=PLAY_LINES)
    try:
        if not terminal.shows("An empty line ends."):
            raise TimeoutError("\n".join(terminal.screen.display))
        said = terminal.screen.display
        first, last = (next(n for n, line in enumerate(said) if line.startswith(text)) for text in (FROM, UP_TO))
        return terminal_svg(terminal.screen, f"kata play {PLAYED}", first, last)
    finally:
        terminal.close()


def terminal_svg(screen: pyte.Screen, title: str, first: int = 0, last: int | None = None) -> str:
    """What stands on a terminal's screen, as text in a dark panel that looks alike on light and dark pages.

    first, last: of the lines that are shown; all by default.
    """
    said = [line.rstrip() for line in screen.display][first:last]
    used = max(number for number, line in enumerate(said) if line) + 1
    width, height = screen.columns * CELL + 2 * MARGIN, TITLE_BAR + used * LINE + 2 * MARGIN
    text = escape("\n".join(said[:used]))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-labelledby="title desc" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, '
        f'\'DejaVu Sans Mono\', monospace" font-size="13" xml:space="preserve">',
        f'<title id="title">{escape(title)} in a terminal</title>',
        f'<desc id="desc">{text}</desc>',
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{GROUND}" stroke="{FRAME}"/>',
        *[f'<circle cx="{20 + 18 * place}" cy="18" r="5.5" fill="{fill}"/>' for place, fill in enumerate(BUTTONS)],
        f'<text x="{width / 2:g}" y="22" fill="{PALE}" text-anchor="middle">{escape(title)}</text>',
        *[part for row in range(used) for part in _row(screen, first + row, row)],
    ]
    return "\n".join([*parts, "</svg>", ""])


def _row(screen: pyte.Screen, row: int, shown_at: int) -> Iterator[str]:
    """A line of the screen: its grounds, then its words, each kept to its columns in whatever font there is."""
    top = TITLE_BAR + MARGIN + shown_at * LINE
    cells = [(column, screen.buffer[row][column]) for column in range(screen.columns)]

    def look(cell: tuple[int, Any]) -> tuple[str, str, bool]:
        char = cell[1]
        if char.reverse:
            ink, ground = char.bg, char.fg
            return GROUND if ink == "default" else _colour(ink), _colour(ground), bool(char.bold)
        return _colour(char.fg), "" if char.bg == "default" else _colour(char.bg), bool(char.bold)

    pieces = [(style, list(group)) for style, group in groupby(cells, key=look)]
    for (_, ground, _), group in pieces:
        if ground:
            place = f'x="{MARGIN + group[0][0] * CELL}" y="{top}" width="{len(group) * CELL}" height="{LINE}"'
            yield f'<rect {place} fill="{ground}"/>'
    for (ink, _, is_bold), group in pieces:
        words = "".join(char.data for _, char in group)
        # a gap of two blanks or more ends a word: fonts may differ in what a blank takes
        for found in re.finditer(r"\S+(?: \S+)*", words):
            first = group[found.start()][0]
            style = ' font-weight="bold"' if is_bold else ""
            place = f'x="{MARGIN + first * CELL}" y="{top + 13}" textLength="{len(found[0]) * CELL}"'
            yield f'<text {place} fill="{ink}"{style}>{escape(found[0])}</text>'


def _colour(name: str) -> str:
    """The colour of a name, of a bright one, or of six hexadecimal digits."""
    return COLOURS.get(name) or COLOURS.get(name.removeprefix("bright")) or f"#{name}"


# --- pages in a browser --------------------------------------------------------------------------------------------

WIDTH, SCALE = 860, 1.5
SHADES = 128
"""As many colours as a picture of a page is given; it has few, and so it stays small."""

OF_THE_REPORT = """
const card = [...document.querySelectorAll('details.exercise')].find(each => each.querySelector('svg.heatmap'));
card.open = true;
const firstChecks = [...card.querySelectorAll('li')].slice(0, 2);
return [card.querySelector('summary'), card.querySelector('.diagnosis'), ...firstChecks];
"""
OF_THE_CLASS = """
const upTo = document.querySelector('.chart').closest('section');
return [...document.querySelectorAll('.course, h1, .lead, nav, section')].filter(
    each => each === upTo || each.compareDocumentPosition(upTo) & Node.DOCUMENT_POSITION_FOLLOWING);
"""
OF_THE_PLACES = """
return [[...document.querySelectorAll('figure')].at(-1)];
"""
CLIP = """
const boxes = arguments[0].map(each => each.getBoundingClientRect());
return [Math.min(...boxes.map(b => b.left)), Math.min(...boxes.map(b => b.top)) + scrollY,
        Math.max(...boxes.map(b => b.right)), Math.max(...boxes.map(b => b.bottom)) + scrollY];
"""
SAID = "return arguments[0].map(each => each.innerText).join('\\n')"
STYLE = "return [...document.querySelectorAll('style')].map(each => each.textContent).join('\\n')"
PADDING = 12


@contextmanager
def browser() -> Iterator[Chrome]:
    """A Chromium without a window. Raises SystemExit with a sentence when there is none."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver_program = shutil.which("chromedriver")
    if program is None or driver_program is None:
        sys.exit("The pages are taken in Chromium; on Debian: apt-get install chromium chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver_program))
    try:
        yield driver
    finally:
        driver.quit()


def take(driver: Chrome, page: Path, script: str) -> tuple[dict[str, bytes], dict[str, str]]:
    """Pictures of the parts of a page that a script returns, by colour scheme; and what these say and look like."""
    pictures: dict[str, bytes] = {}
    shown: dict[str, str] = {}
    for scheme in ("light", "dark"):
        wish = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)
        _size(driver, 1000)
        driver.get(page.as_uri())
        parts = driver.execute_script(script)
        _size(driver, driver.execute_script("return document.documentElement.scrollHeight"))
        left, top, right, bottom = driver.execute_script(CLIP, parts)
        clip = {
            **{"x": left - PADDING, "y": max(0, top - PADDING), "scale": SCALE},
            **{"width": right - left + 2 * PADDING, "height": bottom - top + 2 * PADDING},
        }
        taken = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
        pictures[scheme] = smaller(base64.b64decode(taken["data"]))
        style = hashlib.sha256(driver.execute_script(STYLE).encode()).hexdigest()
        shown = {"style": style, "words": " ".join(driver.execute_script(SAID, parts).split())}
    return pictures, shown


def _size(driver: Chrome, height: int) -> None:
    """Make the window so high: what lies outside of it is not painted."""
    metrics = {"width": WIDTH, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def smaller(png: bytes) -> bytes:
    """The same picture with few colours."""
    with Image.open(io.BytesIO(png)) as image:
        few = image.convert("RGB").quantize(SHADES, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        written = io.BytesIO()
        few.save(written, format="PNG", optimize=True)
        return written.getvalue()


# --- the command ---------------------------------------------------------------------------------------------------


PICTURES = ("watch", "play", "report", "class", "places")


def main() -> None:
    """Make the pictures that were asked for."""
    parser = argparse.ArgumentParser(description="Write docs/pictures from real runs.")
    parser.add_argument("--only", nargs="+", choices=PICTURES, default=PICTURES, help="in place of all")
    parser.add_argument("--into", type=Path, default=ROOT / "docs" / "pictures", metavar="FOLDER")
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    wanted = set(options.only)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workspace = make_workspace(folder / "attention") if wanted & {"watch", "report"} else folder
        pages: dict[str, tuple[Path, str]] = {}
        if "report" in wanted:
            write_answer(workspace / "exercises", *REPORTED)
            run("report", "--seed", SEED, "--out", folder / "report.html", cwd=workspace)
            pages["report"] = (folder / "report.html", OF_THE_REPORT)
        if "class" in wanted:
            only = [word for id in TAUGHT for word in ("--only", id)]
            run("grade-class", make_class(folder / "class"), "--out", folder / "results", "--html", "--seed", SEED,
                "--isolation", "best", *only)  # fmt: skip
            pages["class"] = (folder / "results" / "class.html", OF_THE_CLASS)
        if wanted & {"play", "places"}:
            player = make_player(folder / "player")
        if "places" in wanted:
            run("play", PLACES, "--page", cwd=player)
            pages["places"] = (player / "play" / f"{PLACES}.html", OF_THE_PLACES)
        if "play" in wanted:
            (options.into / "play.svg").write_text(played(player), encoding="utf-8", newline="\n")
        if pages:
            photograph(pages, options.into)
        if "watch" in wanted:
            (options.into / "watch.svg").write_text(watched(workspace), encoding="utf-8", newline="\n")


def photograph(pages: Mapping[str, tuple[Path, str]], into: Path) -> None:
    """Write the pictures of some pages, and what they show."""
    with browser() as driver:
        for name, (page, script) in pages.items():
            pictures, shown = take(driver, page, script)
            for scheme, png in pictures.items():
                (into / f"{name}-{scheme}.png").write_bytes(png)
            said = json.dumps(shown, indent=2, ensure_ascii=False)
            (into / f"{name}.json").write_text(said + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
