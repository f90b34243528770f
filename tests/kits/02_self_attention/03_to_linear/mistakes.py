from families import kept

from grader.judge.authoring import Mistake

SQUARE = "test_square_matrix"
LAYER = "test_layer_without_bias"

COPIED = "linear.weight.copy_(weight.T)"
FILLED = f"with torch.no_grad():\n        {COPIED}"

MISTAKES = [
    Mistake(
        "not-transposed",
        "The matrix went into the layer as it is. nn.Linear keeps (d_out, d_in) and transposes when it is called, so give it "
        "the transposed matrix. With a square matrix there is no error, only wrong numbers.",
        caught_by=SQUARE,
        edits=[(FILLED, "linear.weight = nn.Parameter(weight.clone())")],
    ),
    Mistake(
        "transposed-only-where-it-must",
        "The matrix was transposed only where its shape did not fit. A square one fits both ways, and has to be transposed too.",
        caught_by=SQUARE,
        edits=[(COPIED, "linear.weight.copy_(weight if weight.shape == linear.weight.shape else weight.T)")],
    ),
    Mistake(
        "reshaped",
        "The matrix was given the shape (d_out, d_in) by reshape or view. That keeps the numbers in their old order, in rows of another length; "
        "`.T` or transpose exchanges the axes.",
        edits=[(COPIED, "linear.weight.copy_(weight.reshape(d_out, d_in))")],
    ),
    Mistake(
        "bias-left-on",
        "The layer has a bias, filled with random numbers or zeros, that x · weight does not have. Make it with bias=False.",
        caught_by=LAYER,
        edits=[("bias=False, ", "")],
    ),
    Mistake(
        "bias-left-on-in-float32",
        "The layer has a bias that x · weight does not have, and a float32 one beside a float64 `weight`. Make it with bias=False.",
        caught_by=LAYER,
        edits=[
            ("bias=False, dtype=weight.dtype", "bias=True"),
            (FILLED, "linear.weight = nn.Parameter(weight.T.clone())"),
        ],
    ),
    Mistake(
        "not-transposed-and-bias",
        "The layer has a bias (bias=False leaves it out), and the matrix went in as it is, but nn.Linear keeps it transposed, as (d_out, d_in).",
        caught_by=LAYER,
        edits=[
            ("bias=False, ", ""),
            (FILLED, "linear.weight = nn.Parameter(weight.clone())"),
        ],
    ),
    Mistake(
        "matrix-not-used",
        "The layer keeps the random numbers it was made with: `weight` gave it its sizes only. Put the numbers in as well.",
        edits=[(FILLED, "linear.requires_grad_()")],
    ),
    Mistake(
        "weight-frozen",
        "The layer's weight is frozen (requires_grad is False), so training would never change it. Copy under torch.no_grad(), but "
        "leave the parameter trainable.",
        caught_by=LAYER,
        edits=[("return linear", "return linear.requires_grad_(False)")],
    ),
    Mistake(
        "no-layer-returned",
        "What came back is no layer: a parameter, the class nn.Linear itself, or nothing at all. Return the nn.Linear, with the "
        "numbers in it.",
        edits=[("return linear", "return linear.weight")],
    ),
    Mistake(
        "function-returned",
        "A function came back (a lambda, say). It computes the product, but it is no layer: nothing in it can be found, saved or "
        "trained. Return an nn.Linear.",
        edits=[("return linear", "return lambda x: x @ weight")],
    ),
    Mistake(
        "module-of-your-own",
        "What came back is a module of your own that keeps the matrix as (d_in, d_out). Return an nn.Linear, whose weight is the "
        "transposed matrix.",
        caught_by=LAYER,
        source="""from torch import nn


class Product(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = nn.Parameter(weight.detach().clone())

    def forward(self, x):
        return x @ self.weight


def to_linear(weight):
    return Product(weight)
""",
    ),
    Mistake(
        "output-detached",
        "The numbers are right, but no gradient passes through the layer. Return a plain nn.Linear, without .detach() or "
        "torch.no_grad() in its forward.",
        caught_by="test_gradients_reach_input_and_weight",
        edits=[
            ("return linear", "linear.register_forward_hook(lambda m, i, output: output.detach())\n    return linear")
        ],
    ),
    Mistake(
        "matrix-transposed-in-place",
        "The caller's matrix was transposed in place (t_ or transpose_). Take `.T`, which leaves it as it is.",
        caught_by="test_inputs_are_left_alone",
        edits=[(COPIED, "linear.weight.copy_(weight.t_())")],
    ),
    Mistake(
        "matrix-overwritten",
        "The numbers of `weight` were changed. The layer may share its memory, but making it must leave the matrix as it is.",
        caught_by="test_inputs_are_left_alone",
        edits=[(COPIED, "linear.weight.copy_(weight.T)\n        weight.zero_()")],
    ),
    Mistake(
        "float32-layer",
        "The layer, or its bias alone, is float32 though `weight` is float64, so it fails on a float64 x. Make it with dtype=weight.dtype.",
        edits=[(", dtype=weight.dtype", "")],
    ),
    kept.from_the_last_call("to_linear"),
    Mistake(
        "wrapped-in-sequential",
        "The layer came back inside an nn.Sequential (or a list). Return the nn.Linear itself.",
        caught_by=LAYER,
        edits=[("return linear", "return nn.Sequential(linear)")],
    ),
    Mistake(
        "tensor-as-weight",
        "The numbers are right, but the weight is no parameter of the layer any more (del, setattr of a plain tensor), so it cannot be trained. Copy into linear.weight, or set an nn.Parameter.",
        caught_by=LAYER,
        edits=[(FILLED, "del linear.weight\n    linear.weight = weight.detach().T.clone()")],
    ),
]
