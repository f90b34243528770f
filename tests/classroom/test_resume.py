"""Going on with a run: what has no result of this work by these checks is graded, nothing else, and what moved is told."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from grader.classroom.corrections import override_points
from grader.classroom.diff import compared, told
from grader.classroom.results import read_results
from grader.classroom.store import reading
from grader.errors import KataError

BOTH, EVERYBODY = ("share", "split"), ("ada", "bo", "cy")
SHARE, SPLIT = "01_parts/01_share", "02_more/01_split"
KIT = f"tests/kits/{SHARE}"
AGAIN = "Graded again for everybody, since the checks, solution or known mistakes changed: share"
POLICY = "policy:\n  exempt: [share]\ndocuments:"


@pytest.fixture
def three(room: Any) -> Any:
    """A graded class of three: all is right but `share` of Cy."""
    families = room.root / "tests" / "kits" / "families"
    families.mkdir()
    (families / "sums.py").write_text("def sum_of(): ...\n", "utf-8")
    for name in EVERYBODY:
        room.hand_in({f"{name}/share.py": name != "cy", f"{name}/split.py": True})
    room.grade()
    return room


def touch(room: Any) -> None:
    """Another time and another name of the file, and the rest in a zip: the same work."""
    os.utime(room.folder / "ada" / "share.py", (1, 1))
    (room.folder / "bo" / "share.py").rename(room.folder / "bo" / "01_share.py")
    shutil.make_archive(str(room.folder / "cy"), "zip", room.folder / "cy")
    shutil.rmtree(room.folder / "cy")


@pytest.mark.parametrize(
    ("change", "only", "asked", "told"),
    [
        pytest.param(lambda room: None, (), {}, [], id="nothing"),
        pytest.param(touch, (), {}, [], id="only how the work is packed"),
        pytest.param(lambda room: room.hand_in({"cy/a.txt": "hm"}), (), {}, [], id="a file that counts for nothing"),
        pytest.param(
            lambda room: room.hand_in({"bo/split.py": False}),
            (),
            {"bo": ("split",)},
            ["bo  split  4 -> 0  (what was handed in)"],
            id="one file",
        ),
        pytest.param(lambda room: room.hand_in({"b/share.py": True}), (), {"b": BOTH}, [], id="a learner more"),
        pytest.param(
            lambda room: room.be_generous(SHARE),
            (),
            dict.fromkeys(EVERYBODY, ("share",)),
            [f"{AGAIN}.", "cy  share  0 -> 4  (the course)"],
            id="the checks of an exercise",
        ),
        pytest.param(
            lambda room: room.edit(f"solutions/{SHARE}.py", "total", "sums"),
            (),
            dict.fromkeys(EVERYBODY, ("share",)),
            [f"{AGAIN}."],
            id="a solution",
        ),
        pytest.param(
            lambda room: room.edit(f"{KIT}/mistakes.py", "amax", "amin"),
            (),
            dict.fromkeys(EVERYBODY, ("share",)),
            [f"{AGAIN}."],
            id="a known mistake",
        ),
        pytest.param(
            lambda room: room.edit("tests/kits/families/sums.py", "sum_of", "sums_of"),
            (),
            dict.fromkeys(EVERYBODY, BOTH),
            [f"{AGAIN}, split."],
            id="a family of mistakes",
        ),
        pytest.param(
            lambda room: room.edit("course.yml", "units:", "submission_seconds: 9\nunits:"),
            (),
            dict.fromkeys(EVERYBODY, BOTH),
            [f"{AGAIN}, split."],
            id="a limit",
        ),
        pytest.param(
            lambda room: room.edit("course.yml", 'version: "1"', 'version: "2"'), (), {}, [], id="the course's version"
        ),
        pytest.param(
            lambda room: room.be_generous(SHARE, SPLIT),
            ("share",),
            dict.fromkeys(EVERYBODY, ("share",)),
            ["Changed as well, and not graded again: split. Add --only split.", "cy  share  0 -> 4  (the course)"],
            id="the checks of two exercises, one named",
        ),
        pytest.param(
            lambda room: (room.be_generous(SHARE), room.hand_in({"b/share.py": True, "cy/split.py": False})),
            ("share",),
            {"ada": ("share",), "b": BOTH, "bo": ("share",), "cy": BOTH},
            ["cy  share  0 -> 4  (the course)", "cy  split  4 -> 0  (what was handed in)"],
            id="work that is new, where an exercise is named",
        ),
    ],
)
def test_what_has_no_result_of_just_this_is_graded(
    change: Callable[[Any], Any], only: Sequence[str], asked: dict[str, Sequence[str]], told: list[str], three: Any
) -> None:
    before = three.records
    change(three)
    judge = three.judge()
    run = three.grade(resume=True, only=only, executor=judge)
    assert {name.removesuffix(".zip"): ids for name, ids in judge.asked} == asked
    assert [each for each in told if each not in [*run.remarks, *map(str, run.result.moves)]] == []
    assert len(run.result.moves) == sum(" -> " in each for each in told)
    assert sorted(three.records) == sorted({*before, *asked})
    for id in before.keys() - asked.keys():
        assert three.records[id].exercises == before[id].exercises
    calm = three.grade(resume=True, only=only)
    assert calm.graded == [] and not calm.result.moves


def test_new_problem_in_work_that_is_not_graded_again_is_in_the_record(three: Any) -> None:
    three.grade({"cy/notes.txt": "for the teacher"}, resume=True)
    assert [problem.file for problem in three.records["cy"].problems] == ["notes.txt"]


@pytest.mark.parametrize("only", [(), ("share",)], ids=["whole", "an exercise named"])
def test_record_of_a_submission_that_is_gone_is_kept_and_named(
    only: Sequence[str], three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after an update of the programs, by which it cannot be graded again."""
    before = three.records["cy"]
    shutil.rmtree(three.folder / "cy")
    three.be_generous(SHARE)
    monkeypatch.setattr("grader.classroom.grading_terms.version", lambda name: f"another {name}")
    run = three.grade(resume=True, only=only)
    assert "cy is not among the submissions any more; the record is kept." in run.remarks
    assert list(three.records) == list(EVERYBODY) and three.records["cy"] == before
    assert run.graded == ["ada", "bo"]


