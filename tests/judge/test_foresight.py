"""A class's questions are asked ahead, and the same answers get the same verdict: the one that each file gets alone."""

import re
import tracemalloc
from pathlib import Path

import pytest

from grader.course import load_course
from grader.judge.attempt import MOST_AHEAD_BYTES
from grader.judge.foresight import Conversation, Foresight
from grader.judge.grading import Judge
from grader.judge.learner import Learner
from grader.results import CheckResult, ExerciseResult, Record, without_timings
from grader.submission import SourceFile, Submission

CHECKS = '''
import torch
from grader.judge.authoring import expect, function, points

def case(draw, rows=2):
    return function("share", draw.uniform(rows, 3, low=1.0), names=["amounts"], axes="rows columns")

@points(2, role="main")
def test_main(learner, draw):
    """The main thing."""
    learner.agrees(case(draw), case(draw, 4))
    learner.agrees(case(draw, 5))

@points(1.5)
def test_behaviour(learner, draw):
    """Every output is positive, and what comes next depends on it."""
    (output,) = learner.outputs(case(draw))
    expect(bool((output > 0).all()), "Some numbers are not positive.")
    learner.outputs(case(draw, 6 if bool((output[0] > 0.2).all()) else 7))

@points(0.5, role="manners")
def test_manners(learner, draw):
    """The input is left alone."""
    learner.keeps_inputs(case(draw))
'''
REPAIR = '''
@points(1, role="repair")
def test_repair(learner):
    """The change is small."""
    learner.repaired_with(removed=9, added=3)
'''
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
LEARNERS = {
    "renamed": RIGHT.replace("amounts", "x").replace("(x)", "(amounts)").replace("return x /", "x = amounts\n    return x /"),
    "other-rounding": "def share(amounts):\n    logs = amounts.log() - amounts.sum(-1, keepdim=True).log()\n    return logs.exp()\n",
    "known-mistake": "def share(amounts):\n    return amounts / amounts.sum()\n",
    "known-mistake-again": "def share(amounts):\n    whole = amounts.sum()\n    return amounts / whole\n",
    "unknown-mistake": "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True) ** 2\n",
    "negative": "def share(amounts):\n    return -amounts / amounts.sum(-1, keepdim=True)\n",
    "changes-its-input": "def share(amounts):\n    return amounts.div_(amounts.sum(-1, keepdim=True))\n",
    "error": "def share(amounts):\n    raise ValueError('one')\n",
    "error-in-another-line": "\n\ndef share(amounts):\n    raise ValueError('one')\n",
    "wrong-for-some-shapes": "def share(amounts):\n    assert len(amounts) != 5\n    return amounts / amounts.sum(-1, keepdim=True)\n",
    "not-python": "def share(amounts:\n",
    "fails-to-load": "import nothing_like_it\n",
    "nothing-there": "x = 1\n",
    "ends-at-once": "import os\nos._exit(0)\n",
    "ends-at-the-third-call": "import os\nn = 0\ndef share(amounts):\n    global n\n    n += 1\n    if n == 3:\n        os._exit(0)\n"
    "    return amounts / amounts.sum(-1, keepdim=True)\n",
    "hangs": "def share(amounts):\n    while True:\n        pass\n",
    "floods": "def share(amounts):\n    print('x' * 20_000_000)\n    return amounts / amounts.sum(-1, keepdim=True)\n",
    "large": "import torch\ndef share(amounts):\n    return torch.zeros(4_000_000)\n",
    "too-large": "import torch\ndef share(amounts):\n    return torch.zeros(17_000_000)\n",
    "swallows-the-questions": "import os\nos.read(3, 1 << 20)\n" + RIGHT,
    "answers-by-itself": "import os\nos.write(4, b'KAT1' + bytes(1000))\n" + RIGHT,
    "prints": "def share(amounts):\n    print('hello')\n    return amounts / amounts.sum(-1, keepdim=True)\n",
    "right-in-its-first-calls": "n = 0\ndef share(amounts):\n    global n\n    n += 1\n"
    "    return amounts / amounts.sum(-1, keepdim=True) if n < 4 else amounts\n",
    "random": "import os, torch\ndef share(amounts):\n    return amounts * int.from_bytes(os.urandom(4), 'big')\n",
}  # fmt: skip

