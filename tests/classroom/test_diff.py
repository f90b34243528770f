"""`kata diff`: on which terms, who is in one alone, whose points differ and why."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from grader.classroom.earlier_run import compared, told
from grader.errors import KataError

SHARE = "01_parts/01_share"
KIT = f"tests/kits/{SHARE}"


@pytest.fixture
def three(room: Any) -> Any:
    """A graded class of three: all is right but `share` of Cy."""
    room.grade(
        {f"{name}/{id}.py": (name, id) != ("cy", "share") for name in ("ada", "bo", "cy") for id in ("share", "split")}
    )
    return room


def test_diff_says_on_which_terms_who_is_in_one_alone_and_whose_points_differ(three: Any) -> None:
    earlier = three.place / "earlier"
    shutil.copytree(three.out, earlier)
    with pytest.raises(KataError, match="holds one run: there is nothing to compare it with"):
        list(compared(three.out, None, three.course))
    shutil.rmtree(three.folder / "ada")
    three.be_generous(SHARE)
    three.edit("course.yml", 'version: "1"', 'version: "2"')
    three.grade(
        {"di/share.py": True, "bo/split.py": False}, anew=True, seed=6, level="process", only=("share", "split")
    )
    alone = [f"Only in {earlier}: ada.", f"Only in {three.out}: di."]
    moves = [
        "  bo  split  4 -> 0  (the seed and the isolation and what was handed in)",
        "  cy  share  0 -> 4  (the course and the seed and the isolation)",
    ]
    assert list(compared(earlier, three.out, three.course)) == [
        "On other terms: the hidden checks, solutions or known mistakes of share were changed; the choice of exercises was all "
        "and is share, split; the course was Tiny 1 and is Tiny 2; the seed was 5 and is 6; the isolation was none and is "
        "process.",
        *alone,
        *moves,
        "2 differences, of 2 of 2 learners in both.",
    ]
    run = three.grade(resume=True, seed=6, level="process")
    assert not run.result.moves and list(told([*"abc"], 2)) == ["  a", "  b", "  and 1 more"]
    assert next(iter(compared(three.out, None, three.course))) == "On the same terms."


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_whoever_lost_points_to_an_unfair_check_gets_them_back_by_one_command(
    room: Any, kata: Callable[..., Any]
) -> None:
    """The real commands and judges: the check is mended, the class graded again, and what moved is told and told again."""
    unfair = 'expect("keepdim" in learner.source, "Write keepdim.")'
    fair = 'learner.keeps_inputs(function("share", draw.uniform(3, 4, low=0.5), names=["amounts"]))'
    room.edit(f"{KIT}/checks.py", fair, unfair)
    plain = "def share(amounts):\n    return amounts / amounts.sum(-1, True)\n"
    room.hand_in({"ada/share.py": plain, "bo/share.py": True, "cy/share.py": False})

    def typed(command: str, *arguments: object) -> str:
        done = kata(command, *arguments, cwd=room.place)
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    class_in_out = ("class", "--out", "out", "--course", "course", "--isolation", "best", "--jobs", 1, "--html")
    typed("grade-class", *class_in_out, "--seed", 5)
    before = room.records
    shutil.copytree(room.out, room.place / "earlier")
    room.edit(f"{KIT}/checks.py", unfair, fair)
    moved = "  ada  share  3 -> 4  (the course)"
    shown = typed("grade-class", *class_in_out, "--resume", "--only", "share")
    assert moved in shown.splitlines() and "Points that moved: 1." in shown
    assert [each.digest for each in room.records.values()] == [each.digest for each in before.values()]
    assert "4 / 4" in (room.out / "learner-ada.html").read_text("utf-8").replace("<b>4</b>", "4")
    assert "moved" not in typed("grade-class", *class_in_out, "--resume")
    assert "0 differences, of 0 of 3 learners in both." in typed("diff", "out"), "the last two runs"
    lines = typed("diff", "earlier", "out")
    assert "of share were changed" in lines and moved in lines
    assert "1 difference, of 1 of 3 learners in both." in lines
    assert (room.out / "class.html").exists()
