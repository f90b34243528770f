import torch

from grader.judge.authoring import called_again, expect, function, points, same

AXES = "batch head token width"


def case(x, **options):
    return function("apply_rotary", x, names=["x"], axes=AXES, **options)


def shape(draw):
    """Batch, heads, tokens and an even width, all different."""
    batch, heads, tokens = draw.distinct(3, 2, 7)
    width = next(size for size in draw.shuffled((4, 6, 8, 10)) if size not in (batch, heads, tokens))
    return batch, heads, tokens, width


@points(0.5, visible=True)
def test_three_steps_of_one_radian(learner):
    """[1, 0, 0, 0] at the positions 0, 1, 2 turns into [1, 0, 0, 0], [.5403, 0, .8415, 0], [-.4161, 0, .9093, 0]."""
    (output,) = learner.outputs(case(torch.tensor([1.0, 0.0, 0.0, 0.0]).expand(1, 1, 3, 4)))
    due = torch.tensor([[1.0, 0.0, 0.0, 0.0], [0.5403, 0.0, 0.8415, 0.0], [-0.4161, 0.0, 0.9093, 0.0]])
    rows = [[round(number, 4) for number in row] for row in output[0, 0].tolist()]
    expect(
        torch.allclose(output[0, 0], due, atol=1e-4),
        f"The three rows should be [1, 0, 0, 0], [.5403, 0, .8415, 0], [-.4161, 0, .9093, 0]; yours are {rows}.",
    )


@points(3.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Entry i and entry i + d/2 turn by position · base^(-2i/d), for any batch, heads, tokens and even width."""
    one, other = shape(draw), shape(draw)
    side = draw.shuffled((4, 6))[0]
    batch, heads, tokens, width = one
    again = called_again(case(draw.normal(*one)), draw.normal(*one))
    # of the same shape, but for another base and another start
    options = {"base": float(draw.integer(20, 900)), "offset": draw.integer(1, 9)}
    for name, value in options.items():
        again.call(
            again.entry("apply_rotary"), again.inputs["x"], return_as=f"the output for another {name}", **{name: value}
        )
    learner.agrees(
        case(draw.normal(*one)),
        case(draw.normal(*other)),
        again,
        # square: a wrong axis fits here without an error
        case(draw.normal(side, side, side, side)),
        case(draw.normal(batch, width, tokens, width)),
        case(draw.normal(batch, tokens, tokens, width)),
        case(draw.normal(batch, heads, tokens, 2)),
        case(draw.normal(1, heads, width // 2, width)),
        case(draw.normal(batch, 1, tokens, width)),
        case(draw.normal(batch, heads, 1, width)),
        case(draw.normal(*other, dtype=torch.float64)),
    )


@points(1.25, role="main")
def test_base_sets_how_fast_the_angles_fall(learner, draw):
    """`base` is used: another base gives other angles in every pair but the first."""
    one, other = shape(draw), shape(draw)
    learner.agrees(
        case(draw.normal(*one), base=100.0),
        case(draw.normal(*other), base=float(draw.integer(20, 900))),
        case(draw.normal(*one), base=draw.integer(2000, 9000)),
        case(draw.normal(*other, dtype=torch.float64), base=500.0),
    )


@points(1.5, role="main")
def test_offset_counts_the_tokens_before(learner, draw):
    """With an offset the first token stands at that position, and so on."""
    one, other = shape(draw), shape(draw)
    batch, heads, _, width = one
    learner.agrees(
        case(draw.normal(*one), offset=draw.integer(1, 9)),
        case(draw.normal(*other), offset=draw.integer(10, 20)),
        case(draw.normal(*one), base=float(draw.integer(20, 900)), offset=draw.integer(1, 9)),
        case(draw.normal(batch, heads, 1, width), offset=draw.integer(1, 9)),
        case(draw.normal(*other, dtype=torch.float64), offset=draw.integer(1, 9)),
    )


@points(0.5, role="manners")
def test_only_the_distance_counts(learner, draw):
    """Lengths stay as they are, and the product of a query and a key depends only on how far apart they stand."""
    batch, heads, tokens, width = shape(draw)
    query, key = draw.normal(batch, heads, tokens, width), draw.normal(batch, heads, tokens, width)
    by = draw.integer(3, 12)
    q, k, later_q, later_k = learner.outputs(case(query), case(key), case(query, offset=by), case(key, offset=by))
    expect(
        same(q.norm(dim=-1), query.norm(dim=-1)),
        "Some vectors became longer or shorter. A rotation keeps lengths: each pair takes one cosine and one sine of the same angle.",
    )
    expect(
        same(later_q @ later_k.mT, q @ k.mT),
        "Query · key changed although both were moved by the same number of tokens. The angle must grow by the same amount from each position to the next.",
    )


@points(0.25)
def test_gradients_reach_x(learner, draw):
    """Gradients flow back to x."""
    learner.agrees_in_gradients(
        case(draw.normal(*shape(draw))),
        case(draw.normal(*shape(draw), dtype=torch.float64), base=50.0, offset=3),
    )


@points(0.25, role="manners")
def test_first_token_stays(learner, draw):
    """At position 0 nothing turns."""
    x = draw.normal(*shape(draw))
    (output,) = learner.outputs(case(x))
    expect(
        same(output[:, :, 0], x[:, :, 0]),
        "The token at position 0 did not stay as it is. Positions are counted from 0: there the angle is 0, and nothing changes its place.",
    )


@points(0.25, role="manners")
def test_x_is_left_alone(learner, draw):
    """The tensor x that was passed in is not changed."""
    learner.keeps_inputs(case(draw.normal(*shape(draw))), case(draw.normal(*shape(draw)), offset=2))
