"""One clock: what an exercise and a submission may take, and what the machine owes."""

import pytest

from grader.sandbox.clock import MOST_CREDIT, Allowance, Budget


class Process:
    """Was kept waiting for so long."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def kept_waiting(self, now):
        return self.seconds


def test_what_runs_out_first_is_named():
    budget = Budget(seconds=8, request_seconds=4, cpu_seconds=20, whole=Allowance(seconds=10))
    assert budget.left(Process(), 1.0, 1.0, 0) == (3.0, "time")
    assert budget.left(Process(), 1.0, 7.0, 0) == (1.0, "exercise time")
    budget.whole.spent = 9.5
    assert budget.left(Process(), 0.0, 0.0, 0) == (0.5, "submission time")


def test_what_the_machine_owes_is_credited_within_a_bound():
    budget = Budget(seconds=8, request_seconds=4, cpu_seconds=20)
    assert budget.left(Process(2.0), 5.0, 5.0, 0)[0] == 1.0
    left, _ = budget.left(Process(1e6), 5.0, 5.0, 0)
    assert left == -1.0 + MOST_CREDIT * 8


@pytest.mark.parametrize(
    ("spent", "cpu", "owed", "shortage"),
    [(7.9, 1, 0, None), (8.0, 1, 0, "exercise time"), (9.0, 1, 2.0, None), (20.0, 1, 100.0, "exercise time"), (1, 20, 0, "exercise time")],
    ids=["nearly all", "all", "all but what is owed", "more than can be owed", "all processor time"],
)  # fmt: skip
def test_processes_of_one_exercise_are_charged_together(spent, cpu, owed, shortage):
    budget = Budget(seconds=8, request_seconds=4, cpu_seconds=20)
    budget.settle(spent / 2, cpu / 2, owed / 2)
    budget.settle(spent / 2, cpu / 2, owed / 2)
    assert budget.shortage == shortage


def test_exercises_of_one_submission_share_what_it_has():
    whole = Allowance(seconds=10, cpu_seconds=100)
    first, second = (Budget(8, 4, 20, whole) for _ in range(2))
    first.settle(8.0, 8.0, 0.0)
    assert second.shortage is None and second.left(Process(), 0.0, 0.0, 0) == (2.0, "submission time")
    second.settle(2.0, 2.0, 0.0)
    assert second.shortage == "submission time"


def test_a_further_process_gets_what_is_left_of_the_processor_time():
    budget = Budget(8, 4, cpu_seconds=20)
    assert budget.cpu_seconds_left == 20
    budget.settle(1.0, 17.5, 0.0)
    assert budget.cpu_seconds_left == 3
