"""`%kata play` in a real kernel: an answer as it was run last at work, as text and as pictures."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..cases import rows, table

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
ID = "cross_attention"
ANSWER = (ROOT / "solutions" / "02_self_attention" / "09_cross_attention.py").read_text("utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, kata: Callable[..., subprocess.CompletedProcess[str]]) -> Path:
    """A learner's folder of the whole course."""
    made = tmp_path_factory.mktemp("mine") / "attention"
    done = kata("init", made, "--course", ROOT, cwd=made.parent)
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def playing(open_kernel: Callable[..., Any], folder: Path) -> Any:
    """A kernel in which the answer was run, and has passed."""
    kernel = open_kernel(folder, first="%load_ext grader.in_notebook")
    said = kernel.run(f"%kata play {ID}")
    assert "There is nothing to check yet" in said.text
    kernel.run(ANSWER)
    assert f"First: %kata {ID}" in kernel.run(f"%kata play {ID}").text
    assert "✓ passed" in kernel.run(f"%kata {ID}").text
    return kernel


def everything(said: Any) -> tuple[str, str]:
    assert not said.error and not said.printed, (said.traceback, said.printed)
    return tuple("\n".join(data[kind] for data in said.shown) for kind in ("text/plain", "text/html"))


def test_the_answer_is_seen_at_work_and_kept_with_the_progress(playing: Any, folder: Path) -> None:
    text, page = everything(playing.run(f'%kata play {ID} --text "24.12.1999"'))
    assert "Your code passed its check." in text
    assert "24.12.1999 -> 1999-12-24" in text
    assert "<strong>1999-12-24</strong>" in page
    address, words = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]+)"', page)[0]
    assert base64.b64decode(address).startswith(b"<svg")
    assert "looks most at" in words
    assert not re.search(r"<(svg|script|style)\b", page)
    kept = json.loads((folder / ".kata" / "maps.json").read_text("utf-8"))["played"][ID]
    assert kept["was_right"] is True
    assert kept["wrote"] == [["your class", "1999-12-24"]]


def test_wrong_code_is_shown_beside_the_formula(playing: Any) -> None:
    assert " * self.scaling" in ANSWER
    playing.run(ANSWER.replace(" * self.scaling", ""))
    assert "✗ failed" in playing.run(f"%kata {ID}").text
    text, _ = everything(playing.run(f"%kata play {ID}"))
    assert "Your last check did not pass" in text
    assert "by the formula" in text
    playing.run(ANSWER)
    assert "✓ passed" in playing.run(f"%kata {ID}").text


def test_a_page_is_written_beside_the_exercises(playing: Any, folder: Path) -> None:
    text, _ = everything(playing.run(f"%kata play {ID} --page"))
    assert f"play/{ID}.html" in text.splitlines()[-1]
    assert "<svg" in (folder / "play" / f"{ID}.html").read_text("utf-8")


@rows(table(__file__, "cases.yml")["not_played"], "line", "said")
def test_what_cannot_be_played_is_one_sentence(playing: Any, line: str, said: str) -> None:
    told = playing.run(f"%kata play {line}").shown[-1]["text/plain"]
    assert said in told
    assert len(told.splitlines()) == 1


def test_a_check_offers_to_play_in_the_way_that_works_here(
    open_kernel: Callable[..., Any], folder: Path, playing: Any
) -> None:
    assert f"See it at work: %kata play {ID}" in playing.run(f"%kata {ID}").text
    without_magic = open_kernel(folder)  # as a released notebook has it
    without_magic.run(ANSWER)
    assert f'See it at work: kata.play("{ID}")' in without_magic.check(ID).text
    text, _ = everything(without_magic.run(f'kata.play("{ID}")'))
    assert f'kata.play("{ID} --page")' in text.splitlines()[-1]
