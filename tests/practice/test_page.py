"""`kata report`: what a learner did in a course, as a page."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from html import unescape
from pathlib import Path
from typing import Any

import pytest

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WHOLE_SUM = "def {id}(amounts):\n    return amounts / amounts.sum()\n"
HOSTILE = "raise ValueError('</pre><script>alert(1)</script>\\u202e')\n"
HEATED = '''\
@points(1, visible=True)
def test_example(learner):
    """1, 1 and 2 become .25, .25 and .5."""
    learner.agrees(function("share", torch.tensor([[1.0, 1.0, 2.0], [1.0, 3.0, 4.0]]), axes="rows columns"))
'''
KITS = ("01_parts/01_share", "01_parts/02_portion", "02_wholes/01_ration")
START = datetime(2026, 11, 18, 8, tzinfo=timezone.utc)

pytestmark = pytest.mark.timeout(300)


class Learner:
    """Works in a course at times of the test's choosing."""

    def __init__(self, course: Path, kata: Callable[..., Any]) -> None:
        self.course = course
        self._kata = kata

    def kata(self, *arguments: object, at: datetime = START, **env: str) -> Any:
        variables = {"KATA_NOW": at.isoformat(), "TZ": "UTC", **env}
        return self._kata(*arguments, cwd=self.course, env=variables, seconds=200)

    def writes(self, id: str, source: str) -> None:
        (path,) = self.course.glob(f"exercises/*/*_{id}.py")
        path.write_text(source.replace("{id}", id), encoding="utf-8")

    def checks(self, id: str, source: str, at: datetime = START) -> None:
        self.writes(id, source)
        done = self.kata("check", id, at=at)
        assert done.returncode in (0, 1), done.stderr

    def page(self, *arguments: object, at: datetime = START) -> str:
        """The page as `kata report` writes it by default."""
        done = self.kata("report", *arguments, at=at)
        assert done.returncode == 0, done.stderr
        return (self.course / "report.html").read_text(encoding="utf-8")


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<style>.*?</style>|<[^>]+>", "", page, flags=re.DOTALL)))


@pytest.fixture(scope="module")
def practised(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], kata: Any) -> Learner:
    """One exercise wrong, helped and passed; one wrong, one not begun."""
    course = make_course(tmp_path_factory.mktemp("report") / "course", *KITS)
    checks = course / "tests/kits/01_parts/02_portion/checks.py"
    source = checks.read_text(encoding="utf-8")
    heated = re.sub(
        r"@points\(1, visible=True\).*?\n\n\n", HEATED.replace("share", "portion") + "\n\n", source, flags=re.DOTALL
    )
    checks.write_text(heated, encoding="utf-8")
    learner = Learner(course, kata)
    learner.checks("share", WHOLE_SUM)
    assert learner.kata("hint", "share").returncode == 0
    assert learner.kata("hint", "share").returncode == 0
    learner.checks("share", RIGHT, START + timedelta(minutes=20))
    learner.checks("portion", WHOLE_SUM, START + timedelta(days=1))
    return learner


@pytest.fixture(scope="module")
def page(practised: Learner) -> str:
    return practised.page(at=START + timedelta(days=1))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "told",
    [
        "4 of 12 points",
        "1 of 3 exercises passed",
        "3 attempts",
        "2 hints",
        "Next: Parts of a whole (portion)",
        "Read exercises/01_parts/README.md, write in exercises/01_parts/02_portion.py, then kata check portion",
        "Parts of a whole (share) passed on 18 November",
        "Every amount is divided by the sum of its own row. passed",
        "Every amount is divided by the sum of its own row. failed",
        "Probably: You divided by one sum of everything.",
        "18 November, 08:00 ✗ not yet",
        "18 November, 08:20 ✓ passed",
        "From an attempt, 18 November You divided by one sum of everything.",
        "Hint 1 of 3, 18 November What must a row add up to?",
        "The file is as it was given.",
        "today Parts of a whole (share)",
    ],
)
def test_page_tells(told: str, page: str) -> None:
    assert told in text_of(page)


def test_wrong_weights_of_the_visible_check_are_drawn(page: str) -> None:
    assert page.count('class="heatmap"') == 1
    assert "row 0, column 0: yours 0.08, expected 0.25" in text_of(page)


def test_numbers_of_hidden_checks_stay_hidden(page: str) -> None:
    drawn = page[page.index('<svg class="heatmap"') :]
    rest = text_of(page.replace(drawn[: drawn.index("</svg>")], ""))
    assert "yours 0." not in rest and "expected" not in rest