CHANGES_ITS_INPUT_TOO = LEARNERS["changes-its-input"].replace("return amounts", "whole = amounts\n    return whole")
TAKES_ITS_TIME = "hangs"
POINTS = re.compile(r'"points":[0-9.]+|"outcome":"[a-z]+"')


def course_with(folder, make_course, checks):
    root: Path = make_course(folder, "01_parts/01_share")
    (root / "tests" / "checks" / "01_parts" / "01_share.py").write_text(checks)
    with (root / "course.yml").open("a") as course:
        course.write("limits:\n  request_seconds: 2\n  seconds: 4\n")
    return load_course(root / "course.yml")


@pytest.fixture(scope="module")
def course(tmp_path_factory, make_course):
    return course_with(tmp_path_factory.mktemp("course"), make_course, CHECKS)


def graded(judge: Judge, *sources: str) -> list[str]:
    """The records, without names and times."""
    records: list[Record] = []
    taken = [
        Submission("someone", {"share": SourceFile("share", "01_share.py", source.encode())}, ()) for source in sources
    ]
    judge.grade(taken, records.append)
    return [without_timings(record).to_json() for record in records]


@pytest.fixture(scope="module")
def judges(course):
    """A judge of a class that has seen a right answer, and one that grades each alone."""
    shared = Judge(course, "full", seed=7, share_verdicts=True)
    alone = Judge(course, "full", seed=7)
    assert graded(shared, RIGHT) == graded(alone, RIGHT)
    assert shared.foresight.of(7, "share") is not None
    yield shared, alone
    shared.close()
    alone.close()


@pytest.fixture(scope="module")
def alone(judges):
    """What each file gets by itself; it is graded once, and knows of no other."""
    _, judge = judges
    known: dict[str, str] = {}

    def records(*sources: str) -> list[str]:
        for source in sources:
            if source not in known:
                (known[source],) = graded(judge, source)
        return [known[source] for source in sources]

    return records


@pytest.mark.parametrize("source", LEARNERS.values(), ids=LEARNERS.keys())
def test_everybody_gets_in_a_class_what_they_get_alone(judges, alone, source):
    shared, _ = judges
    is_slow = source == LEARNERS[TAKES_ITS_TIME]
    sources = [source, RIGHT] if is_slow else [source, RIGHT, source]
    one, other = graded(shared, *sources), alone(*sources)
    if is_slow:  # on a busy machine it is told in other words, alone or not
        one, other = ([POINTS.findall(line) for line in lines] for lines in (one, other))
    assert one == other


def test_a_whole_class_gets_what_each_gets_alone(judges, alone):
    shared, _ = judges
    everybody = [source for _ in range(2) for name, source in LEARNERS.items() if name != TAKES_ITS_TIME]
    assert graded(shared, *everybody) == alone(*everybody)


