import torch
from families.blockwise import VALUE_WIDTH, WIDTH, large_scores, never_makes_the_full_matrix
from families.drawn import query_key_value

from grader.judge.authoring import called_again, expect, function, points

NAMES = ("query", "key", "value", "block_size")
AXES = ("batch", "head", "queries", "value_width")


def of(query, key, value, block_size):
    axes = " ".join(AXES[4 - query.dim() :])
    return function("tiled_attention", query, key, value, block_size, names=NAMES, axes=axes)


def case(draw, leading, queries, keys, width, value_width, block_size, *, dtype=torch.float32):
    return of(*query_key_value(draw, leading, queries, keys, width, value_width, dtype=dtype), block_size)


def long_shapes(draw):
    """(leading axes, queries, keys, block size)."""
    # in the short one a block of a size that the learner chose may be the whole
    (queries, keys), short = draw.distinct(2, 64, 90), draw.distinct(2, 20, 26)
    return [((), queries, keys, 7), ((1,), queries, keys, 5), ((1, 1), keys, queries, 6), ((), *short, 5)]


def long_cases(draw, shapes):
    return [case(draw, leading, queries, keys, WIDTH, VALUE_WIDTH, block) for leading, queries, keys, block in shapes]


@points(0.5, visible=True)
def test_five_values_in_blocks_of_two(learner):
    """Queries and keys of 0 weigh all values alike: 1, 2, 4, 8, 16 in blocks of two give their mean, 6.2."""
    value = torch.tensor([[1.0], [2.0], [4.0], [8.0], [16.0]])
    (output,) = learner.outputs(of(torch.zeros(1, 2), torch.zeros(5, 2), value, 2))
    expect(
        torch.allclose(output, torch.tensor(6.2), atol=1e-4),
        f"The mean of 1, 2, 4, 8, 16 is 6.2; yours is {round(output.item(), 3)}.",
    )


@points(2, role="main")
def test_agrees_with_formula(learner, draw):
    """Whatever the block size, the result is softmax(query · keyᵀ / √d) · value, for any lengths, widths and leading axes."""
    queries, blocks, width, value_width = draw.distinct(4, 2, 8)
    batch, heads, block, side = draw.distinct(4, 2, 5)
    keys = blocks * block
    again = case(draw, (batch, heads), queries, keys, width, value_width, block)
    others = query_key_value(draw, (batch, heads), queries, keys, width, value_width)
    learner.agrees(
        case(draw, (batch, heads), queries, keys, width, value_width, block),
        case(draw, (batch,), queries, keys, width, value_width, block),
        called_again(again, *others, block),
        case(draw, (), keys, 12, width, value_width, 3),
        case(draw, (batch, heads), queries, keys, width, value_width, keys),
        # square: a wrong axis fits here without an error
        case(draw, (side, side), side, side, side, side, side),
        case(draw, (batch, heads), 4, 4, 4, 4, 2),
        case(draw, (1, heads), 1, keys, width, value_width, block),
        case(draw, (batch, 1), queries, 1, width, value_width, 1),
        case(draw, (batch,), 1, 1, 1, 1, 1),
        case(draw, (batch, heads), queries, keys, width, value_width, block, dtype=torch.float64),
    )


@points(1.5, role="main")
def test_block_size_need_not_fit(learner, draw):
    """The last block may be short, a block may be a single key, and it may be larger than all keys together."""
    queries, keys, width, value_width = draw.distinct(4, 5, 11)
    batch, heads = draw.distinct(2, 2, 4)
    learner.agrees(
        case(draw, (batch, heads), queries, 2 * keys - 1, width, value_width, keys),
        case(draw, (batch,), queries, 2 * keys + 1, width, value_width, keys),
        case(draw, (), queries, 13, width, value_width, draw.integer(2, 12)),
        case(draw, (batch, heads), queries, keys, width, value_width, 1),
        case(draw, (batch, heads), queries, keys, width, value_width, keys - 1),
        case(draw, (batch, heads), queries, keys, width, value_width, keys + draw.integer(1, 5)),
        case(draw, (batch,), keys, keys, width, value_width, 4 * keys),
    )


@points(2.25, role="main")
def test_many_queries_and_keys(learner, draw):
    """The result is right for many queries and keys as well, in blocks of a few."""
    learner.agrees(*long_cases(draw, long_shapes(draw)))


@points(1.5, role="main")
def test_full_matrix_is_never_made(learner, draw):
    """The result is right, and no tensor is made that holds Lq · Lk numbers or more, however they are laid out."""
    shapes = long_shapes(draw)
    learner.agrees(*long_cases(draw, shapes))
    never_makes_the_full_matrix(learner, long_cases(draw, shapes), [shape[1:] for shape in shapes])


@points(1)
def test_large_scores_stay_finite(learner, draw):
    """Scores of ±1000 give finite results, wherever in the blocks the large ones are."""
    asked = [(*each, draw.integer(1, 5)) for each in large_scores(draw)]
    doubled = [each.double() for each in asked[0][:3]]
    learner.agrees(*[of(*each) for each in asked], of(*doubled, 3), magnitude=1000)


@points(0.75)
def test_gradients_reach_queries_keys_and_values(learner, draw):
    """Gradients flow back to query, key and value."""
    learner.agrees_in_gradients(case(draw, (2, 3), 4, 7, 5, 3, 3), case(draw, (2,), 5, 6, 3, 4, 2, dtype=torch.float64))


@points(0.5, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """The tensors that were passed in are not changed."""
    learner.keeps_inputs(case(draw, (2, 3), 4, 7, 5, 3, 3))
