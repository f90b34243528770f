import ast
from pathlib import Path

import pytest

from grader.sandbox.inside.plain import is_plain

ROOT = Path(__file__).parents[2]
PLAIN = {
    "a function": "import torch\ndef softmax(s, dim=-1):\n    e = (s - s.amax(dim, True)).exp()\n    return e / e.sum(dim, True)\n",
    "a module": "import math\nfrom torch import nn\nimport torch.nn.functional as F\n\nclass A(nn.Module):\n"
    "    def __init__(self, d, h=2):\n        super().__init__()\n        self.q, self._h = nn.Linear(d, d), h\n"
    "        self.register_buffer('mask', None)\n    def forward(self, x):\n"
    "        return F.softmax(self.q(x) / math.sqrt(self._h), dim=-1)\n",
    "items of its own": "def f(mask, cache):\n    mask[..., 1:] = 0\n    cache['k'] = mask\n    return mask\n",
    "no gradients": "import torch\ndef f(x):\n    with torch.no_grad():\n        return x.clone()\n",
    "a seed": "import torch\ntorch.manual_seed(1)\n",
    "a main part": "def f(x):\n    return x\nif __name__ == '__main__':\n    print(f(1))\n",
    "annotations": "from __future__ import annotations\nfrom typing import Optional\ndef f(x: Optional[int] = None) -> int:\n    return 1\n",
}  # fmt: skip
NOT_PLAIN = {
    "a default of torch's": "import torch\ntorch.set_default_dtype(torch.float64)\n",
    "another module": "import os\n",
    "another module by its part": "from os import path\n",
    "everything of a module": "from torch import *\n",
    "a module of torch with a state": "import torch\ntorch.backends.mkldnn.flags()\n",
    "a module by way of torch": "import torch\ntorch.os.environ\n",
    "an attribute of something imported": "import torch\ntorch.Tensor.sum = None\n",
    "an attribute taken away": "import torch\ndel torch.softmax\n",
    "an attribute under another name": "import torch\nt = torch\nt.softmax = None\n",
    "an attribute that is added to": "import torch\ntorch.pi += 1\n",
    "an attribute of a part of itself": "class A:\n    def f(self):\n        self.a.b = 1\n",
    "an item of something imported": "import torch\ntorch.x[0] = 1\n",
    "setattr": "import torch\nsetattr(torch, 'pi', 3)\n",
    "getattr": "import torch\ngetattr(torch, 'set_' + 'num_threads')(2)\n",
    "exec": "exec('1')\n",
    "a special name": "__builtins__\n",
    "a special attribute": "def f(x):\n    return x.__class__\n",
    "a special attribute of its own": "class A:\n    def f(self):\n        return self.__dict__\n",
    "a hook": "import torch\ntorch.nn.modules.module.register_module_forward_hook(print)\n",
    "a generator": "def f():\n    yield 1\n",
    "a coroutine": "async def f():\n    pass\n",
    "a finalizer": "class A:\n    def __del__(self):\n        pass\n",
    "a metaclass": "class A(metaclass=type):\n    pass\n",
    "another self": "import torch\nself = torch\nself.pi = 3\n",
    "a compiler": "import torch\n@torch.compile\ndef f(x):\n    return x\n",
}


@pytest.mark.parametrize("source", PLAIN.values(), ids=PLAIN.keys())
def test_files_that_keep_to_themselves_are_plain(source):
    assert is_plain(ast.parse(source))


@pytest.mark.parametrize("source", NOT_PLAIN.values(), ids=NOT_PLAIN.keys())
def test_files_that_could_leave_a_trace_are_not(source):
    assert not is_plain(ast.parse(source))


def test_nearly_every_right_answer_of_the_course_is_plain():
    right = [*ROOT.glob("solutions/*/*.py"), *ROOT.glob("tests/alternatives/*/*/*.py")]
    plain = [is_plain(ast.parse(path.read_bytes())) for path in right]
    assert sum(plain) > 0.8 * len(plain) > 0
