"""In a class the files of one submission share a worker: each gets what it gets alone, whatever the others do."""

import itertools
import os
import signal
import time
from pathlib import Path

import pytest

from grader.course import load_course
from grader.judge import together
from grader.judge.grading import Judge
from grader.results import Record, without_timings
from grader.sandbox.sandbox import Sandbox
from grader.submission import SourceFile, Submission

KITS = ("01_parts/01_first", "01_parts/02_second", "01_parts/03_third")
NAMES = ("first", "second", "third")
FILES = ["01_first.py", "02_second.py", "03_third.py"]
COUNT = itertools.count()
RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
REQUEST_SECONDS, SECONDS = 2, 4

OF_THE_SECOND = {
    "right-in-other-words": "def second(x):\n    return x / x.sum(-1, keepdim=True)\n",
    "right-with-other-rounding": "def second(x):\n    return (x.log() - x.sum(-1, keepdim=True).log()).exp()\n",
    "wrong": "def second(x):\n    return x / x.sum()\n",
    "wrong-in-an-unknown-way": "def second(x):\n    return x / x.sum(-1, keepdim=True) ** 2\n",
    "changes-its-input": "def second(x):\n    return x.div_(x.sum(-1, keepdim=True))\n",
    "an-error": "def second(x):\n    raise ValueError('one')\n",
    "not-python": "def second(x:\n",
    "fails-to-load": "x = 1 / 0\n",
    "fails-to-load-an-import": "import nothing_like_it\n",
    "nothing-there": "x = 1\n",
    "not-plain": "import torch\ntorch.set_default_dtype(torch.float64)\ndef second(x):\n    return x / x.sum(-1, keepdim=True)\n",
    "ends-at-once": "raise SystemExit(0)\n",
    "ends-for-good": "import os\nos._exit(0)\n",
    "too-deep": "def second(x):\n    return second(x)\n",
    "large": "import torch\ndef second(x):\n    return torch.zeros(4_000_000)\n",
    "too-large": "import torch\ndef second(x):\n    return torch.zeros(17_000_000)\n",
    "out-of-memory": "import torch\ndef second(x):\n    return torch.zeros(2**40)\n",
    "prints": "def second(x):\n    print('hello')\n    return x / x.sum(-1, keepdim=True)\n",
    "right-in-its-first-calls": "calls = []\ndef second(x):\n    calls.append(1)\n"
    "    return x / x.sum(-1, keepdim=True) if len(calls) < 3 else x\n",
    "depends-on-the-random-state": "import torch\nshift = torch.rand(())\ndef second(x):\n    return x + shift\n",
    "exchanges-what-others-use": "import torch\nclass Change:\n    def put(self, other):\n        self.sum = other\n"
    "Change.put(torch.Tensor, None)\ndef second(x):\n    return x\n",
    "turns-gradients-off": "import torch\nmode = torch.no_grad()\ndef second(x):\n    type(mode).__enter__(mode)\n"
    "    return x / x.sum(-1, keepdim=True)\n",
}  # fmt: skip
APART = {"not-python", "not-plain", "fails-to-load-an-import", "ends-for-good", "turns-gradients-off"}
"""Seen before anything runs."""
HANGS = "def second(x):\n    while True:\n        pass\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory, make_course):
    root: Path = make_course(tmp_path_factory.mktemp("course"), *KITS)
    with (root / "course.yml").open("a") as course:
        course.write(f"limits:\n  request_seconds: {REQUEST_SECONDS}\n  seconds: {SECONDS}\n")
    return load_course(root / "course.yml")


@pytest.fixture(scope="module")
def judges(course):
    """A judge of a class that has seen right answers, and one that grades each alone."""
    shared = Judge(course, "full", seed=7, share_verdicts=True)
    alone = Judge(course, "full", seed=7)
    assert graded(shared) == graded(alone)
    yield shared, alone
    shared.close()
    alone.close()


