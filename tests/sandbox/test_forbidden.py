import ast
import contextlib

import pytest
import torch

from grader.sandbox.inside.watching import ForbiddenOperator, OperatorWatch, forbidden_uses

CALLS = ("softmax", "log_softmax", "Softmax", "scaled_dot_product_attention")


def uses(source: str) -> list[str]:
    return [name for name, _ in forbidden_uses(ast.parse(source), source, CALLS, ["softmax"])]


USED = {
    "torch function": "import torch\ndef softmax(s, dim=-1):\n    return torch.softmax(s, dim)",
    "functional": "import torch.nn.functional as F\ndef softmax(s, dim=-1):\n    return F.softmax(s, dim)",
    "method": "def softmax(s, dim=-1):\n    return s.softmax(dim)",
    "module": "from torch import nn\ndef softmax(s, dim=-1):\n    return nn.Softmax(dim)(s)",
    "imported under another name": (
        "from torch.nn.functional import softmax as other\ndef softmax(s, dim=-1):\n    return other(s, dim)"
    ),
    "exp of log_softmax": "def softmax(s, dim=-1):\n    return s.log_softmax(dim).exp()",
    "getattr": "import torch\ndef softmax(s, dim=-1):\n    return getattr(torch, 'softmax')(s, dim)",
    "entry point is the library's": "import torch\nsoftmax = torch.softmax",
    "in a function that the entry point calls": (
        "import torch\ndef helper(s):\n    return torch.softmax(s, -1)\ndef softmax(s, dim=-1):\n    return helper(s)"
    ),
    "behind a version test": (
        "import torch\nif torch.__version__ > '2':\n    def softmax(s, dim=-1):\n        return torch.softmax(s, dim)"
    ),
    "import that is the entry point": "from torch import softmax",
    "own attribute that holds the library's": (
        "import torch\nclass N:\n    def __init__(self):\n        self.softmax = torch.softmax\n"
        "    def __call__(self, s):\n        return self.softmax(s, -1)\n"
        "def softmax(s, dim=-1):\n    return N()(s)"
    ),
    "star of attention": (
        "import torch.nn.functional as F\n"
        "def softmax(s, dim=-1):\n    return F.scaled_dot_product_attention(s, s, s)"
    ),
}  # fmt: skip

NOT_USED = {
    "own function of that name": "def softmax(s, dim=-1):\n    return s.exp() / s.exp().sum(dim, keepdim=True)",
    "recursion": "def softmax(s, dim=-1):\n    return softmax(s[None], dim)[0] if s.dim() == 1 else s",
    "own method": (
        "class N:\n    def softmax(self, s):\n        return s\n"
        "def softmax(s, dim=-1):\n    return N().softmax(s)"
    ),
    "own attribute": (
        "class N:\n    def __init__(self):\n        self.log_softmax = 1\n"
        "    def __call__(self, s):\n        return s * self.log_softmax\n"
        "def softmax(s, dim=-1):\n    return N()(s)"
    ),
    "comment and docstring": "def softmax(s, dim=-1):\n    '''like torch.softmax'''\n    return s  # F.softmax",
    "comparison under the main guard": (
        "import torch\ndef softmax(s, dim=-1):\n    return s\n"
        "if __name__ == '__main__':\n    print(torch.softmax(torch.ones(2), 0))"
    ),
    "demonstration": "import torch\ndef softmax(s, dim=-1):\n    return s\nprint(torch.softmax(torch.ones(2), 0))",
    "self-test that nothing calls": (
        "import torch\ndef softmax(s, dim=-1):\n    return s\n"
        "def check():\n    assert torch.allclose(softmax(x), torch.softmax(x, -1))"
    ),
    "logsumexp": "import torch\ndef softmax(s, dim=-1):\n    return (s - torch.logsumexp(s, dim, keepdim=True)).exp()",
}  # fmt: skip


@pytest.mark.parametrize("source", USED.values(), ids=USED)
def test_library_calls_are_found(source):
    assert uses(source)


@pytest.mark.parametrize("source", NOT_USED.values(), ids=NOT_USED)
def test_own_work_is_not_taken_for_a_library_call(source):
    assert uses(source) == []


def test_the_line_is_told():
    source = "import torch\n\n\ndef softmax(s, dim=-1):\n    return torch.softmax(s, dim)\n"
    assert forbidden_uses(ast.parse(source), source, CALLS, ["softmax"]) == [("softmax", 5)]


OPERATORS = ("aten::_softmax", "aten::_log_softmax")


CALLED = {
    "torch": lambda x: torch.softmax(x, -1),
    "method": lambda x: x.softmax(-1),
    "module": lambda x: torch.nn.Softmax(-1)(x),
    "ops": lambda x: torch.ops.aten.softmax(x, -1),
    "eval": lambda x: eval("torch.soft" + "max(x, -1)"),
    "log": lambda x: torch.nn.functional.log_softmax(x, -1),
}


@pytest.mark.parametrize("call", CALLED.values(), ids=CALLED)
def test_the_watch_sees_operators_under_any_name(call):
    watch = OperatorWatch(OPERATORS)
    with pytest.raises(ForbiddenOperator), watch:
        call(torch.ones(2, 3))
    assert watch.seen


def test_the_watch_remembers_what_was_caught():
    watch = OperatorWatch(OPERATORS)
    with watch, contextlib.suppress(ForbiddenOperator):
        torch.softmax(torch.ones(2), 0)
    assert watch.seen == "aten::_softmax"


def test_the_watch_lets_everything_else_pass():
    x = torch.randn(3, 4, requires_grad=True)
    with OperatorWatch(OPERATORS) as watch:
        y = (x - x.logsumexp(-1, keepdim=True)).exp()
        y.sum().backward()
    assert watch.seen is None and x.grad is not None
