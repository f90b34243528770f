from dataclasses import dataclass, replace

import torch
from families.loud import HIGH, HUGE_VALUE, LOW, hides_the_last_token

from grader.judge.authoring import called_again, expect, module, points, same

ENTRY = "TransformerBlock"
AXES = "batch tokens d_model"


@dataclass(frozen=True)
class Sizes:
    """The sizes of one case."""

    batch: int
    tokens: int
    heads: int
    head_dim: int

    @property
    def init(self):
        return self.heads * self.head_dim, self.heads

    @property
    def shape(self):
        return self.batch, self.tokens, self.heads * self.head_dim


def drawn_sizes(draw):
    """All sizes different, d_model among them."""
    heads, head_dim = draw.distinct(2, 2, 4)
    taken = (heads, head_dim, heads * head_dim)
    batch, tokens = [size for size in draw.distinct(6, 2, 8) if size not in taken][:2]
    return Sizes(batch, tokens, heads, head_dim)


def drawn_weights(draw, sizes, *silent):
    """Weights for every layer; the `silent` ones output 0."""
    weights = draw.weights(ENTRY, *sizes.init)
    for name in weights:
        if name.startswith(silent):
            weights[name] = torch.zeros_like(weights[name])
    return weights


def case(draw, sizes, *, x=None, weights=None, dtype=torch.float32, train=False):
    if x is None:
        x = draw.normal(*sizes.shape, scale=2.0) + draw.normal(sizes.batch, sizes.tokens, 1)
    asked = module(
        ENTRY,
        *sizes.init,
        weights=weights or drawn_weights(draw, sizes),
        inputs={"x": x.to(dtype)},
        axes=AXES,
        train=train,
        dtype=dtype,
        seed=draw.seed(),
    )
    if train:
        asked.is_random = False  # there is nothing in it that chance decides
        asked.said = "in training"
    return asked


@points(0.5, visible=True)
def test_shape(learner, draw):
    """TransformerBlock(8, 2) turns x of shape (3, 5, 8) into (3, 5, 8)."""
    learner.outputs(case(draw, Sizes(3, 5, 2, 4)))


@points(2.5, role="main")
def test_attention_half(learner, draw):
    """With an mlp that outputs 0, the result is x + o_proj(causal multi-head attention of norm1(x))."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 3)
    square = Sizes(side, side, side, side)
    learner.agrees(*[case(draw, each, weights=drawn_weights(draw, each, "mlp_out")) for each in (one, other, square)])


@points(2, role="main")
def test_mlp_half(learner, draw):
    """With an attention that outputs 0, the result is x + mlp_out(gelu(mlp_in(norm2(x))))."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 3)
    square = Sizes(side, side, side, side)
    learner.agrees(*[case(draw, each, weights=drawn_weights(draw, each, "o_proj")) for each in (one, other, square)])


@points(2.5, role="main")
def test_agrees_with_formula(learner, draw):
    """Both halves, one after the other: the mlp works on what the attention has added to."""
    one, other = drawn_sizes(draw), drawn_sizes(draw)
    side = draw.integer(2, 4)
    learner.agrees(
        case(draw, one),
        case(draw, other),
        # square: a wrong axis fits here without an error
        case(draw, Sizes(side, side, side, side)),
        case(draw, Sizes(other.batch, other.heads, other.heads, other.head_dim)),
        case(draw, Sizes(other.batch, other.heads * other.head_dim, other.heads, other.head_dim)),
        case(draw, Sizes(one.batch, one.tokens, 1, one.head_dim + 1)),
        case(draw, Sizes(one.batch, one.tokens, one.heads, 1)),
        case(draw, Sizes(1, one.tokens, one.heads, one.head_dim)),
        case(draw, Sizes(one.batch, 1, one.heads, one.head_dim)),
        case(draw, Sizes(2, draw.integer(70, 100), 2, 4)),
        case(draw, one, train=True),
        case(draw, other, dtype=torch.float64),
    )


