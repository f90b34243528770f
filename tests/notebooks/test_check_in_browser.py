"""The check cell of a released notebook in the real JupyterLab: a learner runs it and looks at what came."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.mismatch import Mismatch
from grader.record import CheckResult, ExerciseResult
from grader.render.cell_output import CellOutput
from grader.render.verdict import verdict_on

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

Kata = Callable[..., "subprocess.CompletedProcess[str]"]
UNIT = "01_parts"
LARGEST = "def share(amounts):\n    return amounts / amounts.amax(-1, keepdim=True)"
WINDOW = {"width": 1280, "height": 1800}
SECONDS = 120
SHIFT_ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 8}
LOADED = """
const ready = '.jp-Notebook-ExecutionIndicator[data-status=idle]';
return document.querySelector('.jp-Notebook .jp-CodeCell') && document.querySelector(ready)
"""

CELL = "[...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].find(cell => cell.innerText.includes(arguments[0]))"
RAN = f"return /[0-9]/.test({CELL}?.querySelector('.jp-InputPrompt')?.innerText)"
VERDICT = f"return {CELL}?.querySelector('.jp-OutputArea-output .kata-verdict')?.innerText"
PICTURE = f"""
const picture = {CELL}?.querySelector('.kata-verdict img');
return picture && picture.complete && [picture.naturalWidth, picture.getBoundingClientRect().width, picture.alt]
"""


class Lab:
    """JupyterLab with one learner's notebook open."""

    def __init__(self, browser: Any, address: str, token: str, settings: Path) -> None:
        self._browser, self._address, self._token, self._settings = browser, address, token, settings

    def open(self, notebook: str, *, dark: bool = False) -> None:
        self._settings.parent.mkdir(parents=True, exist_ok=True)
        self._settings.write_text(json.dumps({"theme": f"JupyterLab {'Dark' if dark else 'Light'}"}), "utf-8")
        self._browser.show(f"{self._address}lab/tree/{notebook}?reset&token={self._token}", **WINDOW)
        self._browser.until(LOADED, seconds=120)
        assert self._browser.run("return document.body.dataset.jpThemeLight") == str(not dark).lower()

    def run_cell(self, text: str, what_comes: str) -> Any:
        """Click into the cell with this text and press Shift+Enter; return what comes of it, a script's value.

        A server that has just opened a notebook may lose the first requests: then the cell is as if never run.
        """
        end = time.monotonic() + SECONDS
        while not (came := self._browser.run(what_comes, text)):
            assert time.monotonic() < end, text
            if self._browser.run(f"return {CELL}?.querySelector('.jp-InputPrompt')?.innerText", text) == "[ ]:":
                self._browser.run(f"{CELL}.querySelector('.cm-content')?.focus()", text)
                for kind in ("rawKeyDown", "keyUp"):
                    self._browser.tell("Input.dispatchKeyEvent", type=kind, **SHIFT_ENTER)
        return came

    def picture(self, cell: str) -> tuple[float, float, str]:
        """Of the picture below a cell: the width it has, the width it takes, and what stands for it."""
        own, shown, instead = self._browser.until(PICTURE, cell)
        return own, shown, instead


def with_verdict(notebook: Any) -> Any:
    """With a verdict below its check cell that no kernel here has given."""
    check = CheckResult(
        name="test_example", title="It fits.", outcome="failed", points=0.0, max_points=4.0, visible=True, message="No."
    )
    result = ExerciseResult(
        id="share", status="failed", points=0.0, max_points=4.0, checks=(check,), diagnosis=(), seconds=0.0
    )
    mismatch = Mismatch("The output", (), ((0.5, 0.5),), ((0.25, 0.5),), ((True, False),), "One number is off.")
    shown = verdict_on(result, title="Parts", mismatches={("share", "test_example"): mismatch}, in_cell=True)
    verdict = CellOutput(shown, closing="Checked as it was run in [1].")
    data = {"text/plain": verdict.text(), "text/html": verdict.html()}
    output = {"output_type": "display_data", "metadata": {}, "data": data}
    cells = [
        {**cell, "outputs": [output], "execution_count": 2} if "kata.check" in "".join(cell["source"]) else cell
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path_factory.mktemp("lab") / "tiny", f"{UNIT}/01_share")


