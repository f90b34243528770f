"""What people see, in a real Chromium on one real Jupyter server: an instructor in formgrader, a learner in JupyterLab."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.course.installed import VARIABLE
from tests.cases import table

from .conftest import RIGHT, UNIT, Edit, Folder, Notebook, named

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

IDS = ("share", "part")
ALL = {id: RIGHT.format(id=id) for id in IDS}
WHOLE_SUM = "def share(amounts):\n    my_total = amounts.sum()\n    return amounts / my_total\n"
SCENE = Path(__file__).parents[1] / "play/golden/parts-cell.html"
VERDICT = Path(__file__).parents[1] / "render/golden/cell.html"
DESK = {"width": 1280, "height": 900}
STOP_SECONDS = 20
SERVER_SECONDS = 120

HOSTILE, SCREENS = table(__file__, "hostile.yml"), table(__file__, "screens.yml")
ASK = {name: script.replace("CELL", SCREENS["cell"]) for name, script in SCREENS.items()}
HOSTILE_NAME = "<img src=x onerror=window.pwned=1>"


def filled(value: Any, id: str = "") -> Any:
    """A part of hostile.yml with the texts that its words stand for."""
    if isinstance(value, str):
        texts = {**HOSTILE, "ID": id}
        words = r"(MARKDOWN|MARKUP|TERMINAL|CODE|ACT|ID)(!r)?"
        return re.sub(words, lambda found: (repr if found[2] else str)(filled(texts[found[1]], id)), value)
    if isinstance(value, list):
        return [filled(each, id) for each in value]
    return {filled(name): filled(each, id) for name, each in value.items()} if isinstance(value, dict) else value


def hostile(released: Notebook) -> Notebook:
    """The released notebook with all of hostile.yml in it."""
    cells = filled(HOSTILE["own"])
    for cell in released["cells"]:
        name, kind = named(cell), "answer" if named(cell) in IDS else cell["cell_type"]
        metadata = {**cell["metadata"], **filled(HOSTILE["metadata of cells"])}
        cells.append({**cell, **filled(HOSTILE[kind], name), "metadata": metadata})
    cells = [{**cell, "id": filled(f"{number}MARKUP")} for number, cell in enumerate(cells)]
    return {**released, "cells": cells, "metadata": filled(HOSTILE["metadata"])}


# --- the course folder and the server ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Screens:
    """The browser, signed in to a server whose folder is the course folder."""

    browser: Any
    folder: Folder
    address: str
    token: str

    def press_autograde(self, student: str) -> str:
        """What formgrader says once the autograde button of this learner's row was pressed."""
        self.browser.show(f"{self.address}formgrader/manage_submissions/{UNIT}", **DESK)
        self.browser.run("arguments[0].querySelector('.autograde a').id = 'to-be-pressed'", self._row_of(student))
        self.browser.click("#to-be-pressed")
        return self.browser.until("return document.querySelector('.modal.in')?.innerText", seconds=300)

    def _row_of(self, student: str) -> Any:
        rows = "return [...document.querySelectorAll('#main-table tr')]"
        named = f"{rows}.find(row => row.querySelector('.student-id')?.innerText === arguments[0])"
        return self.browser.until(named, student)

    def open(self, screen: str, student: str) -> Any:
        """The browser with a learner's submission in formgrader, all fields filled, or with the learner's feedback."""
        if screen == "formgrader":
            with self.folder.book() as book:
                id = book.find_submission_notebook(UNIT, UNIT, student).id
            self.browser.show(f"{self.address}formgrader/submissions/{id}/", **DESK)
            self.browser.until("return document.getElementById('test-share')?.placeholder")
        else:
            self.browser.show(self.folder.root / "feedback" / student / UNIT / f"{UNIT}.html", **DESK)
            self.browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
        return self.browser

    def elsewhere(self) -> set[str]:
        """The addresses that were asked for, but those of this server and files."""
        own = (self.address, "file:", "data:")
        return {address for address in self.browser.requests() if not address.startswith(own)}