@points(0.75, role="manners")
def test_future_has_no_say(learner, draw):
    """Changing later tokens never changes earlier outputs, and the first tokens alone give the same as with more after them."""
    sizes = drawn_sizes(draw)
    sizes = Sizes(sizes.batch, 7, sizes.heads, sizes.head_dim)
    seen = draw.integer(2, 5)
    weights, x = drawn_weights(draw, sizes), draw.normal(*sizes.shape)
    later = torch.cat([x[:, :seen], draw.normal(sizes.batch, 7 - seen, sizes.init[0])], dim=1)
    prefix = Sizes(sizes.batch, seen, sizes.heads, sizes.head_dim)
    before, after, alone = learner.outputs(
        case(draw, sizes, x=x, weights=weights),
        case(draw, sizes, x=later, weights=weights),
        case(draw, prefix, x=x[:, :seen], weights=weights),
    )
    expect(
        same(after[:, :seen], before[:, :seen]),
        "Outputs changed although only later tokens did. Is every later token hidden before the softmax, and does each norm look at one "
        "token only?",
    )
    expect(
        same(alone, before[:, :seen]),
        "The first tokens alone give other outputs than with more tokens after them. Each sees itself and the earlier ones, no matter "
        "how many follow.",
    )


def loud(draw, sizes, high):
    """Weights and x with which earlier tokens score LOW and the last one `high`; nothing but its value can be huge."""
    weights = drawn_weights(draw, sizes)
    # of a constant row the norm leaves the bias alone
    x = torch.arange(float(sizes.tokens)).view(1, -1, 1).repeat(sizes.batch, 1, sizes.init[0])
    x[:, -1] = last = draw.normal(sizes.init[0])
    normed = (last - last.mean()) / last.std(correction=0)
    factor, bias = weights["norm1.weight"], weights["norm1.bias"]
    # one place of the normed width is read by the keys alone, another one by the values
    by_keys, by_values = normed.abs().topk(2).indices.tolist()
    bias[by_keys], factor[by_keys] = 1.0, (high / LOW - 1) / normed[by_keys]
    bias[by_values], factor[by_values] = 0.0, 1.0
    for layer in ("q_proj", "k_proj"):
        weights[f"{layer}.weight"].zero_()
        weights[f"{layer}.bias"].zero_()
    weights["q_proj.bias"][:: sizes.head_dim] = LOW * sizes.head_dim**0.5
    weights["k_proj.weight"][:: sizes.head_dim, by_keys] = 1.0
    weights["v_proj.weight"][:, by_keys] = 0.0
    huge = {**weights, "v_proj.weight": weights["v_proj.weight"].clone()}
    huge["v_proj.weight"][:, by_values] *= HUGE_VALUE
    return x, weights, huge


@points(0.5, role="manners")
def test_later_tokens_weigh_exactly_nothing(learner, draw):
    """A later token weighs exactly 0, though its score is far above all visible ones and its value is huge."""
    for dtype, high in HIGH.items():
        sizes = Sizes(2, draw.integer(3, 5), 2, 4)
        x, weights, huge = loud(draw, sizes, high)
        hides_the_last_token(learner, *[case(draw, sizes, x=x, weights=each, dtype=dtype) for each in (weights, huge)])


@points(0.75)
def test_sizes_that_do_not_divide_are_refused(learner, draw):
    """A d_model that num_heads does not divide is refused; one that it divides is not."""
    heads, head_dim = draw.integer(3, 6), draw.integer(2, 4)
    learner.outputs(case(draw, Sizes(2, 3, heads, head_dim)))
    learner.refuses(
        ENTRY,
        (heads * head_dim + 1, heads),
        (heads * head_dim - 1, heads),
        why="A d_model that num_heads does not divide",
    )


@points(1.5)
def test_gradients_reach_input_and_parameters(learner, draw):
    """Gradients reach x and every parameter of all layers, both norms among them."""
    learner.agrees_in_gradients(case(draw, drawn_sizes(draw)), case(draw, drawn_sizes(draw), dtype=torch.float64))


@points(0.5)
def test_calls_of_one_module_do_not_disturb_each_other(learner, draw):
    """One block can be called again for another input of the same size, and for more texts or longer and shorter ones."""
    sizes = drawn_sizes(draw)
    alike = called_again(case(draw, sizes), draw.normal(*sizes.shape), weights=drawn_weights(draw, sizes))
    # from one token on: its mask fits every length without an error
    growing = case(draw, replace(sizes, tokens=1))
    growing.said = "one module called for one token, then for other sizes"
    for batch, tokens in ((0, 0), (1, 0), (0, 1), (1, -1), (0, 0)):
        other = replace(sizes, batch=sizes.batch + batch, tokens=sizes.tokens + tokens)
        size = f"{other.batch} x {other.tokens} tokens"
        growing.call(growing.module, draw.normal(*other.shape), return_as=f"the output for {size}")
    learner.agrees(alike, growing)


@points(0.5, role="manners")
def test_input_is_left_alone(learner, draw):
    """The input x is not changed."""
    learner.keeps_inputs(case(draw, drawn_sizes(draw)))
