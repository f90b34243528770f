"""One submission through the judge: points, roles, statuses, and whose fault it was."""

import gc
import threading
import time
import weakref
from pathlib import Path

import pytest

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.judge.faults import GraderBroken
from grader.judge.grading import Judge, Session
from grader.record import Problem, Record
from grader.sandbox.levels import MachineError

from ..cases import rows, table
from ..waiting import await_true
from .graded import CHECKS, RIGHT, WRONG, graded, submission, with_checks

TABLES = table(__file__, "grading.yml")


@pytest.fixture(scope="module")
def judge(course):
    judge = Judge(course, "full", seed=7)
    yield judge
    judge.close()


@rows(TABLES["graded"])
def test_points_follow_from_the_roles_of_checks_and_known_mistakes_are_named(judge, case):
    (record,) = graded(judge, case["source"])
    (exercise,) = record.exercises
    points = {check.name: check.points for check in exercise.checks if check.points}
    assert (exercise.status, points) == (case["status"], {name: each for name, each in case["points"].items() if each})
    assert record.points == sum(points.values())
    assert [found.mistake for found in exercise.diagnosis] == case["named"]
    if "test_main" not in points:
        manners = next(check for check in exercise.checks if check.name == "test_manners")
        assert manners.outcome == "passed" and "main check" in manners.message


def test_a_learner_does_not_feel_the_one_before(judge):
    hostile = "import torch, os\ntorch.Tensor.sum = None\ndef share(a):\n    os._exit(0)\n"
    records = graded(judge, RIGHT, hostile, RIGHT, hostile, RIGHT)
    assert [record.points for record in records] == [4, 0, 4, 0, 4]


@rows(TABLES["said"])
def test_what_went_wrong_is_said_in_the_learners_terms_without_hidden_numbers(judge, case):
    (record,) = graded(judge, case["source"])
    exercise = record.exercises[0]
    assert exercise.status == "failed" and record.points == 0 and record.complete
    said = {check.name: check.message for check in exercise.checks}
    assert case["says"] in said[case.get("check", "test_main")]


def test_absent_untouched_and_refused_files_are_told_apart(judge, course):
    stub = course.stub_path(course.exercise("share")).read_bytes()
    untouched = Submission("a", {"share": SourceFile("share", "01_share.py", stub.replace(b"\n", b"\r\n"))}, ())
    problem = Problem(file="share.py", kind="duplicate", message="Two files for `share`.", exercise="share")
    twice = Submission("b", {}, (problem,))
    records: list[Record] = []
    judge.grade([Submission("c", {}, ()), untouched, twice], records.append)
    assert [record.exercises[0].status for record in records] == ["missing", "not_started", "failed"]
    assert records[2].exercises[0].checks[0].message == "Two files for `share`."
    assert all(record.points == 0 for record in records)


AGREES = "    learner.agrees(case(draw), case(draw))"


@pytest.mark.parametrize(
    "fault",
    [
        "raise TypeError('oops')",
        *(
            pytest.param(f"pytest.{call}('oops')", marks=pytest.mark.thorough)
            for call in ("fail", "skip", "exit", "xfail")
        ),
    ],
)
def test_a_fault_of_a_check_is_an_error_ends_nothing_and_is_never_a_mark(judge_with, fault):
    checks = "import pytest\n" + CHECKS.replace(AGREES, f"    {fault}")
    records = graded(judge_with(checks), RIGHT, RIGHT)
    assert [(record.exercises[0].status, record.complete) for record in records] == [("error", False)] * 2
    (broken,) = [check for check in records[0].exercises[0].checks if check.outcome == "error"]
    assert broken.name == "test_main" and "oops" in broken.message
    assert f"checks.py:{checks[: checks.index(fault)].count(chr(10)) + 1})" in broken.message


REMEMBERS = "kept = {}\ndef share(a):\n    return kept.setdefault(a.shape, a / a.sum(-1, keepdim=True))\n"


@pytest.mark.parametrize(("source", "is_told"), [(REMEMBERS, True), (WRONG, False)], ids=["the second", "the first"])
def test_that_a_function_was_called_again_is_said_where_only_the_second_output_is_wrong(judge_with, source, is_told):
    again = AGREES.replace("case(draw), case(draw)", "called_again(case(draw), draw.uniform(2, 3, low=0.5))")
    checks = CHECKS.replace(AGREES, again).replace("import Case,", "import Case, called_again,")
    (record,) = graded(judge_with(checks), source)
    said = next(each.message for each in record.exercises[0].checks if each.name == "test_main")
    assert said and ("the function called twice" in said) is is_told


REFUSES_WORDS = "    if isinstance(amounts, str):\n        {}\n"
MUST_REFUSE = "A word must be refused with AssertionError (an `assert` raises it) or ValueError, but {}."


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("raise ValueError", ""),
        ("assert False", ""),
        ("return amounts", MUST_REFUSE.format("was accepted")),
        ("raise IndexError", MUST_REFUSE.format("IndexError was raised")),
    ],
)
def test_what_must_be_refused_says_what_came_instead(open_judge, make_course, tmp_path, does, told):
    root = make_course(tmp_path, "01_parts/01_share")
    begin = "    # BEGIN SOLUTION\n"
    solution = root / "solutions/01_parts/01_share.py"
    solution.write_text(solution.read_text().replace(begin, begin + REFUSES_WORDS.format("raise ValueError")))
    checks = CHECKS.replace(AGREES, "    learner.refuses('share', ('x',), why='A word')")
    define, computes = RIGHT.splitlines()
    source = f"{define}\n{REFUSES_WORDS.format(does)}{computes}\n"
    (record,) = graded(open_judge(with_checks(root, checks), "process", 1), source)
    assert [each.message or "" for each in record.exercises[0].checks if each.name == "test_main"] == [told]


