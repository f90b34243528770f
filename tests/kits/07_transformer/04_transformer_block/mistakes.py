from families import decoder, head_projections, heads, kept, layers, results, scale, softmax

from grader.judge.authoring import Mistake

MAIN = "test_agrees_with_formula"
MLP = "test_mlp_half"
CALLS = "test_calls_of_one_module_do_not_disturb_each_other"
GRADIENTS = "test_gradients_reach_input_and_parameters"
NORM1, NORM2 = "normed = self.norm1(x)", "normed_again = self.norm2(y)"
ADD1, ADD2 = "y = x + self.o_proj(context)", "return y + self.mlp_out(F.gelu(self.mlp_in(normed_again)))"
GELU = "F.gelu(self.mlp_in(normed_again))"
TRIANGLE = ".triu(diagonal=1)"
ROOT = "self.head_dim**0.5"
FORWARD = "        b, n, d_model = x.shape\n"
MLP_IN, MLP_OUT = "nn.Linear(d_model, 4 * d_model)", "nn.Linear(4 * d_model, d_model)"


MISTAKES = [
    # --- the norms
    Mistake(
        "norm-after-the-sum",
        "The norms came after the sums, as in the first transformer: norm(x + part(x)). Here each part gets a normed copy, and the "
        "sum itself is not normed: x + part(norm(x)).",
        edits=[
            (NORM1, "normed = x"),
            (ADD1, "y = self.norm1(x + self.o_proj(context))"),
            (NORM2, "normed_again = y"),
            (ADD2, "return self.norm2(y + self.mlp_out(F.gelu(self.mlp_in(normed_again))))"),
        ],
    ),
    Mistake(
        "norm-after-the-part",
        "The norms come after the parts: x + norm(part(x)). Here each part gets a normed copy: x + part(norm(x)).",
        edits=[
            (NORM1, "normed = x"),
            (ADD1, "y = x + self.norm1(self.o_proj(context))"),
            (NORM2, "normed_again = y"),
            (ADD2, "return y + self.norm2(self.mlp_out(F.gelu(self.mlp_in(normed_again))))"),
        ],
    ),
    Mistake(
        "no-norms",
        "The norms are made but not used: each part gets its input as it is. It should get a normed copy, norm1(x) or norm2(y).",
        edits=[(NORM1, "normed = x"), (NORM2, "normed_again = y")],
    ),
    Mistake(
        "norm1-unused",
        "The attention gets x as it is. It should get norm1(x).",
        edits=[(NORM1, "normed = x")],
    ),
    Mistake(
        "norm2-unused",
        "The mlp gets y, the first sum, as it is. It should get norm2(y).",
        caught_by=MLP,
        edits=[(NORM2, "normed_again = y")],
    ),
    Mistake(
        "norm1-used-twice",
        "norm1 was used for the mlp, too. The mlp gets norm2(y).",
        caught_by=MLP,
        edits=[(NORM2, "normed_again = self.norm1(y)")],
    ),
    Mistake(
        "norms-without-parameters",
        "The norms' weight and bias are not used. nn.LayerNorm has them; F.layer_norm takes them as arguments.",
        edits=[(NORM1, "normed = F.layer_norm(x, (d_model,))"), (NORM2, "normed_again = F.layer_norm(y, (d_model,))")],
    ),
    Mistake(
        "norm-for-the-query-only",
        "Only the queries come from norm1(x); keys and values come from x. All three come from the normed copy.",
        edits=[("self.k_proj(normed)", "self.k_proj(x)"), ("self.v_proj(normed)", "self.v_proj(x)")],
    ),
    # --- the sums
    Mistake(
        "no-residual-around-the-attention",
        "The attention's result replaces x. Add it to x.",
        edits=[(ADD1, "y = self.o_proj(context)")],
    ),
    Mistake(
        "no-residual-around-the-mlp",
        "The mlp's result replaces y, the first sum. Add it to y.",
        caught_by=MLP,
        edits=[(ADD2, "return self.mlp_out(F.gelu(self.mlp_in(normed_again)))")],
    ),
    Mistake(
        "no-residuals",
        "No sums: each part's result replaces what came in. Add it to what came in.",
        edits=[
            (ADD1, "y = self.o_proj(context)"),
            (ADD2, "return self.mlp_out(F.gelu(self.mlp_in(normed_again)))"),
        ],
    ),
    Mistake(
        "added-to-the-normed-x",
        "The attention's result was added to the normed copy (x = norm1(x) overwrites the x to be added to). Add it to x itself.",
        edits=[(ADD1, "y = normed + self.o_proj(context)")],
    ),
    Mistake(
        "added-to-the-normed-y",
        "The mlp's result was added to the normed copy. Add it to the sum itself, as it was before norm2.",
        caught_by=MLP,
        edits=[(ADD2, "return normed_again + self.mlp_out(F.gelu(self.mlp_in(normed_again)))")],
    ),
    Mistake(
        "mlp-added-to-x",
        "The mlp's result was added to x, so the result of the attention is missing in the sum. Add it to y, which is x + the attention's result.",
        edits=[(ADD2, "return x + self.mlp_out(F.gelu(self.mlp_in(normed_again)))")],
    ),
    Mistake(
        "side-by-side",
        "The mlp gets norm2(x). Here it comes after the attention: it gets norm2(y), where y is x + the attention's result.",
        caught_by=MAIN,
        edits=[(NORM2, "normed_again = self.norm2(x)")],
    ),
    Mistake(
        "mlp-first",
        "The mlp came first and the attention second. It is the other way round.",
        caught_by=MAIN,
        edits=[
            (FORWARD, FORWARD + "        x = x + self.mlp_out(F.gelu(self.mlp_in(self.norm2(x))))\n"),
            (ADD2, "return y"),
        ],
    ),
    # --- the mlp
    Mistake(
        "relu",
        "There is a ReLU between mlp_in and mlp_out. Here it is GELU.",
        caught_by=MLP,
        edits=[(GELU, "F.relu(self.mlp_in(normed_again))")],
    ),
    Mistake(
        "gelu-of-tanh",
        "The GELU is the approximation by tanh. Here it is the exact one: F.gelu or nn.GELU without `approximate`.",
        caught_by=MLP,
        edits=[(GELU, 'F.gelu(self.mlp_in(normed_again), approximate="tanh")')],
    ),
    Mistake(
        "silu",
        "There is a SiLU (swish) between mlp_in and mlp_out. Here it is GELU.",
        caught_by=MLP,
        edits=[(GELU, "F.silu(self.mlp_in(normed_again))")],
    ),
    Mistake(
        "nothing-between",
        "There is nothing between mlp_in and mlp_out, so the two together are only one linear layer. Put GELU between them.",
        caught_by=MLP,
        edits=[(GELU, "self.mlp_in(normed_again)")],
    ),
    Mistake(
        "gelu-at-the-end",
        "GELU comes after mlp_out. It belongs between mlp_in and mlp_out.",
        caught_by=MLP,
        edits=[(ADD2, "return y + F.gelu(self.mlp_out(self.mlp_in(normed_again)))")],
    ),
    Mistake(
        "mlp-left-out",
        "The mlp is missing: only the attention was added.",
        caught_by=MLP,
        edits=[(ADD2, "return y")],
    ),
    # --- the attention
    *decoder.later_tokens(),
    Mistake(
        "next-token-visible",
        "Each token sees the one right after it. The hidden triangle begins at diagonal=1.",
        edits=[(TRIANGLE, ".triu(diagonal=2)")],
    ),
    Mistake(
        "earlier-tokens-hidden",
        "Earlier tokens are hidden instead of later ones: the lower triangle. Hide the upper one.",
        edits=[(TRIANGLE, ".tril(diagonal=-1)")],
    ),
    Mistake(
        "own-token-hidden",
        "A token does not see itself, and the first one sees nothing. The hidden triangle begins at diagonal=1.",
        edits=[(TRIANGLE, ".triu(diagonal=0)")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "`tril` hides the earlier tokens, and each token and the next one with them. Later tokens are the upper triangle: `triu`.",
        edits=[(TRIANGLE, ".tril(diagonal=1)")],
    ),
    decoder.weakly_hidden(),
    *scale.mistakes(root=ROOT),
    Mistake(
        "scale-from-d-model",
        "The scores are divided by √d_model. A head compares vectors of width head_dim, so it is √head_dim.",
        edits=[(ROOT, "d_model**0.5")],
    ),
    *softmax.another_axis(query_axis="2"),
    softmax.another_sum(),
    Mistake(
        "key-as-value",
        "The weights were applied to the keys. They belong on the values.",
        edits=[("weights @ v", "weights @ k")],
    ),
    Mistake(
        "keys-and-values-exchanged",
        "k_proj and v_proj are exchanged: keys are for the scores, values for the mixture.",
        edits=[
            ("k = self.k_proj(normed)", "k = self.v_proj(normed)"),
            ("v = self.v_proj(normed)", "v = self.k_proj(normed)"),
        ],
    ),
    heads.one_head(heads="num_heads", model="d_model"),
    *heads.split(heads="num_heads", heads_axis="num_heads"),
    heads.merge_without_transpose(joined="b, n, d_model"),
    *heads.joined_otherwise(projected="self.v_proj(normed).view(in_heads)", joined="b, n, d_model"),
    Mistake(
        "output-layer-unused",
        "o_proj is made but not used. The joined heads go through it before they are added to x.",
        edits=[(ADD1, "y = x + context")],
    ),
    # --- the layers
    Mistake(
        "mlp-not-wider",
        "The mlp is only d_model wide. mlp_in leads to 4 · d_model, mlp_out back to d_model.",
        caught_by=MAIN,
        edits=[(MLP_IN, "nn.Linear(d_model, d_model)"), (MLP_OUT, "nn.Linear(d_model, d_model)")],
    ),
    Mistake(
        "no-bias",
        "The linear layers have no bias. nn.Linear has one unless bias=False is given.",
        caught_by=MAIN,
        edits=[
            ("nn.Linear(d_model, d_model)", "nn.Linear(d_model, d_model, bias=False)"),
            (MLP_IN, "nn.Linear(d_model, 4 * d_model, bias=False)"),
            (MLP_OUT, "nn.Linear(4 * d_model, d_model, bias=False)"),
        ],
        everywhere=True,
    ),
    Mistake(
        "dropout",
        "Weights are dropped in training. There is no dropout in this block.",
        caught_by=MAIN,
        edits=[("F.softmax(scores, dim=-1)", "F.dropout(F.softmax(scores, dim=-1), 0.1, self.training)")],
    ),
    heads.divisibility(heads="num_heads", model="d_model"),
    # --- the rest
    kept.in_evaluation(CALLS),
    Mistake(
        "first-mask-kept",
        "The causal mask of the first call is kept for later calls, but an input of another length needs a mask of its own length.",
        caught_by=CALLS,
        edits=[("later = torch", 'later = self.__dict__.setdefault("later", torch'), (TRIANGLE, TRIANGLE + ")")],
    ),
    results.returned("detached", "y + self.mlp_out(F.gelu(self.mlp_in(normed_again)))", GRADIENTS),
    softmax.weights_detached(),
    Mistake(
        "input-overwritten",
        "x was changed in place (x += …). The caller still needs it: x = x + … makes a new tensor.",
        caught_by="test_input_is_left_alone",
        edits=[(ADD1, ADD1 + "\n        x.detach().copy_(y.detach())")],
    ),
    # --- met in other people's code
    *scale.scale_of_heads(root=ROOT, heads="num_heads"),
    softmax.no_softmax_of_infinite_scores(),
    softmax.over_the_heads(),
    heads.merge_interleaved(joined="b, n, d_model", heads_axis="num_heads"),
    *heads.keys_turned(),
    # --- one layer for another, and what becomes of the result
    *head_projections.mistakes(queries="self.q_proj(normed)", keys="self.k_proj(normed)", values="self.v_proj(normed)"),
    *softmax.another_function(),
    *results.rows_of_tokens("y + self.mlp_out(F.gelu(self.mlp_in(normed_again)))", MAIN),
    results.returned("float32-only", "y + self.mlp_out(F.gelu(self.mlp_in(normed_again)))", MAIN),
    layers.queries_and_keys(),
]
