import pytest
import torch

from grader.judge.questions import Case, function, read_answers
from grader.sandbox.inside.wire import WireError

from ..cases import rows, table

CASE = function("f", 1)  # one told value, made by step 1
FORGED = table(__file__, "forged.yml")
RIGHT = {"answers": {"1": 5}, "error": None}


def test_an_answer_is_read():
    (answer,) = read_answers([RIGHT], [CASE])
    assert answer["output"] == 5 and answer.error is None


@rows(FORGED, "reply")
def test_what_is_no_answer_is_refused(reply):
    with pytest.raises(WireError):
        read_answers(reply, [CASE])


@pytest.mark.parametrize(
    ("ask", "value"),
    [
        (lambda case: case.parameters(case.entry("C")), {"w": [torch.ones(2), True]}),
        (lambda case: case.parameters(case.entry("C")), {"w": torch.ones(2)}),
        (lambda case: case.buffers(case.entry("C")), [torch.ones(2)]),
        (lambda case: case.refuses(case.entry("C")), torch.ones(2)),
        (lambda case: case.gradients([]), {"w": "x"}),
    ],
    ids=["shape-tensor", "no-pair", "buffers", "refusal", "gradients"],
)
def test_what_our_side_tells_must_have_its_form(ask, value):
    case = Case()
    ask(case)
    (number,) = case.returned
    with pytest.raises(WireError):
        read_answers([{"answers": {str(number): value}, "error": None}], [case])


def test_an_error_keeps_only_what_has_the_form_of_one():
    error = {"kind": "exception", "type": "T" * 9999, "message": "m" * 9999, "frames": [[3, "f"]] * 99, "more": 1}
    (answer,) = read_answers([{"answers": {}, "error": error}], [CASE])
    assert answer.error is not None
    assert set(answer.error["frames"]) == {(3, "f")} and len(answer.error["frames"]) < 99
    assert len(answer.error["message"]) < 1000 and "more" not in answer.error
