import torch

from grader.judge.authoring import expect, function, points

AXES = "rows columns"


@points(0.5, visible=True)
def test_shiny_example(learner):
    """The scores of "shiny" become the document's weights .2291 .4063 .3646."""
    scores = torch.tensor([0.7842, 1.3569, 1.2487])
    (answer,) = learner.ask(function("softmax", scores, names=["scores"]))
    weights = answer["output"]
    expect(
        isinstance(weights, torch.Tensor) and weights.shape == (3,),
        "softmax of 3 scores is a tensor of 3 weights.",
    )
    due = torch.tensor([0.229134, 0.406265, 0.364602])
    expect(
        torch.allclose(weights.float(), due, atol=1e-5),
        f"softmax([.7842, 1.3569, 1.2487]) should be [.2291, .4063, .3646]; yours is {[round(w, 4) for w in weights.tolist()]}.",
    )


@points(1.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Along the last axis each weight is exp(score) divided by the sum of the exps."""
    rows, columns, depth = draw.distinct(3, 2, 9)
    learner.agrees(
        function("softmax", draw.normal(rows, columns, scale=2), names=["scores"], axes=AXES),
        function("softmax", draw.normal(rows, columns, scale=2), names=["scores"], axes=AXES),
        function(
            "softmax", draw.normal(depth, rows, columns, scale=2), names=["scores"], axes="batch rows columns"
        ),
        function("softmax", draw.normal(columns, columns, scale=2), names=["scores"], axes=AXES),
        function("softmax", draw.normal(columns, scale=2), names=["scores"], axes="columns"),
        function("softmax", draw.normal(rows, 1), names=["scores"], axes=AXES),
        function("softmax", draw.normal(rows, columns, dtype=torch.float64), names=["scores"], axes=AXES),
    )


@points(1, role="main")
def test_dim_chooses_the_axis(learner, draw):
    """`dim` says along which axis the weights sum to 1, counted from the front or from the back."""
    shape = draw.distinct(3, 2, 7)
    size = draw.integer(3, 6)
    learner.agrees(
        *[
            function("softmax", draw.normal(*shape), dim=dim, names=["scores"])
            for dim in (0, 1, 2, -1, -2, -3)
        ],
        # square: here a forgotten keepdim broadcasts without an error
        *[
            function("softmax", draw.normal(size, size), dim=dim, names=["scores"], axes=AXES)
            for dim in (0, 1)
        ],
    )


@points(1, role="main")
def test_large_scores_stay_finite(learner, draw):
    """Scores of ±1000 give finite weights, each row by itself."""
    rows, columns = draw.distinct(2, 3, 8)
    high = draw.normal(rows, columns) + 1000
    low = draw.normal(rows, columns) - 1000
    # one row a thousand below the other: a maximum over everything turns it into 0/0
    apart = draw.normal(2, columns) + torch.tensor([[1000.0], [-1000.0]])
    learner.agrees(
        *[function("softmax", scores, names=["scores"], axes=AXES) for scores in (high, low, apart)]
    )


@points(0.5)
def test_gradients_reach_the_scores(learner, draw):
    """Gradients flow back to the scores."""
    rows, columns = draw.distinct(2, 2, 7)
    learner.agrees_in_gradients(function("softmax", draw.normal(rows, columns), names=["scores"], axes=AXES))


@points(0.5, role="manners")
def test_scores_are_left_alone(learner, draw):
    """The scores that were passed in are not changed."""
    learner.keeps_inputs(function("softmax", draw.normal(3, 4), names=["scores"]))
