"""The instructor's screens: a real Jupyter server with formgrader, and the feedback, in a real Chromium."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.course import load_course

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

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
REFLECTION = "A row of **weights** sums to one, so $a < b$ keeps its order."

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
class Server:
    """A running server with formgrader."""

    address: str
    token: str

    def answer(self, path: str) -> tuple[int, str]:
        """The status and the place that a stranger is sent to."""

        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *given: Any) -> None:
                return None

        try:
            with urllib.request.build_opener(Stay).open(self.address + path, timeout=60) as answer:
                return answer.status, ""
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("Location", "")


@pytest.fixture(scope="module")
def folder(
    folder_at: Callable[[Path], Any],
    edit: Any,
    kata: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """Ada, Ben and Eve are graded by command; Bob has handed in what Ben has, and is not graded yet, nor is one with a hostile name."""
    root = tmp_path_factory.mktemp("formgrader") / "course"
    made = kata("notebooks", root, "--unit", "1", "--reflection", cwd=ROOT)
    assert made.returncode == 0, made.stderr
    folder = folder_at(root)
    folder.nbgrader("generate_assignment", UNIT)
    released = folder.released(UNIT)
    partly = edit.filled(released, {**RIGHT, "softmax": WHOLE_SUM, "reflection": REFLECTION})
    folder.hand_in("ada", UNIT, edit.filled(released, {**RIGHT, "reflection": REFLECTION}))
    folder.hand_in("ben", UNIT, partly)
    folder.hand_in("eve", UNIT, hostile(released))
    folder.nbgrader("autograde", UNIT)
    folder.hand_in("bob", UNIT, partly)
    folder.hand_in(HOSTILE_NAME, UNIT, partly)
    return folder


@pytest.fixture(scope="module")
def server(folder: Any) -> Iterator[Server]:
    with folder.jupyter_server() as (address, token):
        yield Server(address, token)


@pytest.fixture(scope="module")
def signed_in(browser: Any, server: Server) -> Any:
    """The browser, once the token was given on the page that a stranger is sent to."""
    browser.show(f"{server.address}formgrader/manage_assignments", **DESK)
    browser.write("#password_input", server.token)
    browser.click("#login_submit")
    browser.until("return location.pathname.endsWith('/formgrader/manage_assignments')")
    return browser


@pytest.fixture(scope="module")
def pressed(signed_in: Any, server: Server) -> str:
    """What formgrader says after its autograde button was pressed for Bob."""
    said = press_autograde("bob", signed_in, server)
    signed_in.until(
        "return arguments[0].querySelector('.status').innerText === 'needs manual grading'", row_of("bob", signed_in)
    )
    return said


def press_autograde(student: str, browser: Any, server: Server) -> str:
    browser.show(f"{server.address}formgrader/manage_submissions/{UNIT}", **DESK)
    browser.run("arguments[0].querySelector('.autograde a').id = 'to-be-pressed'", row_of(student, browser))
    browser.click("#to-be-pressed")
    return browser.until("return document.querySelector('.modal.in')?.innerText", seconds=300)


def row_of(student: str, browser: Any) -> Any:
    """A learner's row in the list of submissions."""
    rows = "return [...document.querySelectorAll('#main-table tr')]"
    return browser.until(f"{rows}.find(row => row.querySelector('.student-id')?.innerText === arguments[0])", student)


def page_of(student: str, folder: Any, server: Server) -> str:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as book:
        return f"{server.address}formgrader/submissions/{book.find_submission_notebook(UNIT, UNIT, student).id}/"


def shown(student: str, browser: Any, folder: Any, server: Server) -> Any:
    """The browser with a learner's submission open in formgrader, and all its fields filled from the gradebook."""
    browser.show(page_of(student, folder, server), **DESK)
    browser.until("return document.getElementById('test-softmax')?.placeholder")
    return browser


