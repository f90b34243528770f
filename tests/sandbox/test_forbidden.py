import ast

import pytest
import torch

from grader.sandbox.inside.watching import ForbiddenOperator, OperatorWatch, forbidden_uses

from ..cases import rows, table

CASES = table(__file__, "forbidden.yml")
CALLS = ("softmax", "log_softmax", "Softmax", "scaled_dot_product_attention")
OPERATORS = ("aten::_softmax", "aten::_log_softmax")
CALLED = {
    "torch": lambda x: torch.softmax(x, -1),
    "method": lambda x: x.softmax(-1),
    "module": lambda x: torch.nn.Softmax(-1)(x),
    "ops": lambda x: torch.ops.aten.softmax(x, -1),
    "eval": lambda x: eval("torch.soft" + "max(x, -1)"),
    "log": lambda x: torch.nn.functional.log_softmax(x, -1),
}


@rows(CASES)
def test_library_calls_are_found_and_own_work_is_not_taken_for_one(case):
    found = forbidden_uses(ast.parse(case["source"]), case["source"], CALLS, ["softmax"])
    assert [list(use) for use in found] == case["uses"]


@rows(CALLED, "call")
def test_the_watch_sees_operators_under_any_name_and_remembers_what_was_caught(call):
    with OperatorWatch(OPERATORS) as watch, pytest.raises(ForbiddenOperator):
        call(torch.ones(2, 3))
    assert watch.seen in OPERATORS


def test_the_watch_lets_everything_else_pass():
    x = torch.randn(3, 4, requires_grad=True)
    with OperatorWatch(OPERATORS) as watch:
        y = (x - x.logsumexp(-1, keepdim=True)).exp()
        y.sum().backward()
    assert watch.seen is None and x.grad is not None
