"""What a check demands stands in the stub: which dtypes, gradients, inputs left alone, that nothing is kept, names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from grader.course import Exercise, load_course

COURSE = load_course(Path(__file__).resolve().parents[2] / "course.yml")
DEMANDS = {
    "float64": (("torch.float64", "torch.double"), ("float64",)),
    "gradients": (("agrees_in_gradients", "gradients("), ("gradient",)),
    "inputs stay": (("keeps_inputs", "leaves_dict_alone"), ("inputs stay", "stays as it")),
    "nothing is kept": (("called_again",), ("each call stands for itself",)),
    "weights are loaded by name": (("draw.weights(",), ("by these names", "by the names", "names: ", "keep the names")),
}
"""What is demanded: how a check does so, and the words of which a stub has one."""
ITS_OWN_WAY = {
    ("tiny_gpt", "float64"): "no output is compared in float64: it is only looked for what hears of a token at all",
    ("tiny_gpt", "inputs stay"): "tokens are whole numbers; generate begins with the prompt unchanged",
}


def stub_of(exercise: Exercise) -> str:
    """The text of a stub, on one line."""
    text = ast.get_docstring(ast.parse(COURSE.stub_path(exercise).read_text("utf-8"))) or ""
    return " ".join(text.split())


@pytest.mark.parametrize("demand", DEMANDS)
def test_stub_says_what_its_checks_demand(demand: str) -> None:
    done, said = DEMANDS[demand]
    silent = []
    for exercise in COURSE.exercises:
        path = COURSE.checks_path(exercise)
        checks = "".join(each.read_text("utf-8") for each in (path, *COURSE.families_of(path)))
        is_demanded = any(how in checks for how in done)
        if is_demanded and (exercise.id, demand) not in ITS_OWN_WAY and not any(w in stub_of(exercise) for w in said):
            silent.append(exercise.id)
    assert silent == []


def test_every_exception_is_one() -> None:
    for id, demand in ITS_OWN_WAY:
        assert not any(words in stub_of(COURSE.exercise(id)) for words in DEMANDS[demand][1])