@pytest.fixture
def joined(monkeypatch):
    """Which files have had their share of a worker: for each submission, in order."""
    seen = []
    begin = together._SharedWorker.begin

    def noted(self, parts):
        shares = begin(self, parts)
        seen.append([part.script.file for part, share in zip(parts, shares, strict=True) if share is not None])
        return shares

    monkeypatch.setattr(together._SharedWorker, "begin", noted)
    return seen


def submission(**changed: str) -> Submission:
    sources = {name: changed.get(name, RIGHT.format(id=name)) for name in NAMES}
    return Submission(
        "someone", {name: SourceFile(name, f"{name}.py", text.encode()) for name, text in sources.items()}, ()
    )


def graded(judge: Judge, *submissions: Submission) -> list[str]:
    """The records, without times."""
    records: list[Record] = []
    judge.grade(submissions or (submission(),), records.append)
    return [without_timings(record).to_json() for record in records]


def another(text: str) -> str:
    """The same file, byte for byte another: nothing is known of it."""
    return f"{text}# {next(COUNT)}\n"


def class_with(second: str) -> list[Submission]:
    """Two who hand it in, between right ones. Every file is another."""
    return [
        submission(**{name: another(text or RIGHT.format(id=name)) for name, text in sources.items()})
        for sources in [dict(zip(NAMES, ("", each, ""), strict=True)) for each in (second, "", second, "")]
    ]


@pytest.fixture(scope="module")
def alone(judges):
    """What such a class gets when each file is graded by itself. A comment at the end of a file changes nothing."""
    _, judge = judges
    (right,) = graded(judge)

    def records(second: str) -> list[str]:
        (of_the_second,) = graded(judge, submission(second=second))
        return [of_the_second, right, of_the_second, right]

    return records


@pytest.mark.parametrize("second", OF_THE_SECOND.keys())
def test_everybody_gets_together_what_they_get_alone(judges, alone, joined, second):
    shared, _ = judges
    assert graded(shared, *class_with(OF_THE_SECOND[second])) == alone(OF_THE_SECOND[second])
    with_it = [FILES[0], FILES[2]] if second in APART else FILES
    assert joined == [with_it, FILES, with_it, FILES]


def test_an_endless_loop_takes_nobody_with_it(judges):
    shared, _ = judges
    records: list[Record] = []
    shared.grade(class_with(HANGS)[:2], records.append)
    assert [[each.status for each in record.exercises] for record in records] == [
        ["passed", "failed", "passed"],
        ["passed"] * 3,
    ]


def test_nothing_is_shared_before_the_questions_are_known(course, joined):
    judge = Judge(course, "full", seed=8, share_verdicts=True)
    graded(judge)
    assert joined == []
    judge.close()


def test_a_question_that_was_not_foreseen_is_answered_alone(judges, alone, monkeypatch):
    shared, _ = judges
    second = OF_THE_SECOND["wrong-in-an-unknown-way"].replace("** 2", "** 3")
    known = shared.foresight.of(7, "second")
    shortened = known.first.__class__(known.first.frames[:-1], known.first.names[:-1], known.first.seconds, b"")
    monkeypatch.setattr(known, "first", shortened)
    assert graded(shared, *class_with(second)) == alone(second)


@pytest.mark.parametrize("whose", ["the-zygote", "the-worker"])
def test_the_end_of_a_shared_worker_is_nobodys_fault(judges, alone, monkeypatch, whose):
    shared, _ = judges
    begin = together._SharedWorker.begin

    def ended(self, parts):
        shares = begin(self, parts)
        assert isinstance(shared.sandbox, Sandbox)
        if whose == "the-zygote":
            shared.sandbox._process.kill()
            os.killpg(shared.sandbox._process.pid, signal.SIGKILL)
        else:
            pidfd = shared.sandbox.pidfd_of(self._worker.number, time.monotonic() + 9)
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        monkeypatch.setattr(together._SharedWorker, "begin", begin)
        return shares

    monkeypatch.setattr(together._SharedWorker, "begin", ended)
    second = OF_THE_SECOND["right-in-other-words"]
    assert graded(shared, *class_with(second)) == alone(second)