@pytest.fixture(scope="module")
def graded_by_hand(pressed: str, signed_in: Any, folder: Any, server: Server) -> str:
    """Bob's feedback, after 1.5 points and a comment for his reflection."""
    page = shown("bob", signed_in, folder, server)
    page.write("#reflection", "1.5")
    page.write("#reflection-comment", "Say *why* it keeps its order.")
    written = "return document.querySelectorAll('.save-icon.glyphicon-refresh').length === 0"
    page.until(written)
    page.show(page_of("bob", folder, server), **DESK)
    page.until("return document.getElementById('reflection').value === '1.5'")
    page.until("return document.getElementById('reflection-comment').value.startsWith('Say *why*')")
    folder.nbgrader("generate_feedback", UNIT)
    return folder.feedback("bob", UNIT)


# --- the course of a grading -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["formgrader/manage_assignments", "formgrader/api/assignments", "formgrader/api/grades"]
)
def test_stranger_is_sent_to_sign_in(path: str, server: Server) -> None:
    status, place = server.answer(path)
    assert status == 302 and place.startswith("/login?")


def test_assignment_is_listed_with_its_submissions(signed_in: Any, server: Server) -> None:
    signed_in.show(f"{server.address}formgrader/manage_assignments", **DESK)
    row = signed_in.until(
        "return document.querySelector('#main-table .name a') && document.querySelector('#main-table').innerText"
    )
    assert UNIT in row
    assert signed_in.run("return document.querySelector('#main-table .num-submissions').innerText") == "5"


def test_autograde_button_gives_what_the_command_gives(pressed: str, folder: Any) -> None:
    assert "Success" in pressed and "bob" in pressed
    scores = folder.scores("bob", UNIT)
    assert scores == folder.scores("ben", UNIT)
    assert 0 < scores["test-softmax"] < COURSE.exercise("softmax").points


def test_submission_shows_code_and_diagnosis_and_checks(
    pressed: str, signed_in: Any, folder: Any, server: Server
) -> None:
    page = shown("bob", signed_in, folder, server)
    text = page.run("return document.body.innerText")
    assert "my_powers / my_powers.sum()" in text and "Probably:" in text
    assert page.run("return document.getElementById('test-softmax').placeholder") == str(
        folder.scores("bob", UNIT)["test-softmax"]
    )
    tables = page.run(ROWS)
    assert len(tables) == len(EXERCISES)
    for exercise, (head, *rows) in zip(EXERCISES, tables, strict=True):
        assert head == ["check", "result", "points"]
        results = {row[1].partition(",")[0] for row in rows if len(row) == 3}
        assert results == ({"✓ passed", "✗ failed"} if exercise.id == "softmax" else {"✓ passed"})
        assert sum(float(row[2].split(" / ")[1]) for row in rows if len(row) == 3) == exercise.points


ROWS = """
return [...document.querySelectorAll('.kata-verdict table')].map(
    table => [...table.rows].map(row => [...row.cells].map(cell => cell.innerText.trim())))
"""


@pytest.mark.parametrize("screen", ["formgrader", "feedback"])
def test_checks_are_in_full_view(screen: str, graded_by_hand: str, signed_in: Any, folder: Any, server: Server) -> None:
    page = open_screen(screen, "bob", signed_in, folder, server)
    hidden = """
    const isSeen = cell => {
        cell.scrollIntoView({block: 'center'});
        const {left, top, right, bottom} = cell.getBoundingClientRect();
        const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return left >= 0 && right <= document.documentElement.clientWidth && (cell === on || cell.contains(on));
    };
    return [...document.querySelectorAll('.kata-verdict td, .kata-verdict th')]
        .filter(cell => !isSeen(cell)).map(cell => cell.innerText)
    """
    assert page.run(hidden) == []


def test_points_and_comment_by_hand_reach_the_gradebook(graded_by_hand: str, folder: Any) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as book:
        grade = book.find_grade("reflection", UNIT, UNIT, "bob")
        assert (grade.manual_score, grade.needs_manual_grade) == (1.5, False)
        assert book.find_comment("reflection", UNIT, UNIT, "bob").comment == "Say *why* it keeps its order."
        due = sum(score or 0 for score in folder.scores("ben", UNIT).values()) + 1.5
        assert book.find_submission(UNIT, "bob").score == due
        assert book.find_grade("reflection", UNIT, UNIT, "ben").manual_score is None


