from families import kept, projections, results
from families.some_of import without

from grader.judge.authoring import Mistake

LAYERS = "test_three_layers_with_bias"
SCALING = "test_scaling_is_one_over_the_root_of_the_width"

Q_LAYER = "self.linear_q = nn.Linear(hidden_size, hidden_size)"
K_LAYER = "self.linear_k = nn.Linear(hidden_size, hidden_size)"
V_LAYER = "self.linear_v = nn.Linear(hidden_size, hidden_size)"
RETURN = "return self.linear_q(x), self.linear_k(x), self.linear_v(x)"

NAMES = ("linear_q", "linear_k", "linear_v")

MISTAKES = [
    # First of those that lack the parameters' names: other names than these match none of them better.
    Mistake(
        "other-names",
        "The layers are there under other names. Call them linear_q, linear_k and linear_v, each an attribute of the module "
        "set in __init__.",
        caught_by=LAYERS,
        edits=[("linear_q", "q_proj"), ("linear_k", "k_proj"), ("linear_v", "v_proj")],
        everywhere=True,
    ),
    Mistake(
        "plain-list",
        "The layers are kept in a plain Python list or dict, where nn.Module does not find them, so they would never be trained. "
        "Make each an attribute of its own: linear_q, linear_k, linear_v.",
        caught_by=LAYERS,
        edits=[
            (Q_LAYER, "self.layers = [nn.Linear(hidden_size, hidden_size) for _ in range(3)]"),
            (K_LAYER, ""),
            (V_LAYER, ""),
            (RETURN, "return tuple(layer(x) for layer in self.layers)"),
        ],
    ),
    Mistake(
        "layers-made-in-forward",
        "The layers are made anew at every call of `forward`, so whatever training did to them is lost. Make them in __init__.",
        caught_by=LAYERS,
        edits=[
            (Q_LAYER, "self.hidden_size = hidden_size"),
            (K_LAYER, ""),
            (V_LAYER, ""),
            (
                RETURN,
                "width = self.hidden_size\n"
                "        linear_q, linear_k, linear_v = (nn.Linear(width, width, dtype=x.dtype) for _ in range(3))\n"
                "        return linear_q(x), linear_k(x), linear_v(x)",
            ),
        ],
    ),
    Mistake(
        "only-one-layer",
        "There is one layer where three are asked for. Query, key and value each need their own.",
        caught_by=LAYERS,
        edits=[(K_LAYER, ""), (V_LAYER, ""), (RETURN, "return (self.linear_q(x),) * 3")],
    ),
    Mistake(
        "no-bias",
        "The layers have no bias. nn.Linear(hidden_size, hidden_size) has one unless bias=False is given.",
        caught_by=LAYERS,
        edits=[("nn.Linear(hidden_size, hidden_size)", "nn.Linear(hidden_size, hidden_size, bias=False)")],
        everywhere=True,
    ),
    Mistake(
        "one-layer-under-three-names",
        "linear_q, linear_k and linear_v are one and the same layer. Make a new nn.Linear for each.",
        edits=[(K_LAYER, "self.linear_k = self.linear_q"), (V_LAYER, "self.linear_v = self.linear_q")],
    ),
    Mistake(
        "query-layer-used-for-all",
        "All three results come from linear_q. Use linear_k for the key and linear_v for the value.",
        edits=[(RETURN, "return self.linear_q(x), self.linear_q(x), self.linear_q(x)")],
    ),
    Mistake(
        "query-layer-used-for-key",
        "The key comes from linear_q. It belongs to linear_k.",
        edits=[(RETURN, "return self.linear_q(x), self.linear_q(x), self.linear_v(x)")],
    ),
    Mistake(
        "key-layer-used-for-value",
        "The value comes from linear_k. It belongs to linear_v.",
        edits=[(RETURN, "return self.linear_q(x), self.linear_k(x), self.linear_k(x)")],
    ),
    Mistake(
        "key-and-value-swapped",
        "Key and value are exchanged. The order is query, key, value.",
        edits=[(RETURN, "return self.linear_q(x), self.linear_v(x), self.linear_k(x)")],
    ),
    Mistake(
        "query-and-key-swapped",
        "Query and key are exchanged. The order is query, key, value.",
        edits=[(RETURN, "return self.linear_k(x), self.linear_q(x), self.linear_v(x)")],
    ),
    Mistake(
        "order-reversed",
        "The three results come in the order value, key, query. It should be query, key, value.",
        edits=[(RETURN, "return self.linear_v(x), self.linear_k(x), self.linear_q(x)")],
    ),
    Mistake(
        "weights-frozen",
        "The layers are there, but frozen (requires_grad is False), so training would never change them. Leave them as nn.Linear makes them.",
        caught_by=LAYERS,
        edits=[("self.scaling = hidden_size**", "self.requires_grad_(False)\n        self.scaling = hidden_size**")],
    ),
    Mistake(
        "chained",
        "The layers are applied one after the other. Each of the three takes x itself.",
        edits=[
            (
                RETURN,
                "query = self.linear_q(x)\n"
                "        key = self.linear_k(query)\n"
                "        return query, key, self.linear_v(key)",
            )
        ],
    ),
    Mistake(
        "query-scaled",
        "The query was multiplied by `scaling`. Here the number is only kept; the scores will be scaled in a later exercise.",
        edits=[("return self.linear_q(x),", "return self.linear_q(x) * self.scaling,")],
    ),
    Mistake(
        "bias-not-added",
        "The biases were left out of the sum. Call the layers, linear_q(x), or add linear_q.bias yourself.",
        edits=[(RETURN, "return tuple(x @ m.weight.T for m in (self.linear_q, self.linear_k, self.linear_v))")],
    ),
    Mistake(
        "weight-not-transposed",
        "The weights were multiplied the wrong way round: nn.Linear keeps (out, in) and computes x @ weight.T + bias. "
        "With square weights there is no error, only wrong numbers. Simply call the layer.",
        edits=[(RETURN, "return tuple(x @ m.weight + m.bias for m in (self.linear_q, self.linear_k, self.linear_v))")],
    ),
    Mistake(
        "joined",
        "The three results were joined into one tensor. Return them separately: query, key, value.",
        edits=[(RETURN, "return torch.cat([self.linear_q(x), self.linear_k(x), self.linear_v(x)], dim=-1)")],
    ),
    Mistake(
        "scaling-is-the-root",
        "`scaling` is √hidden_size. It should be one divided by that root, so that scores become smaller: hidden_size ** -0.5.",
        caught_by=SCALING,
        edits=[("hidden_size**-0.5", "hidden_size**0.5")],
    ),
    Mistake(
        "scaling-without-root",
        "`scaling` is 1 / hidden_size. The square root is missing: hidden_size ** -0.5.",
        caught_by=SCALING,
        edits=[("hidden_size**-0.5", "1 / hidden_size")],
    ),
    Mistake(
        "scaling-with-half-outside",
        "`scaling` is 2 / hidden_size: `hidden_size ** 1 / 2` is (hidden_size ** 1) / 2. Write hidden_size ** -0.5.",
        caught_by=SCALING,
        edits=[("hidden_size**-0.5", "1 / (hidden_size ** 1 / 2)")],
    ),
    Mistake(
        "scaling-is-the-width",
        "`scaling` is hidden_size itself. It should be one over its square root: hidden_size ** -0.5.",
        caught_by=SCALING,
        edits=[("hidden_size**-0.5", "hidden_size")],
    ),
    Mistake(
        "no-scaling",
        "`scaling` is not set. __init__ keeps it on the module: self.scaling = ...",
        caught_by=SCALING,
        edits=[("self.scaling = hidden_size**", "scaling = hidden_size**")],
    ),
    Mistake(
        "outputs-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients, so nothing can be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(RETURN, f"with torch.no_grad():\n            {RETURN}")],
    ),
    results.input_overwritten(RETURN.removeprefix("return ")),
    Mistake(
        "three-axes-only",
        "The shape of x was unpacked into exactly three sizes. x may also have no batch axis, or more axes in front: nn.Linear takes any.",
        edits=[(RETURN, f"_, _, _ = x.shape\n        {RETURN}")],
    ),
    kept.in_evaluation(),
    Mistake(
        "scaling-changed-by-forward",
        "`scaling` is right at first, but `forward` sets it to another number. Set it in __init__ only.",
        caught_by=SCALING,
        edits=[(RETURN, f"self.scaling = x.shape[-2] ** -0.5\n        {RETURN}")],
    ),
    *without(
        projections.mistakes(
            layers=NAMES,
            queries="return self.linear_q(x)",
            keys=", self.linear_k(x), self",
            values="self.linear_v(x)\n",
        ),
        "keys-from-the-query-layer",
        "keys-from-the-value-layer",
        "values-from-the-query-layer",
        "keys-and-values-exchanged",
        "queries-and-values-exchanged",
    ),
    *without(
        projections.shared_layers(layers=NAMES, layer="nn.Linear(hidden_size, hidden_size)"),
        "one-layer-under-three-names",
    ),
    projections.queries_not_projected(layers=NAMES),
    Mistake(
        "squeezed",
        "squeeze() takes away every axis of size 1: a batch of one, a single token, a width of 1. Each result has the shape of x.",
        edits=[(RETURN, "return self.linear_q(x).squeeze(), self.linear_k(x).squeeze(), self.linear_v(x).squeeze()")],
    ),
    Mistake(
        "all-transposed",
        "The results are transposed: the width comes before the tokens. Each has the shape of x.",
        edits=[
            (
                RETURN,
                "return tuple(each(x).transpose(-2, -1) for each in (self.linear_q, self.linear_k, self.linear_v))",
            )
        ],
    ),
    Mistake(
        "size-of-the-example",
        "The layers have the width 64 of the example. Take hidden_size.",
        caught_by=LAYERS,
        edits=[("nn.Linear(hidden_size, hidden_size)", "nn.Linear(64, 64)")],
        everywhere=True,
    ),
    Mistake(
        "input-detached",
        "The numbers are right, but x was cut off with .detach(), .data or torch.no_grad(), so nothing before this module can learn.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(RETURN, "return tuple(each(x.detach()) for each in (self.linear_q, self.linear_k, self.linear_v))")],
    ),
]
