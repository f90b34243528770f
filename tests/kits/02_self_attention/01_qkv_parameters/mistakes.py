from families import kept, results

from grader.judge.authoring import Mistake

PARAMETERS = "test_three_parameters"
RANDOM = "test_matrices_are_drawn_at_random"

QUERY = "self.W_query = nn.Parameter(torch.rand(d_in, d_out))"
KEY = "self.W_key = nn.Parameter(torch.rand(d_in, d_out))"
VALUE = "self.W_value = nn.Parameter(torch.rand(d_in, d_out))"
DRAWN = "nn.Parameter(torch.rand(d_in, d_out))"
RETURN = "return x @ self.W_query, x @ self.W_key, x @ self.W_value"

MISTAKES = [
    Mistake(
        "plain-tensors",
        "The matrices are plain tensors (or parameters in a plain list or dict), which nn.Module does not count as its own, so they "
        "would never be trained. Make each an nn.Parameter and an attribute of the module.",
        caught_by=PARAMETERS,
        edits=[(DRAWN, "torch.rand(d_in, d_out)")],
        everywhere=True,
    ),
    Mistake(
        "made-in-forward",
        "The matrices are drawn anew at every call of `forward`, so nothing can be learned. Make them in __init__.",
        caught_by=PARAMETERS,
        edits=[
            (QUERY, "self.shape = d_in, d_out"),
            (KEY, ""),
            (VALUE, ""),
            (RETURN, "return tuple(x @ nn.Parameter(torch.rand(*self.shape, dtype=x.dtype)) for _ in range(3))"),
        ],
    ),
    Mistake(
        "other-names",
        "The matrices are there under other names. Call them W_query, W_key and W_value.",
        caught_by=PARAMETERS,
        edits=[("W_query", "W_q"), ("W_key", "W_k"), ("W_value", "W_v")],
        everywhere=True,
    ),
    Mistake(
        "linear-layers",
        "These are nn.Linear layers. Here each matrix is an nn.Parameter of shape (d_in, d_out); the way from one to the other "
        "is exercise `to_linear`.",
        caught_by=PARAMETERS,
        edits=[
            (DRAWN, "nn.Linear(d_in, d_out, bias=False)"),
            (RETURN, "return self.W_query(x), self.W_key(x), self.W_value(x)"),
        ],
        everywhere=True,
    ),
    Mistake(
        "only-one-matrix",
        "There is one matrix where three are asked for. Queries, keys and values each need their own.",
        caught_by=PARAMETERS,
        edits=[(KEY, ""), (VALUE, ""), (RETURN, "return (x @ self.W_query,) * 3")],
    ),
    Mistake(
        "stored-transposed",
        "The matrices are kept as (d_out, d_in), as nn.Linear does. Here a matrix is (d_in, d_out), and x · W needs no transpose.",
        caught_by=PARAMETERS,
        edits=[
            ("torch.rand(d_in, d_out)", "torch.rand(d_out, d_in)"),
            (RETURN, "return x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T"),
        ],
        everywhere=True,
    ),
    Mistake(
        "sizes-swapped",
        "The matrices were made as (d_out, d_in), so x does not fit them. The rows belong to what comes in: (d_in, d_out).",
        caught_by=PARAMETERS,
        edits=[("torch.rand(d_in, d_out)", "torch.rand(d_out, d_in)")],
        everywhere=True,
    ),
    Mistake(
        "frozen",
        "The matrices are there, but frozen (requires_grad is False), so training would never change them. An nn.Parameter can be "
        "trained unless you switch that off.",
        caught_by=PARAMETERS,
        edits=[(DRAWN, "nn.Parameter(torch.rand(d_in, d_out), requires_grad=False)")],
        everywhere=True,
    ),
    Mistake(
        "one-matrix-under-three-names",
        "W_query, W_key and W_value are one and the same matrix. Draw a new one for each.",
        edits=[(KEY, "self.W_key = self.W_query"), (VALUE, "self.W_value = self.W_query")],
    ),
    Mistake(
        "same-numbers-three-times",
        "The three matrices start with the same numbers: drawn once and copied, or the seed was set again before each. Draw new numbers "
        "for each.",
        caught_by=RANDOM,
        edits=[
            (QUERY, f"start = torch.rand(d_in, d_out)\n        {QUERY}"),
            (KEY, "self.W_key = nn.Parameter(self.W_query.detach().clone())"),
            (VALUE, "self.W_value = nn.Parameter(self.W_query.detach().clone())"),
        ],
    ),
    Mistake(
        "zeros",
        "Each matrix starts with one and the same number everywhere (zeros or ones), so all d_out numbers of a query are equal. Draw "
        "the numbers at random.",
        caught_by=RANDOM,
        edits=[("torch.rand(", "torch.zeros(")],
        everywhere=True,
    ),
    Mistake(
        "one-matrix-used-for-all",
        "All three results come from W_query. Use W_key for the keys and W_value for the values.",
        edits=[(RETURN, "return x @ self.W_query, x @ self.W_query, x @ self.W_query")],
    ),
    Mistake(
        "query-matrix-used-for-keys",
        "The keys come from W_query. They belong to W_key.",
        edits=[("x @ self.W_key", "x @ self.W_query")],
    ),
    Mistake(
        "key-matrix-used-for-values",
        "The values come from W_key. They belong to W_value.",
        edits=[("x @ self.W_value", "x @ self.W_key")],
    ),
    Mistake(
        "keys-and-values-swapped",
        "Keys and values are exchanged. The order is queries, keys, values.",
        edits=[(RETURN, "return x @ self.W_query, x @ self.W_value, x @ self.W_key")],
    ),
    Mistake(
        "queries-and-keys-swapped",
        "Queries and keys are exchanged. (The document's classes compute the keys first; what is returned here is queries, keys, "
        "values.)",
        edits=[(RETURN, "return x @ self.W_key, x @ self.W_query, x @ self.W_value")],
    ),
    Mistake(
        "order-reversed",
        "The three results come in the order values, keys, queries. It should be queries, keys, values.",
        edits=[(RETURN, "return x @ self.W_value, x @ self.W_key, x @ self.W_query")],
    ),
    Mistake(
        "matrix-transposed",
        "The matrices were transposed before the product. They are (d_in, d_out) already: x · W, without `.T`.",
        edits=[(RETURN, "return x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T")],
    ),
    Mistake(
        "elementwise",
        "x and the matrix were multiplied number by number. Use a matrix product: `@` or torch.matmul.",
        edits=[(RETURN, "return x * self.W_query, x * self.W_key, x * self.W_value")],
    ),
    Mistake(
        "matrices-returned",
        "The matrices themselves came back. Multiply x by each of them.",
        edits=[(RETURN, "return self.W_query, self.W_key, self.W_value")],
    ),
    Mistake(
        "queries-not-projected",
        "The queries are x itself. All three are learned, the queries too: x · W_query.",
        edits=[("x @ self.W_query", "x")],
    ),
    Mistake(
        "queries-scaled",
        "The queries were divided by √d_out. Here nothing is scaled yet; that comes with the scores.",
        edits=[("x @ self.W_query", "x @ self.W_query / self.W_query.shape[1] ** 0.5")],
    ),
    Mistake(
        "joined",
        "The three results were joined side by side into one tensor. Return them separately: queries, keys, values.",
        edits=[(RETURN, "return torch.cat([x @ self.W_query, x @ self.W_key, x @ self.W_value], dim=-1)")],
    ),
    Mistake(
        "outputs-detached",
        "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients, so nothing can be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(RETURN, f"with torch.no_grad():\n            {RETURN}")],
    ),
    results.input_overwritten(RETURN.removeprefix("return ")),
    kept.in_evaluation(),
    Mistake(
        "sizes-of-the-document",
        "The matrices have the document's sizes, 3 by 2. Take d_in and d_out.",
        caught_by=PARAMETERS,
        edits=[("torch.rand(d_in, d_out)", "torch.rand(3, 2)")],
        everywhere=True,
    ),
    Mistake(
        "squeezed",
        "squeeze() takes away every axis of size 1: a batch of one, a single token, a width of 1. Each result is (..., n, d_out).",
        edits=[(RETURN, "return tuple((x @ each).squeeze() for each in (self.W_query, self.W_key, self.W_value))")],
    ),
    Mistake(
        "all-transposed",
        "The results are transposed: the width comes before the tokens. Each is (..., n, d_out).",
        edits=[
            (RETURN, "return tuple((x @ each).transpose(-2, -1) for each in (self.W_query, self.W_key, self.W_value))")
        ],
    ),
    Mistake(
        "two-axes-only",
        "torch.mm takes a single sequence only. x may have any number of axes before the last two: use @, which takes them all.",
        edits=[(RETURN, "return torch.mm(x, self.W_query), torch.mm(x, self.W_key), torch.mm(x, self.W_value)")],
    ),
    Mistake(
        "three-axes-only",
        "The shape of x was unpacked into exactly three sizes. x may also have no batch axis, or more axes in front.",
        edits=[(RETURN, f"_, _, _ = x.shape\n        {RETURN}")],
    ),
    Mistake(
        "input-detached",
        "The numbers are right, but x was cut off with .detach(), .data or torch.no_grad(), so nothing before this module can learn.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[(RETURN, "return tuple(x.detach() @ each for each in (self.W_query, self.W_key, self.W_value))")],
    ),
]
