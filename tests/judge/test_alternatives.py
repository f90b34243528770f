"""An alternative is the reference with other definitions."""

import pytest

from grader.judge.bank import defined_anew
from grader.judge.faults import BankError

REFERENCE = '''\
"""What the learner reads."""

import torch
from torch import nn

SIZE = 2


def half(x):
    # BEGIN SOLUTION
    return x / SIZE
    # END SOLUTION


class Layer(nn.Module):
    """The reference's own words."""

    def __init__(self, width):
        super().__init__()
        # BEGIN SOLUTION
        self.width = width
        # END SOLUTION

    @property
    def root(self):
        return self.width**0.5

    def forward(self, x):
        return half(x) * self.root
'''

IMPORTS = "import torch\nfrom torch import nn\n\n\n"
HALF = "def half(x):\n    return x / SIZE\n"
LAYER = """\
class Layer(nn.Module):
    \"\"\"The reference's own words.\"\"\"

    def __init__(self, width):
        super().__init__()
        self.width = width

    @property
    def root(self):
        return self.width**0.5

    def forward(self, x):
        return half(x) * self.root
"""

FUNCTION = "def half(x):\n    return x.div(SIZE)\n"
FORWARD = "    def forward(self, x):\n        return half(x * self.root)\n"
INITIAL = "    def __init__(self, width):\n        super().__init__()\n        self.width = width\n\n"
ROOT = "    @property\n    def root(self):\n        return self.width**0.5\n\n"
NUMBER = "SIZE = 2\n\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(FUNCTION, IMPORTS + NUMBER + f"{FUNCTION}\n\n{LAYER}", id="a function in its place"),
        pytest.param("half = torch.exp\n", IMPORTS + NUMBER + f"half = torch.exp\n\n\n{LAYER}", id="a name assigned"),
        pytest.param("SIZE = 3\n", IMPORTS + "SIZE = 3\n\n\n" + f"{HALF}\n\n{LAYER}", id="a constant"),
        pytest.param(
            "class Layer(nn.Module):\n" + FORWARD,
            IMPORTS + NUMBER + f"{HALF}\n\nclass Layer(nn.Module):\n" + INITIAL + ROOT + FORWARD,
            id="a class keeps the methods that it does not write",
        ),
        pytest.param(
            'class Layer(nn.Module):\n    """Mine."""\n\n' + FORWARD,
            IMPORTS + NUMBER + f'{HALF}\n\nclass Layer(nn.Module):\n    """Mine."""\n\n' + INITIAL + ROOT + FORWARD,
            id="after its own docstring",
        ),
        pytest.param(
            "class Layer(nn.Module):\n" + INITIAL + FORWARD,
            IMPORTS + NUMBER + f"{HALF}\n\nclass Layer(nn.Module):\n" + INITIAL + FORWARD,
            id="a class with __init__ is whole",
        ),
        pytest.param(
            f"import math\n\n\ndef root(x):\n    return math.sqrt(x)\n\n\n@torch.no_grad()\n{FUNCTION}",
            f"import math\n{IMPORTS}{NUMBER}def root(x):\n    return math.sqrt(x)\n\n\n@torch.no_grad()\n{FUNCTION}\n\n"
            + LAYER,
            id="imports, helpers and decorators come along",
        ),
        pytest.param(
            f"{FUNCTION}\n\nhalf(torch.ones(1))\n",
            IMPORTS + NUMBER + f"{FUNCTION}\n\n{LAYER}\n\nhalf(torch.ones(1))\n",
            id="what follows stays behind",
        ),
        pytest.param(
            f"import torch\n\n\n{FUNCTION}",
            "import torch\n" + IMPORTS + NUMBER + f"{FUNCTION}\n\n{LAYER}",
            id="an import that is there is there twice",
        ),
    ],
)
def test_definitions_stand_in_place_of_the_references(text: str, expected: str):
    assert defined_anew(REFERENCE, text, "kit: 'own'") == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            "def halve(x):\n    return x / 2\n",
            "kit: 'own': define at least one of SIZE, half, Layer anew, or write a list of edits",
            id="a definition that no reference names",
        ),
        pytest.param(
            "def half(x):\n    return x +\n",
            "kit: 'own': SyntaxError: invalid syntax in line 2 of its definitions. Mend that line",
            id="no Python",
        ),
        pytest.param(
            "", "kit: 'own': define at least one of SIZE, half, Layer anew, or write a list of edits", id="nothing"
        ),
    ],
)
def test_an_alternative_that_defines_nothing_is_told(text: str, told: str):
    with pytest.raises(BankError) as refused:
        defined_anew(REFERENCE, text, "kit: 'own'")
    assert str(refused.value) == told
