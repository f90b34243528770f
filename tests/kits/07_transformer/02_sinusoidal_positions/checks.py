import torch

from grader.judge.authoring import expect, function, points, same

COMPARED = 64
"""Up to so many places float32 is exact enough for any way of writing the formula."""
LOOSELY = 2100.0
"""Beyond them, angles in float32 are off by a little: numbers this large make it 1e-3."""


def case(num_tokens, d_model):
    return function("sinusoidal_positions", num_tokens, d_model, axes="position width")


def width(draw, low=2, high=8):
    return 2 * draw.integer(low, high)


@points(0.5, visible=True)
def test_three_places_of_width_four(learner):
    """sinusoidal_positions(3, 4): 0 1 0 1, then .8415 .5403 .0100 .9999, then .9093 -.4161 .0200 .9998."""
    (output,) = learner.outputs(case(3, 4))
    due = torch.tensor([[0, 1, 0, 1], [0.8415, 0.5403, 0.01, 0.99995], [0.9093, -0.4161, 0.02, 0.9998]])
    rows = [[round(number, 4) for number in row] for row in output.tolist()]
    expect(
        torch.allclose(output, due, atol=1e-4),
        f"The rows should be [0, 1, 0, 1], [.8415, .5403, .01, .9999], [.9093, -.4161, .02, .9998]; yours are {rows}.",
    )


@points(2, role="main")
def test_agrees_with_formula(learner, draw):
    """Column 2i holds sin(p · 10000^(-2i/d)), column 2i + 1 the cosine of the same, for any places and even width."""
    places = draw.distinct(3, 3, 20)
    side = width(draw)
    learner.agrees(
        case(places[0], width(draw)),
        case(places[1], width(draw, 9, 20)),
        # square: a wrong axis fits here without an error
        case(side, side),
        case(side // 2, side),
        case(places[2], 2),
        case(places[2], 4),
        case(draw.integer(20, COMPARED), width(draw)),
        case(COMPARED, 32),
    )


@points(0.5)
def test_one_place(learner, draw):
    """A single place gives one row, and it is that of place 0."""
    learner.agrees(case(1, width(draw)), case(1, 2), case(2, width(draw)))


@points(0.5)
def test_many_places(learner, draw):
    """It holds for hundreds of places, as far as float32 is exact there."""
    learner.agrees(
        case(draw.integer(200, 400), width(draw)),
        case(draw.integer(500, 900), width(draw, 9, 16)),
        magnitude=LOOSELY,
    )


@points(0.25, role="manners")
def test_a_longer_table_begins_like_a_shorter_one(learner, draw):
    """Row p is the same however many rows there are."""
    few, more, d_model = draw.integer(2, 9), draw.integer(10, 30), width(draw)
    short, long = learner.outputs(case(few, d_model), case(more, d_model))
    expect(
        same(long[:few], short),
        "The first rows of a longer table differ from a shorter one's. A row depends on its place, not on the number of places.",
    )


@points(0.25, role="manners")
def test_a_step_is_a_rotation(learner, draw):
    """The product of two rows depends only on how far apart they are."""
    d_model, by = width(draw), draw.integer(2, 9)
    (table,) = learner.outputs(case(by + 6, d_model))
    expect(
        same(table[by:] @ table[by:].T, table[:6] @ table[:6].T),
        "Products of rows that are equally far apart differ. Each sine needs the cosine of the same angle beside it.",
    )