@pytest.mark.thorough
def test_same_work_graded_again_is_no_new_attempt(practised: Learner, page: str) -> None:
    known = (practised.course / ".kata/progress.json").read_text(encoding="utf-8")
    seeded = [practised.page("--seed", 3, at=START + timedelta(days=1)) for _ in range(2)]
    assert seeded[0] == seeded[1]
    assert (practised.course / ".kata/progress.json").read_text(encoding="utf-8") == known


@pytest.fixture
def learner(tmp_path: Path, make_course: Callable[..., Path], kata: Any) -> Learner:
    return Learner(make_course(tmp_path / "course", *KITS), kata)


def test_who_has_not_begun_gets_a_page_too(learner: Learner) -> None:
    text = text_of(learner.page())
    assert "0 of 12 points" in text and "Next: Parts of a whole (share)" in text


def test_work_that_was_never_checked_counts(learner: Learner) -> None:
    learner.writes("share", RIGHT)
    text = text_of(learner.page())
    assert "1 of 3 exercises passed" in text and "1 attempt" in text
    assert "1 of 3 exercises, 4 of 12 points" in learner.kata().stdout


def test_hostile_work_cannot_break_out(learner: Learner) -> None:
    learner.writes("share", HOSTILE)
    page = learner.page()
    assert "<script" not in page and "\u202e" not in page
    assert "</pre><script>alert(1)</script>" in text_of(page)


@pytest.mark.thorough
def test_edited_progress_is_taken_as_it_comes(learner: Learner) -> None:
    learner.checks("share", RIGHT)
    file = learner.course / ".kata/progress.json"
    known = json.loads(file.read_text(encoding="utf-8"))
    done = known["exercises"]["share"]
    odd = {**done["attempts"][0], "at": "1971-01-01T00:00:00Z", "points": 1000, "failed": ["<b>", "test_gone"]}
    done["attempts"] = [odd, {**odd, "points": 0, "status": "failed"}, *done["attempts"]]
    done["hints"] = [{"at": "2026-11-18T08:00:00Z", "level": 99}, {"at": "2026-11-18T08:00:00", "mistake": "<i>"}]
    known["exercises"]["gone"] = done
    file.write_text(json.dumps(known), encoding="utf-8")
    done = learner.kata("report", TZ="America/New_York")
    assert done.returncode == 0 and done.stderr == ""
    text = text_of((learner.course / "report.html").read_text(encoding="utf-8"))
    assert "4 of 12 points" in text and "3 attempts" in text and "2 hints" in text and "gone" in text


@pytest.mark.thorough
def test_damaged_progress_is_made_anew_first(learner: Learner) -> None:
    learner.checks("share", RIGHT)
    (learner.course / ".kata/progress.json").write_text("{", encoding="utf-8")
    done = learner.kata("report")
    assert done.returncode == 0 and "damaged" in done.stderr
    assert "1 of 3 exercises passed" in text_of((learner.course / "report.html").read_text(encoding="utf-8"))


# --- where it goes ----------------------------------------------------------------------------------------------------


def test_page_lies_beside_the_exercises_wherever_one_is(learner: Learner) -> None:
    done = learner._kata("report", cwd=learner.course / "exercises" / "01_parts")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"Your progress is in {Path('..', '..', 'report.html')}\n"
    assert (learner.course / "report.html").is_file()


def test_page_can_go_elsewhere_and_be_opened(learner: Learner, tmp_path: Path) -> None:
    opener = tmp_path / "opener.py"
    opener.write_text("import pathlib, sys\npathlib.Path(__file__).with_suffix('.txt').write_text(sys.argv[1])\n")
    wanted = tmp_path / "new folder" / "mine.html"
    done = learner.kata("report", "--out", wanted, "--open", BROWSER=f"{sys.executable} {opener} %s")
    assert done.returncode == 0, done.stderr
    assert opener.with_suffix(".txt").read_text() == wanted.as_uri()
    assert wanted.is_file() and not (learner.course / "report.html").exists()


def test_no_browser_is_told(learner: Learner) -> None:
    done = learner.kata("report", "--open", BROWSER=f"{sys.executable} -c raise(SystemExit(1)) %s", PATH="/nowhere")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("No browser could be opened here: open the file in yours.\n")


@pytest.mark.parametrize("name", ["exercises/01_parts/01_share.py", "course.yml", "page"])
def test_nothing_but_a_page_is_written_over(name: str, learner: Learner) -> None:
    path = learner.course / name
    before = path.read_bytes() if path.is_file() else None
    done = learner.kata("report", "--out", path)
    assert done.returncode == 2 and "should end in .html" in done.stderr and len(done.stderr.splitlines()) == 1
    assert (path.read_bytes() if path.is_file() else None) == before