def most_memory(judge: Judge, source: str) -> int:
    """The bytes that Python and torch's readers hold at most while a file is graded."""
    tracemalloc.start()
    graded(judge, source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_large_answers_to_foreseen_questions_are_not_kept(judges):
    in_class, by_itself = (most_memory(judge, LEARNERS["large"]) for judge in judges)
    assert in_class < by_itself + MOST_AHEAD_BYTES


@pytest.fixture
def asked(monkeypatch):
    """How often a check has asked anything."""
    count = []
    ask_all = Learner.ask_all
    monkeypatch.setattr(Learner, "ask_all", lambda *cases, **how: (count.append(1), ask_all(*cases, **how))[1])
    return count


@pytest.fixture
def shared(course):
    judge = Judge(course, "process", seed=7, share_verdicts=True)
    yield judge
    judge.close()


@pytest.mark.parametrize(
    ("first", "second", "checks_run_again"),
    [
        pytest.param(RIGHT, LEARNERS["renamed"], False, id="right-answers-that-are-the-same"),
        pytest.param(RIGHT, LEARNERS["other-rounding"], True, id="right-answers-that-differ"),
        pytest.param(LEARNERS["changes-its-input"], CHANGES_ITS_INPUT_TOO, False, id="the-same-mistake"),
        pytest.param(
            LEARNERS["known-mistake"], LEARNERS["known-mistake-again"], True, id="mistakes-asked-something-else"
        ),
        pytest.param(LEARNERS["error"], LEARNERS["error"], True, id="errors-are-told-with-the-source"),
    ],
)
def test_checks_run_only_for_answers_that_are_new(shared, asked, first, second, checks_run_again):
    graded(shared, RIGHT, first)
    asked.clear()
    graded(shared, second)
    assert bool(asked) == checks_run_again


@pytest.mark.parametrize(
    ("line", "is_loaded"),
    [
        pytest.param("import time\ntime.sleep(0.8)\n", True, id="after-a-file-that-takes-its-time-to-load"),
        pytest.param("", False, id="after-quick-files"),
    ],
)
def test_what_torch_loads_late_is_loaded_once_for_a_class_that_needs_it(shared, line, is_loaded):
    asks = "import sys\nif 'sympy' not in sys.modules:\n    raise ImportError\n" + RIGHT
    graded(shared, RIGHT, line + RIGHT)
    (record,) = graded(shared, asks)
    assert ('"points":4.0' in record) == is_loaded


def test_nothing_is_foreseen_with_another_seed(shared, asked):
    graded(shared, RIGHT)
    asked.clear()
    shared.seed = 8
    graded(shared, LEARNERS["renamed"])
    assert asked


def test_checks_that_look_at_the_source_run_for_everybody(tmp_path, make_course):
    course = course_with(tmp_path, make_course, CHECKS.replace("@points(2,", "@points(1,") + REPAIR)
    judge, alone = (Judge(course, "process", seed=7, share_verdicts=share) for share in (True, False))
    longer = RIGHT + "a = 1\nb = 2\nc = 3\nd = 4\n"
    small, large = graded(judge, RIGHT, longer)
    assert [small, large] == graded(alone, RIGHT, longer) and small != large
    assert judge.foresight.of(7, "share") is not None
    judge.close()
    alone.close()


def result(outcome):
    check = CheckResult(
        name="test_main", title="", outcome=outcome, points=0.0, max_points=1.0, visible=False, message=""
    )
    return ExerciseResult(
        id="share", status=outcome, points=0.0, max_points=1.0, checks=(check,), diagnosis=(), seconds=1.0
    )


def told(*names):
    return Conversation(frames=names, names=names, seconds=1.0, digest=b"".join(names))


def test_questions_are_learnt_from_a_file_that_passed():
    foresight = Foresight()
    foresight.note(1, told(b"a"), result("failed"), looked_at_source=False)
    assert foresight.of(1, "share") is None
    foresight.note(1, told(b"a", b"b"), result("passed"), looked_at_source=False)
    assert foresight.of(1, "share").first.names == (b"a", b"b")


def test_what_was_asked_otherwise_or_failed_by_the_graders_fault_is_not_remembered():
    foresight = Foresight()
    foresight.note(1, told(b"a"), result("passed"), looked_at_source=False)
    foresight.note(1, told(b"b"), result("failed"), looked_at_source=False)
    foresight.note(1, Conversation((b"a",), (b"a",), 1.0, b"other"), result("error"), looked_at_source=False)
    assert set(foresight.of(1, "share").results) == {b"a"}