TALKS = """
    amounts = draw.uniform(2, 3, low=0.5)

    def share(ask, of):
        asked = Case()
        asked.call(asked.entry("share"), of, return_as="output")
        return ask(asked)[0]["output"]

    def talk(ask):
        parts = share(ask, amounts)
        return {"stay": torch.allclose(share(ask, parts), parts)}

    expect(learner.read(talk)["stay"], "The parts of parts are other parts.")
"""


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("return amounts / amounts.sum(-1, keepdim=True)", ""),
        ("return (amounts / amounts.sum(-1, keepdim=True)) ** 2", "The parts of parts are other parts."),
        ("raise IndexError", "IndexError in line 2"),
    ],
)
def test_a_check_that_converses_asks_about_what_came_back(judge_with, does, told):
    checks = CHECKS.replace(AGREES, TALKS).replace('role="main"', 'role="main", converses=True')
    (record,) = graded(judge_with(checks), f"def share(amounts):\n    {does}\n")
    (main,) = [each for each in record.exercises[0].checks if each.name == "test_main"]
    assert (main.outcome == "passed") is (not told) and told in (main.message or "")


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        pytest.param(
            CHECKS.replace("main(learner, draw)", "main(learner, tmp_path)"), "there is no `tmp_path`", id="fixture"
        ),
        pytest.param("import no_such_module\n", "no_such_module", id="cannot be collected"),
    ],
)
def test_checks_that_cannot_be_run_are_told(judge_with, checks, told):
    with pytest.raises(GraderBroken, match=told):
        graded(judge_with(checks), RIGHT)


@pytest.mark.thorough
def test_a_killed_zygote_is_replaced_and_nobody_loses_points(course, open_judge):
    judge = open_judge(course, "full", 7)
    records: list[Record] = []

    def kill_after_the_first(record: Record) -> None:
        records.append(record)
        if len(records) == 1:
            judge.sandbox._process.kill()

    judge.grade([submission(RIGHT)] * 3, kill_after_the_first)
    assert [record.points for record in records] == [4, 4, 4]


def test_a_machine_that_stops_isolating_ends_the_run_without_a_grade(course, open_judge, monkeypatch):
    judge = open_judge(course, "full", 7)
    records: list[Record] = []

    def lose_bubblewrap(record: Record) -> None:
        records.append(record)
        judge.sandbox._process.kill()
        monkeypatch.setenv("PATH", "/nonexistent")

    with pytest.raises(MachineError):
        judge.grade([submission(RIGHT)] * 9, lose_bubblewrap)
    assert len(records) < 9  # whoever was forked before the end was there is graded
    assert all(record.points == 4 for record in records)


def test_a_judge_lets_go_of_what_it_has_graded(course, open_judge, monkeypatch):
    sessions = []
    begin = Session.__init__

    def noted(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        sessions.append(weakref.ref(self))

    monkeypatch.setattr(Session, "__init__", noted)
    judge = open_judge(course, "none", 7)
    graded(judge, RIGHT, WRONG)
    assert sessions
    graded(judge, RIGHT)
    gc.collect()
    assert not [session for reference in sessions if (session := reference())]


@pytest.mark.thorough
def test_no_answers_of_other_seeds_are_kept(course, open_judge):
    """A judge that is kept warm is asked with a fresh seed each time."""
    judge, kept = open_judge(course, "full", 1), []
    for judge.seed in range(4):
        graded(judge, WRONG)
        kept.append(sum(len(module._answers) for _, module in judge.kits["share"].code.mistakes))
    assert kept[0] and len(set(kept)) == 1


SHARED_OUT = ("soft_lookup", "dot_scores", "softmax")


@pytest.fixture
def three(open_judge):
    """A judge of three exercises, and their references handed in."""
    course = load_course(Path(__file__).parents[2] / "course.yml")
    paths = {id: course.solution_path(course.exercise(id)) for id in SHARED_OUT}
    files = {id: SourceFile(id, path.name, path.read_bytes()) for id, path in paths.items()}
    return open_judge(course, "process", 1, SHARED_OUT), Submission("someone", files, ())


def test_what_is_asked_is_worked_out_one_exercise_ahead(three):
    judge, submission = three
    planned, records = [], []
    judge.grade([submission], records.append, lambda exercise: planned.append(len(judge._expected)))
    assert planned == [2, 3, 3]
    assert [each.status for each in records[0].exercises] == ["passed"] * 3


def workers():
    return {each for each in threading.enumerate() if each.name == "kata worker"}


def test_grading_that_is_broken_off_leaves_no_worker_behind(three):
    judge, submission = three
    before = workers()

    def break_off(exercise):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge.grade([submission], lambda record: None, break_off)
    await_true(lambda: not workers() - before, 20)
    records = []
    judge.grade([submission], records.append)
    assert [each.status for each in records[0].exercises] == ["passed"] * 3


def test_seconds_of_an_exercise_count_the_naming_of_mistakes(course, open_judge, monkeypatch):
    monkeypatch.setattr(Session, "diagnosis", lambda self: time.sleep(0.5) or [])
    assert graded(open_judge(course, "process", 1), WRONG)[0].exercises[0].seconds >= 0.5