def test_points_and_comment_by_hand_reach_the_feedback(
    graded_by_hand: str, signed_in: Any, folder: Any, server: Server
) -> None:
    page = open_screen("feedback", "bob", signed_in, folder, server)
    text = page.run("return document.body.innerText")
    assert "1.5 / 2" in text and "Say why it keeps its order." in text
    assert page.run(ROWS)[0][0] == ["check", "result", "points"]


# --- hostile text ------------------------------------------------------------------------------------------------


def open_screen(screen: str, student: str, browser: Any, folder: Any, server: Server) -> Any:
    if screen == "formgrader":
        return shown(student, browser, folder, server)
    browser.show(folder.root / "feedback" / student / UNIT / f"{UNIT}.html", **DESK)
    browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
    return browser


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


def elsewhere(requests: list[str], server: Server) -> set[str]:
    return {address for address in requests if not address.startswith((server.address, "file:", "data:"))}


@pytest.mark.parametrize("screen", ["formgrader", "feedback"])
def test_nothing_of_a_hostile_submission_acts(
    screen: str, graded_by_hand: str, signed_in: Any, folder: Any, server: Server
) -> None:
    page = open_screen(screen, "ada", signed_in, folder, server)
    usual, usual_links, usual_requests = page.run(STATE), page.run(LINKS), elsewhere(page.requests(), server)
    page = open_screen(screen, "eve", signed_in, folder, server)
    assert page.run(STATE) == usual
    assert elsewhere(page.requests(), server) == usual_requests
    own = ("#", "/notebooks/./autograded/eve/", "/formgrader/submissions/")
    assert [link for link in page.run(LINKS) if link not in usual_links and not link.startswith(own)] == []


@pytest.mark.parametrize("screen", ["formgrader", "feedback"])
def test_hostile_text_is_there_to_be_read(
    screen: str, graded_by_hand: str, signed_in: Any, folder: Any, server: Server
) -> None:
    text = open_screen(screen, "eve", signed_in, folder, server).run("return document.body.innerText")
    assert "'''<script>window.pwned=1" in text  # in the code
    assert "< script>window.pwned=1" in text  # in the reflection
    messages = signed_in.run("return [...document.querySelectorAll('.kata-verdict')].map(each => each.innerText)")
    assert len(messages) == len(EXERCISES)
    assert all("<script>window.pwned=1" in each for each in messages)
    assert all("\\x1b[2J" in each and "\\u202e" in each for each in messages)
    assert not {each for message in messages for each in message if ord(each) < 32 and each not in "\n\t"}


def test_hostile_name_is_shown_and_refused(signed_in: Any, folder: Any, server: Server) -> None:
    said = press_autograde(HOSTILE_NAME, signed_in, server)
    assert "Error" in said and "has characters in the learner's name that make trouble in pages" in said
    assert signed_in.run("return window.pwned === undefined")
    assert not (folder.root / "autograded" / HOSTILE_NAME).exists()


def test_hostile_submission_can_be_graded_by_hand(
    graded_by_hand: str, signed_in: Any, folder: Any, server: Server
) -> None:
    page = shown("eve", signed_in, folder, server)
    page.write("#reflection", "0.5")
    page.until("return document.querySelectorAll('.save-icon.glyphicon-refresh').length === 0")
    shown("eve", signed_in, folder, server)
    page.until("return document.getElementById('reflection').value === '0.5'")


def test_hostile_submission_gets_nothing(folder: Any) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder.root / 'gradebook.db'}") as book:
        submission = book.find_submission_notebook(UNIT, UNIT, "eve")
        assert {grade.name: grade.auto_score for grade in submission.grades if grade.name != "reflection"} == {
            f"test-{exercise.id}": 0 for exercise in EXERCISES
        }
