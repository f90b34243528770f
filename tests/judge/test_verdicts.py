"""A file that passed is not run again for whoever hands in the very same; every other file is."""

from pathlib import Path

import pytest

from grader.course import load_course
from grader.judge.grading import Judge
from grader.judge.verdicts import Verdicts
from grader.results import CheckResult, ExerciseResult, Record, without_timings
from grader.submission import SourceFile, Submission

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
SEED = 7


class Counted:
    """A judge of the small course that counts how many files it has run."""

    def __init__(self, course_file: Path, *, share_verdicts: bool) -> None:
        self.judge = Judge(load_course(course_file), "process", SEED, share_verdicts=share_verdicts)
        self.run = 0
        begin = self.judge.attempt

        def counted(*args):
            self.run += 1
            return begin(*args)

        self.judge.attempt = counted

    def grade(self, *sources: str) -> list[Record]:
        records: list[Record] = []
        taken = [
            Submission(f"learner {i}", {"share": SourceFile("share", "01_share.py", text.encode())}, ())
            for i, text in enumerate(sources)
        ]
        self.judge.grade(taken, records.append)
        return records


@pytest.fixture(scope="module")
def course_file(tmp_path_factory, make_course):
    return make_course(tmp_path_factory.mktemp("course"), "01_parts/01_share") / "course.yml"


@pytest.fixture(scope="module", params=[True, False], ids=["shared", "each-alone"])
def counted(request, course_file):
    made = Counted(course_file, share_verdicts=request.param)
    made.is_shared = request.param
    yield made
    made.judge.close()


@pytest.fixture
def run(counted):
    """How many files were run since the test began."""
    before = counted.run
    counted.judge.seed += 1  # nothing of another test counts
    return lambda: counted.run - before


def test_the_same_right_file_gets_the_same_record_and_runs_once_at_most_when_shared(counted, run):
    records = counted.grade(RIGHT, RIGHT, RIGHT)
    alike = {without_timings(record.model_copy(update={"submission": "x"})).to_json() for record in records}
    assert len(alike) == 1 and records[0].points == records[0].max_points > 0
    assert run() == (1 if counted.is_shared else 3)


@pytest.mark.parametrize(
    "other", [RIGHT + "\n", RIGHT.replace("amounts", "numbers"), WRONG], ids=["blank", "names", "wrong"]
)
def test_another_file_is_run_however_alike(counted, run, other):
    first, second = counted.grade(RIGHT, other)
    assert run() == 2
    assert (second.points == first.points) == (other != WRONG)


def test_a_file_that_failed_is_run_for_everybody_who_hands_it_in(counted, run):
    records = counted.grade(WRONG, WRONG)
    assert run() == 2
    assert [record.exercises[0].status for record in records] == ["failed", "failed"]


def test_another_seed_asks_again(counted, run):
    counted.grade(RIGHT)
    counted.judge.seed += 1
    counted.grade(RIGHT)
    assert run() == 2


def _passed(name: str) -> ExerciseResult:
    check = CheckResult(
        name="test_main", title="It works.", outcome="passed", points=1, max_points=1, visible=False, message=""
    )
    return ExerciseResult(id=name, status="passed", points=1, max_points=1, checks=(check,), diagnosis=(), seconds=3.0)


def test_the_file_not_seen_for_longest_goes_first_when_there_are_too_many():
    verdicts = Verdicts(most=2)
    for content in (b"a", b"b"):
        verdicts.note(SEED, content, _passed("share"))
    assert verdicts.of(SEED, "share", b"a") is not None
    verdicts.note(SEED, b"c", _passed("share"))
    kept = [content for content in (b"a", b"b", b"c") if verdicts.of(SEED, "share", content) is not None]
    assert kept == [b"a", b"c"]


def test_a_shared_verdict_took_no_time():
    verdicts = Verdicts()
    verdicts.note(SEED, b"a", _passed("share"))
    found = verdicts.of(SEED, "share", b"a")
    assert found is not None and found.seconds == 0
