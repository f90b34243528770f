"""What is watched behind the wall: forbidden calls and operators, and what a call makes, calls and prints."""

import ast

import pytest
import torch

from grader.sandbox.inside.watching import ForbiddenOperator, Observer, OperatorWatch, forbidden_uses

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


def seen(action):
    observer = Observer()
    with observer.watching():
        action()
    return observer.seen()


@pytest.mark.parametrize(
    "make",
    [
        lambda q, k: q @ k.mT,
        lambda q, k: (q[:, None] * k).sum(-1),
        lambda q, k: (k @ q.mT)[..., None],
        lambda q, k: torch.einsum("id,jd->ij", q, k),
        lambda q, k: torch.zeros(len(q) * len(k)),
        lambda q, k: torch.empty(0).resize_(len(q), 1, len(k)),
        lambda q, k: torch.ones(len(q), len(k), dtype=torch.bool),
        lambda q, k: torch.cat([q @ block.mT for block in k.split(2)], -1),
        lambda q, k: torch.stack([row @ k.mT for row in q]),
    ],
    ids=["product", "broadcast", "other-way-round", "einsum", "flat-buffer", "resized", "mask", "blocks", "rows"],
)
def test_a_whole_matrix_is_seen_however_it_is_laid_out(make):
    assert seen(lambda: make(torch.ones(9, 2), torch.ones(11, 2)))["largest"] >= 9 * 11


def test_repeated_numbers_are_held_once():
    assert seen(lambda: torch.ones(9, 1).expand(9, 1000))["largest"] == 9
    assert seen(lambda: [torch.ones(9, 2) @ block.mT for block in torch.ones(11, 2).split(2)])["largest"] == 22


def test_functions_are_seen_under_their_own_names():
    x = torch.ones(2, 3, 4)
    assert (
        "scaled_dot_product_attention"
        in seen(lambda: torch.nn.functional.scaled_dot_product_attention(x, x, x))["functions"]
    )
    assert "scaled_dot_product_attention" not in seen(lambda: torch.softmax(x @ x.mT, -1) @ x)["functions"]


def test_what_is_printed_is_counted_and_goes_no_further(capsys):
    assert seen(lambda: print("abc"))["printed"] == 4
    assert capsys.readouterr().out == ""
