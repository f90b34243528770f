import torch
from families.blockwise import VALUE_WIDTH, WIDTH, large_scores, never_makes_the_full_matrix
from families.drawn import demand_pair, query_key_value

from grader.judge.authoring import Case, expect, function, points

ENTRY = "flash_attention"
NAMES = ("query", "key", "value", "block_q", "block_k")
OUT_AXES = ("batch", "head", "queries", "width of values")
OUT, LOGSUMEXP = 0, 1
PAIR = "flash_attention should return two tensors: (out, logsumexp)."


def both(query, key, value, block_q, block_k, **options):
    """Ask for out and logsumexp as they come back."""
    return function(ENTRY, query, key, value, block_q, block_k, names=NAMES, **options)


def part(which, query, key, value, block_q, block_k, **options):
    """Ask for one of the two results."""
    axes = OUT_AXES[4 - query.dim() :]
    asked = Case(axes=axes if which == OUT else axes[:-1])
    tensors = [asked.tensor(each, name=name) for each, name in zip((query, key, value), NAMES, strict=False)]
    pair = asked.call(asked.entry(ENTRY), *tensors, block_q, block_k, **options)
    asked.output = asked.call(pair, which, method="__getitem__", return_as="output")
    return asked


@points(0.5, visible=True)
def test_three_values_in_small_blocks(learner):
    """All scores 0, values 1, 3, 8, causal: query 0 sees two keys and gives 2 and ln 2, query 1 sees three: 4 and ln 3."""
    inputs = torch.zeros(2, 2), torch.zeros(3, 2), torch.tensor([[1.0], [3.0], [8.0]])
    asked = Case()
    pair = asked.call(asked.entry(ENTRY), *inputs, 1, 2, causal=True)
    demand_pair(learner, asked, pair, PAIR)
    dues = (torch.tensor([[2.0], [4.0]]), torch.tensor([2.0, 3.0]).log())
    for which, due, name in ((OUT, dues[0], "out"), (LOGSUMEXP, dues[1], "logsumexp")):
        (came,) = learner.outputs(part(which, *inputs, 1, 2, causal=True))
        numbers = [round(number, 4) for number in came.flatten().tolist()]
        expect(
            torch.allclose(came, due, atol=1e-4),
            f"`{name}` should be {[round(number, 4) for number in due.flatten().tolist()]}; yours is {numbers}.",
        )


@points(2.5, role="main")
def test_out_agrees_with_formula(learner, draw):
    """Whatever the blocks, out is softmax(query · keyᵀ / √d) · value, for any lengths, widths and leading axes."""
    blocks_q, blocks_k, width, value_width = draw.distinct(4, 2, 7)
    batch, heads, block_q, block_k = draw.distinct(4, 2, 5)
    queries, keys = blocks_q * block_q, blocks_k * block_k
    side = draw.integer(2, 4)

    def case(leading, *sizes, blocks=(block_q, block_k), dtype=torch.float32):
        return part(OUT, *query_key_value(draw, leading, *sizes, dtype=dtype), *blocks)

    again = case((batch,), queries, keys, width, value_width)
    others = query_key_value(draw, (batch,), queries, keys, width, value_width)
    pair = again.call(again.entry(ENTRY), *others, block_q, block_k)
    again.call(pair, OUT, method="__getitem__", return_as="out for others of the same shape")
    learner.agrees(
        again,
        case((batch, heads), queries, keys, width, value_width),
        case((), queries, keys, width, value_width),
        case((batch, heads), keys, queries, width, value_width),
        case((batch, heads), queries, keys, width, value_width, blocks=(queries, keys)),
        # square: a wrong axis fits here without an error
        case((side, side), side, side, side, side, blocks=(side, side)),
        case((batch, heads), 4, 4, 4, 4, blocks=(2, 2)),
        case((1, heads), 1, keys, width, value_width),
        case((batch, 1), queries, 1, width, value_width, blocks=(1, 1)),
        case((batch,), 1, 1, 1, 1, blocks=(1, 1)),
        case((batch, heads), queries, keys, width, value_width, dtype=torch.float64),
    )


@points(1.5, role="main")
def test_blocks_need_not_fit(learner, draw):
    """The last block of queries or keys may be short, a block may be a single one, and it may be larger than all."""
    queries, keys, width, value_width = draw.distinct(4, 5, 11)
    batch, heads = draw.distinct(2, 2, 4)

    def case(leading, more_queries, more_keys, block_q, block_k, **options):
        inputs = query_key_value(draw, leading, more_queries, more_keys, width, value_width)
        return part(OUT, *inputs, block_q, block_k, **options)

    learner.agrees(
        case((batch, heads), 2 * queries - 1, 2 * keys + 1, queries, keys),
        case((batch,), 2 * queries + 1, 2 * keys - 1, queries, keys),
        case((), 13, 17, draw.integer(2, 12), draw.integer(2, 16)),
        case((batch, heads), queries, keys, 1, 1),
        case((batch, heads), queries, keys, queries - 1, keys - 1),
        case((batch,), queries, keys, queries + draw.integer(1, 5), keys + draw.integer(1, 5)),
        case((), queries, 2 * queries + 1, queries - 2, 4, causal=True),
        case((batch,), queries, queries, 4 * queries, 3, causal=True),
    )