def test_everything_is_graded_again_by_other_programs_which_are_named(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    three.be_generous(SHARE)
    monkeypatch.setattr("grader.classroom.grading_terms.version", lambda name: f"another {name}")
    run = three.grade(resume=True, only=("share",))
    assert [each.reason for each in run.result.moves] == [
        "the course and the version of numpy and the version of torch"
    ]
    judge = three.judge()
    run = three.grade(resume=True, executor=judge)
    assert judge.asked == [(name, ("split",)) for name in EVERYBODY]
    (told,) = [each for each in run.remarks if each.startswith("Graded again for everybody, since numpy was ")]
    assert told.endswith(" and is another torch.")


def test_exercise_that_was_not_chosen_at_first_is_added_and_the_choice_is_remembered(room: Any) -> None:
    room.grade({"ada/share.py": True, "ada/split.py": False}, only=("split",))
    (before,) = room.records["ada"].exercises
    judge = room.judge()
    room.grade(resume=True, only=("share",), executor=judge)
    assert judge.asked == [("ada", ("share",))]
    assert [each.id for each in room.records["ada"].exercises] == list(BOTH)
    assert room.records["ada"].exercises[1] == before
    run = room.grade(resume=True)
    assert "The exercises are those of the run before: share, split." in run.remarks and run.graded == []


def test_each_result_says_by_what_it_was_graded(three: Any) -> None:
    three.be_generous(SHARE)
    three.grade(resume=True)
    with reading(three.out) as store:
        first, second = store.runs()
        kits = {row.result.id: row.kit for row in store.rows("cy", second)}
    assert kits == {"share": second.kits["share"], "split": first.kits["split"]} == dict(second.kits)
    assert first.kits["share"] != second.kits["share"]


def test_result_that_is_no_mark_is_graded_again(room: Any) -> None:
    files: dict[str, bool | str] = {"ada/share.py": True, "bo/share.py": True}
    assert room.grade(files, executor=room.judge(failing={"bo": ValueError("odd")})).faults == ["bo"]
    judge = room.judge()
    assert room.grade(resume=True, executor=judge).faults == [] and judge.asked == [("bo", BOTH)]
    assert all(record.complete for record in room.records.values())


def test_fault_of_the_grader_takes_no_points_away(three: Any) -> None:
    before = three.records
    three.be_generous(SHARE)
    run = three.grade(resume=True, executor=three.judge(failing=dict.fromkeys(EVERYBODY, ValueError("odd"))))
    assert run.faults == list(EVERYBODY)
    assert "Not graded again, so the earlier points stay: ada, bo, cy." in run.remarks
    assert three.records == before
    three.grade(resume=True)
    assert three.points["cy"] == 8


def test_policy_and_points_set_by_hand_hold_for_what_was_graded_again_and_are_no_move(three: Any) -> None:
    three.edit("course.yml", 'title: "02_more"', "title: More\n    extra_credit: true")
    three.hand_in({"bo/share.py": False})
    three.grade(resume=True)
    for name, points in (("bo", 1), ("cy", 0)):
        override_points(three.out, name, "share", str(points), "Talked with them.", three.course)
    three.be_generous(SHARE)
    run = three.grade(resume=True)
    stays = "the course; what counts stays, by the policy or as it is set by hand"
    assert list(map(str, run.result.moves)) == [f"bo  share  1 -> 1  ({stays})", f"cy  share  0 -> 0  ({stays})"]
    assert three.points == {"ada": 8, "bo": 5, "cy": 4} and three.records["ada"].final_max_points == 4


def test_change_of_the_policy_is_named_when_one_goes_on(three: Any) -> None:
    """No points change behind anybody's back: those of learners who handed in nothing new are named."""
    three.edit("course.yml", "documents:", POLICY)
    run = three.grade(resume=True)
    assert run.graded == []
    assert "Final points also changed, since course.yml or the roster did: ada 8 -> 4, bo 8 -> 4." in run.remarks


@pytest.mark.parametrize(
    ("terms", "course", "told"),
    [
        pytest.param({"seed": 6}, "Tiny", "the seed was 5 and is 6", id="another seed"),
        pytest.param({"level": "process"}, "Tiny", "the isolation was none and is process", id="another isolation"),
        pytest.param({}, "Other", "the course was Tiny and is Other", id="another course"),
    ],
)
def test_other_terms_are_refused_and_named(terms: dict[str, Any], course: str, told: str, three: Any) -> None:
    three.edit("course.yml", "title: Tiny", f"title: {course}")
    three.refused(told, **terms)


def test_seed_that_nobody_chose_is_that_of_the_run_before(room: Any) -> None:
    room.grade({"ada/share.py": True}, seed=None)
    before = (room.out / "results.jsonl").read_bytes()
    room.grade(resume=True, seed=None)
    assert (room.out / "results.jsonl").read_bytes() == before


def test_class_of_which_nobody_is_known_is_refused(three: Any) -> None:
    three.folder = three.place / "other"
    told = r"It knows ada, bo, cy, and here are di: give another folder"
    three.refused(told, files={"di/share.py": True})


def test_another_weeks_download_and_another_platforms_are_refused(room: Any) -> None:
    worksheet = "Identifier,Full name,Email address\nParticipant 9001,Ada Byron,ada@uni.example\n"
    first, other = ("Ada Byron_9001_assignsubmission_file", "Ada Byron_8001_assignsubmission_file")
    room.grade({f"{first}/share.py": True}, worksheet)
    room.folder = room.place / "week2"
    room.refused(f"It knows {first}, and here are {other}: give another folder", files={f"{other}/share.py": True})
    room.folder = room.place / "canvas"
    told = "No name in canvas is one of Moodle's. What is there: byronada_70_500_share.py. A class of another platform"
    room.refused(told, files={"byronada_70_500_share.py": True})


def test_class_that_is_there_is_neither_overwritten_nor_lost(three: Any) -> None:
    three.refused("--resume goes on with it; --anew begins again", resume=False, anew=False)
    three.grade(anew=True)
    with reading(three.out) as store:
        earlier, now = store.runs()
        assert [earlier.first, now.first] == [earlier.id, now.id]
        assert store.graded(earlier) == store.graded(now) == set(EVERYBODY)


def test_resume_without_any_result_begins(room: Any) -> None:
    assert room.grade({"ada/share.py": True}, resume=True).graded == ["ada"]


def test_results_inside_the_class_folder_are_no_learner(three: Any) -> None:
    three.out = three.folder / "out"
    three.grade(pages=True)
    assert three.grade(resume=True).graded == [] and list(three.records) == list(EVERYBODY)
    assert len(list(three.out.glob("learner-*.html"))) == 3


def test_new_learner_stands_in_class_order(three: Any) -> None:
    three.grade({"bea/share.py": True}, resume=True)
    assert list(three.records) == ["ada", "bea", "bo", "cy"]


def test_person_says_whose_a_submission_is_and_is_asked_once(room: Any) -> None:
    roster = "id,name\n1,Ada Byron\n2,Bo Chen\n"
    with pytest.raises(KataError, match=r"Nothing was graded.*unmatched\.csv, and give it with --match"):
        room.grade({"homework/share.py": True}, roster)
    filled = (room.out / "unmatched.csv").read_text("utf-8-sig").replace("called so.,", "called so.,Bo Chen")
    room.grade({}, roster, match=filled)
    again = room.grade({"homework/share.py": False}, resume=True)
    assert again.graded == ["homework"] and again.result.unmatched == []
    assert [(each.learner.id, each.record.points) for each in read_results(room.out)] == [("2", 0)]


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
        "  bo  split  4 -> 0  (the seed and what was handed in and the isolation)",
        "  cy  share  0 -> 4  (the course and the seed and the isolation)",
    ]
    assert list(compared(earlier, three.out, three.course)) == [
        "On other terms: the course was Tiny 1 and is Tiny 2; the hidden checks, solutions or known mistakes of share were "
        "changed; the exercises were all and are share, split; the seed was 5 and is 6; the isolation was none and is process.",
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
    fair = 'learner.keeps_inputs(function("share", draw.uniform(3, 4, low=1.0), names=["amounts"]))'
    room.edit(f"{KIT}/checks.py", fair, unfair)
    plain = "def share(amounts):\n    return amounts / amounts.sum(-1, True)\n"
    room.hand_in({"ada/share.py": plain, "bo/share.py": True, "cy/share.py": False})

    def graded(*arguments: object) -> str:
        terms = ("--out", "out", "--course", "course", "--isolation", "best", "--jobs", 1, "--html")
        done = kata("grade-class", "class", *terms, *arguments, cwd=room.place)
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    def differences(*words: str) -> str:
        done = kata("diff", *words, cwd=room.place)
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    graded("--seed", 5)
    before = room.records
    shutil.copytree(room.out, room.place / "earlier")
    room.edit(f"{KIT}/checks.py", unfair, fair)
    moved = "  ada  share  3 -> 4  (the course)"
    shown = graded("--resume", "--only", "share")
    assert moved in shown.splitlines() and "Points that moved: 1." in shown
    assert [each.digest for each in room.records.values()] == [each.digest for each in before.values()]
    assert "4 / 4" in (room.out / "learner-ada.html").read_text("utf-8").replace("<b>4</b>", "4")
    assert "moved" not in graded("--resume")
    assert "0 differences, of 0 of 3 learners in both." in differences(
        "out"
    )  # the later of the last two runs moved nothing
    lines = differences("earlier", "out")
    assert "of share were changed" in lines and moved in lines
    assert "1 difference, of 1 of 3 learners in both." in lines
    assert Path(room.out / "class.html").exists()