@pytest.fixture(scope="module")
def notebook(course: Path, folder_at: Callable[[Path], Any], kata: Kata, edit: Any) -> Any:
    """The released notebook with a wrong answer in it."""
    folder = folder_at(course.parent / "nbgrader")
    done = kata("notebooks", folder.root, cwd=course)
    assert done.returncode == 0, done.stderr
    folder.nbgrader("generate_assignment", UNIT)
    return edit.filled(folder.released(UNIT), {"share": LARGEST})


@pytest.fixture(scope="module")
def lab(course: Path, notebook: Any, folder_at: Callable[[Path], Any], browser: Any) -> Iterator[Lab]:
    """A server in a folder of the learner's, in the course."""
    mine = course / "mine"
    mine.mkdir()
    for name in ("light", "dark"):
        (mine / f"{name}.ipynb").write_text(json.dumps(notebook), "utf-8")
    (mine / "untrusted.ipynb").write_text(json.dumps(with_verdict(notebook)), "utf-8")
    folder = folder_at(mine)
    with folder.jupyter_server() as (address, token):
        settings = Path(folder.settings) / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
        yield Lab(browser, address, token, settings / "themes.jupyterlab-settings")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_learner_sees_the_verdict_and_the_picture(name: str, lab: Lab) -> None:
    lab.open(f"{name}.ipynb", dark=name == "dark")
    lab.run_cell("def share", RAN)
    told = lab.run_cell("kata.check", VERDICT)
    assert "✗ failed: Parts of a whole (share), 0 / 4 points" in told
    assert "The parts of 1, 1 and 2 should be .25, .25 and .5." in told
    own_width, shown_width, instead = lab.picture("kata.check")
    assert own_width > 300 and shown_width > 300
    assert "yours 0.50, expected 0.25" in instead


def test_picture_is_there_before_the_notebook_is_trusted(lab: Lab) -> None:
    lab.open("untrusted.ipynb")
    own_width, shown_width, instead = lab.picture("kata.check")
    assert own_width > 200 and shown_width > 200
    assert "yours 0.50, expected 0.25" in instead


# --- an answer at work ----------------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
PLAYED = "cross_attention"
AT_WORK = "# at work"  # the verdict above names the command, too
SEEN = f"""
const outputs = [...({CELL}?.querySelectorAll('.jp-OutputArea-output .kata-play') ?? [])];
const picture = outputs.flatMap(each => [...each.querySelectorAll('img')]).find(each => each.complete);
const said = outputs.map(each => each.innerText).join(' ');
return said.includes('As a page') && picture && [picture.naturalWidth, picture.alt, said]
"""


@pytest.fixture
def playing_lab(tmp_path: Path, folder_at: Callable[[Path], Any], kata: Kata, browser: Any) -> Iterator[Lab]:
    """A server in a learner's folder of the whole course, with a notebook that holds a right answer."""
    mine = tmp_path / "attention"
    done = kata("init", mine, "--course", ROOT, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    answer = (ROOT / "solutions" / "02_self_attention" / "09_cross_attention.py").read_text("utf-8")
    sources = ("%load_ext grader.in_notebook", answer, f"%kata {PLAYED}", f"{AT_WORK}\n%kata play {PLAYED}")
    cells = [
        {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None, "id": f"c{n}"}
        for n, source in enumerate(sources)
    ]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (mine / "play.ipynb").write_text(json.dumps(notebook), "utf-8")
    folder = folder_at(mine)
    with folder.jupyter_server() as (address, token):
        yield Lab(browser, address, token, tmp_path / "settings" / "themes.jupyterlab-settings")


def test_learner_sees_the_answer_at_work(playing_lab: Lab) -> None:
    playing_lab.open("play.ipynb")
    playing_lab.run_cell("%load_ext", RAN)
    playing_lab.run_cell("class CrossAttention", RAN)
    assert "passed" in playing_lab.run_cell(f"%kata {PLAYED}", VERDICT)
    width, instead, said = playing_lab.run_cell(AT_WORK, SEEN)
    assert width > 200
    assert "looks most at" in instead
    assert "3 may 2024 -> 2024-05-03" in said
    assert "Your code passed its check." in said