def causal_shapes(draw):
    """(queries, keys, block_q, block_k) in which blocks begin and end before, on and behind the diagonal."""
    queries, more = draw.integer(5, 9), draw.integer(2, 6)
    return [
        (queries, queries, 2, 2),
        (queries, queries, 1, 3),
        (queries, queries, 4, 1),
        (queries, queries, queries, queries),
        (queries, queries + more, 2, 3),
        (queries, queries + more, 3, 2),
        (1, queries, 1, 2),
        (2, 3 * queries, 1, 4),
        (4, 4, 2, 2),
    ]


@points(2.5, role="main")
def test_causal(learner, draw):
    """With causal=True, query i sees the keys up to i + Lk - Lq: the last query sees all, wherever blocks begin and end."""
    batch, heads, width, value_width = draw.distinct(4, 2, 6)
    learner.agrees(
        *[
            part(OUT, *query_key_value(draw, (batch, heads), queries, keys, width, value_width), *blocks, causal=True)
            for queries, keys, *blocks in causal_shapes(draw)
        ],
        part(OUT, *query_key_value(draw, (batch,), 7, 9, width, value_width, dtype=torch.float64), 2, 3, causal=True),
        part(OUT, *query_key_value(draw, (batch,), 7, 9, width, value_width), 2, 3, causal=False),
    )


@points(1.5, role="main")
def test_logsumexp_agrees_with_formula(learner, draw):
    """logsumexp is the logarithm of the sum of exp(score) over the visible keys, scores scaled, one for each query."""
    blocks_k, width, value_width = draw.distinct(3, 2, 7)
    batch, heads, block_q, block_k = draw.distinct(4, 2, 5)
    queries, keys = 3 * block_q + 1, blocks_k * block_k
    plain = [((batch, heads), queries, keys), ((), keys, queries), ((batch,), 4, 4), ((batch,), 1, 1)]
    learner.agrees(
        *[
            part(LOGSUMEXP, *query_key_value(draw, leading, *lengths, width, value_width), block_q, block_k)
            for leading, *lengths in plain
        ],
        part(LOGSUMEXP, *query_key_value(draw, (batch,), queries, keys, width, value_width), queries + 2, keys + 1),
        *[
            part(LOGSUMEXP, *query_key_value(draw, (batch,), *lengths, width, value_width), *blocks, causal=True)
            for *lengths, blocks in [(*shape[:2], shape[2:]) for shape in causal_shapes(draw)]
        ],
        part(
            LOGSUMEXP, *query_key_value(draw, (batch,), queries, keys, width, 3, dtype=torch.float64), block_q, block_k
        ),
    )


def long_shapes(draw):
    """(leading axes, queries, keys, block_q, block_k, causal)."""
    # in the short ones a block of a size that the learner chose may be the whole
    (queries, keys), short = sorted(draw.distinct(2, 48, 64)), sorted(draw.distinct(2, 20, 26))
    return [
        ((), queries, keys, 20, 15, False),
        ((1, 1), queries, keys, 13, 16, True),
        ((1,), *short, 9, 7, True),
    ]


def long_case(draw, leading, queries, keys, block_q, block_k, causal):
    return part(
        OUT, *query_key_value(draw, leading, queries, keys, WIDTH, VALUE_WIDTH), block_q, block_k, causal=causal
    )


@points(1.5, role="main")
def test_many_queries_and_keys(learner, draw):
    """The result is right for many queries and keys as well, in blocks of a few."""
    learner.agrees(*[long_case(draw, *shape) for shape in long_shapes(draw)])


@points(1.5, role="main")
def test_full_matrix_is_never_made(learner, draw):
    """The result is right, and no tensor is made that holds Lq · Lk numbers or more, however they are laid out; no mask either."""
    shapes = long_shapes(draw)
    learner.agrees(*[long_case(draw, *shape) for shape in shapes])
    never_makes_the_full_matrix(
        learner,
        [long_case(draw, *shape) for shape in shapes],
        [
            (q, k, f"{block_q} and {block_k}{', causal' if causal else ''}")
            for _, q, k, block_q, block_k, causal in shapes
        ],
        " A mask is a tensor, too.",
    )


@points(1)
def test_large_scores_stay_finite(learner, draw):
    """Scores of ±1000 give finite results, wherever in the blocks the large ones are, hidden ones among them."""
    # in the first the largest scores are hidden from all but the last query
    asked = [
        (*each, draw.integer(2, 3), draw.integer(1, 5), {"causal": causal})
        for each, causal in zip(large_scores(draw), (True, False, True, True, False), strict=True)
    ]
    doubled = [each.double() for each in asked[0][:3]]
    asked.append((*doubled, 2, 3, {"causal": True}))
    learner.agrees(*[part(OUT, *each, **options) for *each, options in asked], magnitude=1000)
    learner.agrees(*[part(LOGSUMEXP, *each, **options) for *each, options in asked])


@points(1)
def test_gradients_flow_through_both_results(learner, draw):
    """Gradients flow back to query and key from both results, and to value from out."""
    learner.agrees_in_gradients(
        both(*query_key_value(draw, (2, 3), 4, 7, 5, 3), 2, 3),
        both(*query_key_value(draw, (2,), 5, 6, 3, 4), 2, 4, causal=True),
        both(*query_key_value(draw, (), 5, 5, 3, 4, dtype=torch.float64), 3, 2, causal=True),
    )


@points(0.5, role="manners")
def test_inputs_are_left_alone(learner, draw):
    """The tensors that were passed in are not changed."""
    learner.keeps_inputs(
        part(OUT, *query_key_value(draw, (2, 3), 4, 7, 5, 3), 2, 3),
        part(OUT, *query_key_value(draw, (2,), 4, 7, 5, 3), 2, 3, causal=True),
    )
