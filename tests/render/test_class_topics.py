from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from grader.render.class_summary import ClassSummary
from grader.render.class_topics import doubtful, most_missed, topics, unexplained

Make = Callable[..., Any]
ALL = ("test_example", "test_formula", "test_dtype")


def class_of(results: list[Any], make_record: Make) -> ClassSummary:
    summary = ClassSummary({}, [])
    for number, result in enumerate(results):
        summary.add(make_record(f"n{number}", [result]))
    return summary


def test_topics_are_the_commonest_known_mistakes(make_result: Make, make_record: Make) -> None:
    made = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
    results = [
        make_result("a", "failed", missed=["test_formula"], mistakes=[name])
        for name, count in made.items()
        for _ in range(count)
    ]
    found = topics(class_of(results, make_record))
    assert [(topic.message, topic.how_many) for topic in found] == [
        ("five was made.", "5 of the 15 learners who tried"),
        ("four was made.", "4 of the 15 learners who tried"),
        ("three was made.", "3 of the 15 learners who tried"),
    ]


def test_what_one_learner_misses_is_no_riddle(make_result: Make, make_record: Make) -> None:
    summary = class_of([make_result("a", "failed", missed=["test_formula"])], make_record)
    assert topics(summary) == unexplained(summary) == []


def test_riddles_are_what_no_known_mistake_explains(make_result: Make, make_record: Make) -> None:
    known = make_result("a", "failed", missed=["test_formula"], mistakes=["one"])
    unknown = make_result("a", "failed", missed=["test_dtype"])
    stuck = make_result("a", "failed", missed=ALL, reason="SyntaxError")
    right = make_result("a")
    found = unexplained(class_of([known] * 4 + [unknown] * 3 + [stuck] * 2 + [right] * 9, make_record))
    assert [list(topic.learners) for topic in found] == [[5, 6, 7], [8, 9]]
    assert "“The weights keep the scores' dtype.”" in found[0].message
    assert "every check for one reason" in found[1].message


@pytest.mark.parametrize(
    ("passed", "failed", "is_doubtful"),
    [(0, 5, True), (0, 4, False), (1, 9, True), (1, 8, False), (9, 1, False)],
    ids=["nobody", "too-few-to-say", "one-of-ten", "one-of-nine", "nearly-all"],
)
def test_exercise_that_nearly_nobody_passes_is_doubted(
    passed: int, failed: int, is_doubtful: bool, make_result: Make, make_record: Make
) -> None:
    wrong = make_result("a", "failed", missed=["test_dtype"])
    summary = class_of([make_result("a")] * passed + [wrong] * failed, make_record)
    assert [tally.id for tally in doubtful(summary)] == (["a"] if is_doubtful else [])
    assert bool(unexplained(summary)) != (is_doubtful or failed < 2)


def test_stubs_do_not_make_an_exercise_doubtful(make_result: Make, make_record: Make) -> None:
    assert not doubtful(class_of([make_result("a", "not_started")] * 20, make_record))


def test_check_that_most_learners_miss_of_all(make_result: Make, make_record: Make) -> None:
    results = [make_result("a", "failed", missed=["test_dtype"])] + [
        make_result("b", "failed", missed=["test_formula"])
    ] * 2
    found = most_missed(class_of(results, make_record))
    assert found and found.id == "b"
    assert most_missed(class_of([make_result("a")], make_record)) is None
