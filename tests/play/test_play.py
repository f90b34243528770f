"""`kata play` as it is typed: what can be played, what comes first, a terminal, a page, and what ends in one sentence."""

from __future__ import annotations

import os
import sys
import time

import pexpect
import pytest

from grader.play.catalogue import PLAYS, BadText, UnknownSwitch, offer_of, play_of, switched_off
from grader.play.scene import read_text
from grader.record import CheckResult, Diagnosis, ExerciseResult

ID = "multi_head_attention"
SMALL = "softmax"
NO_SCALE = (" / self.head_dim**0.5", "")


def test_list_names_what_comes_first_and_loads_no_torch(desk, course):
    done = desk.kata("play", environment={"PYTHONPROFILEIMPORTTIME": "1"})
    assert done.returncode == 0
    assert all(play.id in done.stdout for play in PLAYS)
    assert f"kata check {PLAYS[0].id}" in " ".join(done.stdout.split())
    assert not any(line.endswith("| torch") for line in done.stderr.splitlines())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param((ID,), "not written yet", id="a stub"),
        pytest.param(("dot_scores",), "nothing to play", id="no scene"),
        pytest.param(("soft_max",), "no exercise", id="no exercise"),
        pytest.param(("--page",), "Play which exercise", id="no id"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(desk, words, said):
    done = desk.kata("play", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_written_but_not_checked_is_told_to_check(desk, course):
    desk.write(course, ID)
    done = desk.kata("play", ID)
    assert done.returncode == 2
    assert f"kata check {ID}" in done.stderr


@pytest.mark.thorough
def test_passed_code_plays_and_bad_words_are_one_sentence(desk, course):
    desk.write(course, ID)
    checked = desk.kata("check", ID)
    assert checked.returncode == 0
    assert f"See it at work: kata play {ID}" in checked.stdout
    done = desk.kata("play", ID, "--without", "head:1.3")
    assert done.returncode == 0, done.stderr
    assert "passed its check" in done.stdout
    assert "without head 1.3" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert f"{ID}  " in desk.kata("play").stdout
    done = desk.kata("play", ID, "--text", "x", "--without", "mask")
    assert done.returncode == 2
    assert done.stderr.strip() == "Type 2 to 48 letters; these are 1."


@pytest.mark.thorough
def test_plain_pytest_offers_it_for_one_exercise(desk, course):
    file = desk.write(course, SMALL)
    done = desk.pytest(file)
    assert done.returncode == 0, done.stdout
    assert f"See it at work: kata play {SMALL}" in done.stdout.splitlines()
    other = desk.write(course, "soft_lookup")
    done = desk.pytest(file, other)
    assert done.returncode == 0, done.stdout
    assert "kata play" not in done.stdout


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="pexpect has no terminals there")
def test_watch_offers_it_after_a_save(desk, course):
    child = pexpect.spawn(
        sys.executable, ["-m", "grader", "watch"], cwd=str(desk.folder), env={**os.environ, **desk.environment, "TERM": "xterm"},
        encoding="utf-8", timeout=120,
    )  # fmt: skip
    try:
        child.expect_exact("Save a file to have it checked.")
        time.sleep(0.3)  # the folder is watched a moment after the screen is there
        desk.write(course, SMALL)
        child.expect_exact(f"See it at work: kata play {SMALL}")
        child.send("q")
        child.expect_exact("The watch has ended.")
    finally:
        child.close(force=True)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        pytest.param(["gravity"], "there is mask, scale, residual, head:1.1 to head:2.4", id="no such part"),
        pytest.param(["head:3.1"], "cannot be switched off", id="no such layer"),
        pytest.param(["head:1.5"], "cannot be switched off", id="no such head"),
        pytest.param(["head"], "cannot be switched off", id="no number"),
    ],
)
def test_what_is_not_there_cannot_be_switched_off(names, said):
    with pytest.raises(UnknownSwitch, match=said):
        switched_off(play_of(ID), names, layers=2, heads=4)


@pytest.mark.parametrize("text", ["Ünsal", "a", "a" * 49, "3 cats"])
def test_a_text_that_the_model_cannot_read_is_refused(text):
    with pytest.raises(BadText):
        read_text(text)


@pytest.mark.thorough
def test_failed_code_plays_and_is_called_so(desk, course):
    desk.write(course, ID, NO_SCALE)
    checked = desk.kata("check", ID)
    assert checked.returncode == 1
    assert f"See it at work: kata play {ID}" in checked.stdout
    done = desk.kata("play", ID)
    assert done.returncode == 0
    assert "did not pass" in done.stdout
    assert "by the formula" in done.stdout


@pytest.mark.thorough
def test_code_that_fails_ends_with_what_was_shown_so_far(desk, course):
    desk.write(course, ID, ("return self.out_proj(context)", 'raise OSError("\\x1b[31m <b>lost</b>")'))
    assert desk.kata("check", ID).returncode == 1
    done = desk.kata("play", ID)
    assert done.returncode == 1
    assert "could not go on" in done.stdout
    assert "\x1b" not in done.stdout
    done = desk.kata("play", ID, "--page")
    assert done.returncode == 1
    page = (desk.folder / "play" / f"{ID}.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;lost" in page
    assert "<b>lost" not in page


@pytest.mark.thorough
def test_page_needs_nothing_and_runs_nothing(desk, course):
    desk.write(course, ID)
    assert desk.kata("check", ID).returncode == 0
    done = desk.kata("play", ID, "--page", "--text", "koba met koba")
    assert done.returncode == 0, done.stderr
    page = (desk.folder / "play" / f"{ID}.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 8
    assert "looks at" in page
    for foreign in ("http:", "https:", "src=", "<script", "@import", "url("):
        assert foreign not in page


@pytest.mark.parametrize(
    ("status", "passed", "diagnosed", "offered"),
    [
        pytest.param("passed", True, False, "See it at work", id="right"),
        pytest.param("partly", True, False, "See it at work", id="right as far as it was checked"),
        pytest.param("failed", True, False, "See it at work", id="some checks hold"),
        pytest.param("failed", False, True, "See it at work", id="a known mistake, no check holds"),
        pytest.param("failed", False, False, "", id="it computes nothing"),
        pytest.param("not_started", False, False, "", id="a stub"),
    ],
)
def test_wrong_code_is_offered_where_there_is_an_effect_to_see(status, passed, diagnosed, offered):
    check = CheckResult(
        name="c",
        title="t",
        outcome="passed" if passed else "failed",
        points=0.0,
        max_points=1.0,
        visible=True,
        message="",
    )
    diagnosis = (Diagnosis(mistake="mask-inverted", message="The mask is inverted."),) if diagnosed else ()
    result = ExerciseResult.model_construct(
        id=ID, status=status, points=0.0, max_points=1.0, checks=(check,), diagnosis=diagnosis, seconds=0.0
    )
    assert offer_of(result).startswith(offered) and bool(offer_of(result)) == bool(offered)
    assert offer_of(result.model_copy(update={"id": "dot_scores"})) == ""