@pytest.fixture(scope="module")
def folder(released_at: Callable[..., Folder], tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Ada, Ben and Eve are graded by command; Bob has handed in what Ben has, and one has a hostile name."""
    exercises = (f"{UNIT}/01_share", f"{UNIT}/02_part")
    folder = released_at(tmp_path_factory.mktemp("screens"), "--reflection", exercises=exercises)
    released = folder.released(UNIT)
    partly = Edit.filled(released, {**ALL, "share": WHOLE_SUM, "reflection": "A row of **parts** sums to one."})
    folder.hand_in("ada", UNIT, Edit.filled(released, {**ALL, "reflection": "So $a < b$ keeps its order."}))
    folder.hand_in("ben", UNIT, partly)
    folder.hand_in("eve", UNIT, hostile(released))
    folder.nbgrader("autograde", UNIT)
    folder.nbgrader("generate_feedback", UNIT)
    folder.hand_in("bob", UNIT, partly)
    folder.hand_in(HOSTILE_NAME, UNIT, partly)
    return folder


@contextmanager
def jupyter_server(folder: Folder) -> Iterator[tuple[str, str]]:
    """A server at a free port; gives its address and its token."""
    program = Path(sys.executable).with_name("jupyter")
    settings = ["--ip=127.0.0.1", "--port=0", "--no-browser", "--allow-root", f"--ServerApp.root_dir={folder.root}"]
    log = folder.root.parent / "server.log"
    with log.open("w") as output:
        env = {**os.environ, **folder.env, VARIABLE: str(folder.course)}
        server = subprocess.Popen(
            [program, "server", *settings],
            cwd=folder.root,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        # the server writes this once it listens
        said = Path(folder.env["JUPYTER_RUNTIME_DIR"]) / f"jpserver-{server.pid}.json"
        end = time.monotonic() + SERVER_SECONDS
        while not (said.exists() and said.read_text("utf-8").endswith("}")):
            assert server.poll() is None and time.monotonic() < end, log.read_text("utf-8")
            time.sleep(0.05)
        found = json.loads(said.read_text("utf-8"))
        yield found["url"], found["token"]
    finally:
        server.terminate()
        try:
            server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:  # a kernel that is just starting keeps jupyter_server from stopping
            server.kill()
            server.wait()


@pytest.fixture(scope="module")
def screens(folder: Folder, browser: Any) -> Iterator[Screens]:
    with jupyter_server(folder) as (address, token):
        browser.show(f"{address}formgrader/manage_assignments?token={token}", **DESK)
        browser.until("return document.querySelector('#main-table .name a')")
        yield Screens(browser, folder, address, token)


# --- an instructor in formgrader -----------------------------------------------------------------------------------


def test_autograde_button_gives_what_the_command_gives_and_formgrader_shows_it(screens: Screens) -> None:
    said = screens.press_autograde("bob")
    assert "Success" in said and "bob" in said
    scores = screens.folder.scores("bob", UNIT)
    assert scores == screens.folder.scores("ben", UNIT)
    page = screens.open("formgrader", "bob")
    text = page.run("return document.body.innerText")
    assert "amounts / my_total" in text and "Probably:" in text
    assert page.run("return document.getElementById('test-share').placeholder") == f"{scores['test-share']:g}"
    for id, (head, *rows) in zip(IDS, page.run(ASK["rows"]), strict=True):
        assert head == ["check", "result", "points"]
        results = {row[1].partition(",")[0] for row in rows if len(row) == 3}
        assert results == ({"✓ passed", "✗ failed"} if id == "share" else {"✓ passed"})
        assert sum(float(row[2].split(" / ")[1]) for row in rows if len(row) == 3) == 4
    assert [screens.open(screen, "ben").run(ASK["out_of_view"]) for screen in ("formgrader", "feedback")] == [[], []]


@pytest.mark.parametrize("screen", ["formgrader", "feedback"])
def test_nothing_of_a_hostile_submission_acts(screen: str, screens: Screens) -> None:
    page = screens.open(screen, "ada")
    usual, usual_links, usual_requests = page.run(ASK["state"]), page.run(ASK["links"]), screens.elsewhere()
    page = screens.open(screen, "eve")
    assert page.run(ASK["state"]) == usual
    assert screens.elsewhere() == usual_requests
    own = ("#", "/notebooks/./autograded/eve/", "/formgrader/submissions/")
    assert [link for link in page.run(ASK["links"]) if link not in usual_links and not link.startswith(own)] == []
    assert_is_there_to_be_read(page)
    codes = {name: points for name, points in screens.folder.scores("eve", UNIT).items() if name != "reflection"}
    assert codes == {f"test-{id}": 0 for id in IDS}


def assert_is_there_to_be_read(page: Any) -> None:
    text = page.run("return document.body.innerText")
    assert "'''<script>window.pwned=1" in text  # in the code
    assert "# A heading <script>window.pwned=1" in text  # in the reflection, as it was typed
    messages = page.run("return [...document.querySelectorAll('.kata-verdict')].map(each => each.innerText)")
    assert len(messages) == len(IDS)
    assert all("<script>window.pwned=1" in each for each in messages)
    assert all("\\x1b[2J" in each and "\\u202e" in each for each in messages)
    assert not {each for message in messages for each in message if ord(each) < 32 and each not in "\n\t"}


def test_hostile_name_is_shown_and_refused(screens: Screens) -> None:
    said = screens.press_autograde(HOSTILE_NAME)
    assert "Error" in said and "has characters in the learner's name that make trouble in pages" in said
    assert screens.browser.run("return window.pwned === undefined")
    assert not (screens.folder.root / "autograded" / HOSTILE_NAME).exists()


# --- a learner in JupyterLab ---------------------------------------------------------------------------------------

EARLIER, PLAYED = "# earlier", "# played"
SHIFT_ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 8}
SECONDS = 120


def run_cell(browser: Any, text: str, script: str) -> Any:
    """Click into the cell with this text and press Shift+Enter; return what comes of it, a script's value.

    A server that has just opened a notebook may lose the first requests: then the cell is as if never run.
    """
    end = time.monotonic() + SECONDS
    while not (came := browser.run(script, text)):
        assert time.monotonic() < end, text
        if browser.run(ASK["prompt"], text) == "[ ]:":
            browser.run(ASK["focus"], text)
            for kind in ("rawKeyDown", "keyUp"):
                browser.tell("Input.dispatchKeyEvent", type=kind, **SHIFT_ENTER)
    return came


def displayed(page: str) -> dict[str, Any]:
    """An output that no kernel here has given, so that JupyterLab does not trust it."""
    return {"output_type": "display_data", "metadata": {}, "data": {"text/plain": "", "text/html": page}}


def test_learner_sees_the_verdict_and_the_pictures_of_an_earlier_one_and_of_kata_play(
    screens: Screens, kata: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    mine = screens.folder.root / "mine"
    done = kata("init", mine, "--course", screens.folder.course, cwd=screens.folder.root)
    assert done.returncode == 0, done.stderr
    released = screens.folder.released(UNIT)
    checking = "".join(Edit.cell(released, "check-share")["source"])
    cells = [
        {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None, "id": f"c{n}"}
        for n, source in enumerate((WHOLE_SUM, checking, EARLIER, PLAYED))
    ]
    cells[-2]["outputs"] = [displayed(VERDICT.read_text("utf-8"))]
    cells[-1]["outputs"] = [displayed(SCENE.read_text("utf-8"))]
    (mine / "mine.ipynb").write_text(json.dumps({**released, "cells": cells}), "utf-8")
    browser = screens.browser
    browser.show(f"{screens.address}lab/tree/mine/mine.ipynb?reset&token={screens.token}", width=1280, height=1800)
    browser.until(ASK["loaded"], seconds=SECONDS)
    for cell, colours, said in (
        (EARLIER, {"6bafd6ff", "c0262dff"}, "yours 0.50, expected 1.00"),  # a number, and what frames a wrong one
        (PLAYED, {"08478dff"}, "looks most at"),  # the largest weight
    ):
        is_whole, drawn, instead = browser.until(ASK["picture"], cell)
        assert is_whole and colours <= set(drawn) and said in instead
    run_cell(browser, "my_total", ASK["was_run"])
    assert "Probably: You divided by one sum of everything." in run_cell(browser, "kata.check", ASK["verdict"])
