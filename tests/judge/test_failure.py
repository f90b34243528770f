"""The sentence for an error of the learner's code: what it shows of the failing line."""

from __future__ import annotations

import re

import pytest

from grader.judge.failure import error_text, syntax_text

SOURCE = ["def mix(weights, value):", "    return self.mask + weights @ value", "    raise NotImplementedError('mix')"]
SHAPES = [("weights", [2, 6, 6]), ("value", [2, 5, 4]), ("self.mask", [6, 6])]
TOLD = "\n    weights    (2, 6, 6)\n    value      (2, 5, 4)\n    self.mask  (6, 6)"


def told(*, line: int = 2, tensors: list = SHAPES, hide_numbers: bool = False, error: str = "RuntimeError") -> str:
    given = {"kind": "exception", "type": error, "message": "sizes", "frames": [(line, "mix")], "tensors": tensors}
    return error_text(given, SOURCE, "", hide_numbers=hide_numbers)


def test_a_visible_check_shows_the_shapes_of_the_lines_tensors() -> None:
    assert told() == f"RuntimeError in line 2, in `mix` (`{SOURCE[1].strip()}`): sizes{TOLD}"


def test_a_hidden_check_shows_the_line_alone() -> None:
    assert told(hide_numbers=True) == f"RuntimeError in line 2, in `mix` (`{SOURCE[1].strip()}`): sizes"


@pytest.mark.parametrize(
    "tensors",
    [
        pytest.param([("secret", [1])], id="a name that is not in the line"),
        pytest.param([("return self", [1]), ("weights\n!", [2])], id="no name"),
        pytest.param([], id="none"),
    ],
)
def test_only_names_of_the_learners_own_line_are_shown(tensors: list) -> None:
    assert told(tensors=tensors).endswith(": sizes")


def test_a_line_shows_a_bounded_number_of_shapes() -> None:
    assert told(tensors=[("value", [1])] * 1000).count("\n") == 4


@pytest.mark.parametrize(
    ("line", "begin"), [(3, "Not written yet in line 3"), (2, "NotImplementedError in line 2")], ids=["stub", "torch"]
)
def test_only_the_line_of_the_stub_is_not_written_yet(line: int, begin: str) -> None:
    assert told(line=line, error="NotImplementedError").startswith(begin)


@pytest.mark.parametrize(("made", "is_hinted"), [("forward", True), ("__init__", False)])
def test_an_error_of_dtypes_names_a_layer_that_is_made_in_forward(made: str, is_hinted: bool) -> None:
    lines = {name: [f"    def {name}(self, x):", "        pass"] for name in ("__init__", "forward")}
    lines[made].append("        self.q = nn.Linear(4, 4)")
    source = [*lines["__init__"], *lines["forward"], "        return self.q(x)"]
    error = {
        "kind": "exception",
        "type": "RuntimeError",
        "message": "must have the same dtype",
        "frames": [(6, "forward")],
    }
    assert ("make it in `__init__`" in error_text(error, source, "", hide_numbers=True)) is is_hinted


def test_pythons_other_line_is_told_apart_from_the_line_of_the_error() -> None:
    said = syntax_text(2, "expected an indented block after function definition on line 1", ["def f():", "x = 1"])
    assert "after function definition of line 1, in line 2 (`x = 1`)" in said


CLAIMED = {
    "the text": {"message": "it was -0.25 and 1.5e-3"},
    "the type": {"type": "0.25|-1.5"},
    "the function": {"frames": [(2, "0.25")]},
}


@pytest.mark.parametrize("claimed", CLAIMED.values(), ids=CLAIMED)
def test_no_decimals_are_shown_by_a_hidden_check(claimed: dict) -> None:
    error = {"kind": "exception", "type": "ValueError", "message": "x", "frames": [(2, "mix")], **claimed}
    assert not re.search(r"[.][0-9]", error_text(error, SOURCE, "", hide_numbers=True))
    assert re.search(r"0[.]25", error_text(error, SOURCE, "", hide_numbers=False))


def test_no_decimals_are_shown_of_a_class_that_came_back() -> None:
    told = error_text({"kind": "no_tensor", "what": "a 0.25 object"}, SOURCE, "", hide_numbers=True)
    assert told == "Your code should return a tensor, but a … object came back."


def test_names_of_parameters_stay_whole() -> None:
    error = {"kind": "weight_shape", "name": "heads.0.weight", "came": [1], "expected": [2]}
    assert "`heads.0.weight`" in error_text(error, SOURCE, "", hide_numbers=True)


def test_the_docstrings_axes_stand_beside_the_shapes() -> None:
    source = [
        "    queries   (b, h, n, d)   batch, heads, tokens, width; keys and values alike",
        "    scores    (b, h, n, n)   batch, heads, query token, key token",
        "    a sentence with (brackets) in it",
        "        return weights @ values.mT @ sentence",
    ]
    given = {"kind": "exception", "type": "RuntimeError", "message": "", "frames": [(4, "forward")]}
    given["tensors"] = [("weights", [2, 3, 5, 5]), ("values", [2, 5, 3, 4]), ("sentence", [1])]
    assert error_text(given, source, "", hide_numbers=False).splitlines()[1:] == [
        "    weights   (2, 3, 5, 5)  docstring: (b, h, n, n)",
        "    values    (2, 5, 3, 4)  docstring: (b, h, n, d)",
        "    sentence  (1,)",
    ]
