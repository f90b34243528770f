import torch

from grader.judge.authoring import expect, function, points


@points(1, visible=True)
def test_example(learner):
    """1, 1 and 2 become .25, .25 and .5."""
    (parts,) = learner.outputs(function("share", torch.tensor([1.0, 1.0, 2.0])))
    expect(parts.tolist() == [0.25, 0.25, 0.5], "The parts of 1, 1 and 2 should be .25, .25 and .5.")


@points(2, role="main")
def test_every_row_by_itself(learner, draw):
    """Every amount is divided by the sum of its own row."""
    rows, columns = draw.distinct(2, 2, 6)
    learner.agrees(
        function("share", draw.uniform(rows, columns, low=0.5), axes="rows columns"),
        function("share", draw.uniform(columns, columns, low=0.5), axes="rows columns"),
    )


@points(1, role="manners")
def test_amounts_are_left_alone(learner, draw):
    """The amounts that were passed in are not changed."""
    learner.keeps_inputs(function("share", draw.uniform(3, 4, low=0.5), names=["amounts"]))
