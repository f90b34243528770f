from families import instead_of_softmax, kept, projections, results
from families.some_of import without

from grader.judge.authoring import Mistake

SOFTMAX = "attn_weights = F.softmax(attn_scores, dim=-1)"
PRODUCT = "torch.matmul(query, key.permute(0, 2, 1)) * self.scaling"

END = "return attn_output"

LAYERS = ("linear_q", "linear_k", "linear_v")

MISTAKES = [
    Mistake(
        "fault-still-there",
        "attn_weights is still read before it has a value. What should the softmax be taken of?",
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_weights, dim = -1)")],
    ),
    Mistake(
        "softmax-of-the-query",
        "The softmax was taken of the query. Weights come from comparing queries with keys: from the scores.",
        edits=[(SOFTMAX, "attn_weights = F.softmax(query, dim=-1)")],
    ),
    Mistake(
        "softmax-of-unprojected-scores",
        "The scores were computed from x itself. They come from query and key, and are there already.",
        edits=[(SOFTMAX, "attn_weights = F.softmax(x @ x.transpose(1, 2) * self.scaling, dim=-1)")],
    ),
    Mistake(
        "scaled-twice",
        "The scores are scaled a second time. The line that computes them does it already.",
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_scores * self.scaling, dim=-1)")],
    ),
    Mistake(
        "no-scale",
        "The scaling was lost in the repair. It was right as given: query · keyᵀ times self.scaling.",
        edits=[(f"attn_scores = {PRODUCT}", "attn_scores = torch.matmul(query, key.permute(0, 2, 1))")],
    ),
    Mistake(
        "scaled-after-softmax",
        "The scaling was moved behind the softmax, so the weights no longer sum to 1. Leave it on the scores.",
        edits=[
            (f"attn_scores = {PRODUCT}", "attn_scores = torch.matmul(query, key.permute(0, 2, 1))"),
            (SOFTMAX, "attn_weights = F.softmax(attn_scores, dim=-1) * self.scaling"),
        ],
    ),
    Mistake(
        "other-dim",
        "The softmax now runs over dim=1, the queries. It was right as given: dim=-1, over the keys.",
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_scores, dim=1)")],
    ),
    Mistake(
        "over-the-batch",
        "The softmax now runs over dim=0, the batch. It was right as given: dim=-1, over the keys.",
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_scores, dim=0)")],
    ),
    Mistake(
        "uniform-weights",
        "The error is gone, but every token now gets the same weight: attn_weights was filled with one number before the softmax. "
        "The weights have to come from the scores.",
        edits=[
            (SOFTMAX, f"attn_weights = torch.zeros_like(attn_scores)\n        {SOFTMAX.replace('scores', 'weights')}")
        ],
    ),
    Mistake(
        "no-softmax",
        "The error is gone, but so is the softmax: the scores themselves are used as weights. Keep the softmax, over dim=-1.",
        edits=[(SOFTMAX, "attn_weights = attn_scores")],
    ),
    Mistake(
        "softmax-twice",
        "The softmax is taken twice, which brings the weights closer together than they should be. Once is enough.",
        edits=[(SOFTMAX, f"{SOFTMAX}\n        {SOFTMAX.replace('scores', 'weights')}")],
    ),
    Mistake(
        "log-softmax",
        "These are the logarithms of the weights. The softmax itself was right as given.",
        edits=[(SOFTMAX, "attn_weights = F.log_softmax(attn_scores, dim=-1)")],
    ),
    Mistake(
        "weights-returned",
        "The weights are returned. The output is the weights times the value, as it was given.",
        edits=[("return attn_output", "return attn_weights")],
    ),
    Mistake(
        "value-returned",
        "The value came back without any attention: the weights are not used. Return attn_output, as it was given.",
        edits=[("return attn_output", "return value")],
    ),
    Mistake(
        "weights-detached",
        "The output is right, but .detach(), .data or torch.no_grad() stops the gradients to query and key, so they can't be trained.",
        caught_by="test_training_still_works",
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_scores.detach(), dim=-1)")],
    ),
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. It was right as given: value = self.linear_v(x).",
        edits=[("value = self.linear_v(x)", "value = self.linear_k(x)")],
    ),
    results.returned("detached", "attn_output", "test_training_still_works"),
    kept.in_evaluation(),
    *without(
        projections.mistakes(
            layers=LAYERS,
            queries="query = self.linear_q(x)",
            keys="key = self.linear_k(x)",
            values="value = self.linear_v(x)",
        ),
        "keys-from-the-query-layer",
    ),
    projections.one_layer_under_three_names(layers=LAYERS, layer="nn.Linear(hidden_size, hidden_size)"),
    projections.queries_not_projected(layers=LAYERS),
    Mistake(
        "rows-and-columns-exchanged",
        "The scores are key · queryᵀ now, so rows and columns are exchanged. It was right as given: the query comes first.",
        edits=[(PRODUCT, "torch.matmul(key, query.permute(0, 2, 1)) * self.scaling")],
    ),
    Mistake(
        "key-not-transposed",
        "The key was not transposed. It was right as given: query · keyᵀ, with key.permute(0, 2, 1).",
        edits=[("key.permute(0, 2, 1)", "key")],
    ),
    Mistake(
        "key-viewed-as-transposed",
        "The key was given its transposed shape by reshape or view, which keeps the numbers in their old order. It was right as given: "
        "key.permute(0, 2, 1) exchanges the axes.",
        edits=[("key.permute(0, 2, 1)", "key.reshape(key.shape[0], key.shape[2], key.shape[1])")],
    ),
    Mistake(
        "scale-upside-down",
        "The scores are now divided by self.scaling, which makes them larger. It was right as given: times self.scaling.",
        edits=[("* self.scaling", "/ self.scaling")],
    ),
    Mistake(
        "weights-transposed",
        "The weights were transposed before they met the value. A row holds the weights of one query: attn_weights times value, as given.",
        edits=[("torch.matmul(attn_weights, value)", "torch.matmul(attn_weights.transpose(1, 2), value)")],
    ),
    *instead_of_softmax.mistakes(
        "future-hidden",
        *instead_of_softmax.ANOTHER_FUNCTION,
        "divided-without-exp",
        "softmax-over-each-sequence",
        "softmax-in-float32",
        "divided-by-the-mean",
        softmax="F.softmax(attn_scores, dim=-1)",
        scores="attn_scores",
    ),
    Mistake(
        "scores-returned",
        "The scores are returned. The output is the weights times the value, as it was given.",
        edits=[(END, "return attn_scores")],
    ),
    Mistake(
        "weights-returned-as-well",
        "The weights came back beside the output. Return attn_output alone, as it was given.",
        edits=[(END, "return attn_output, attn_weights")],
    ),
    Mistake(
        "bias-gone",
        "The layers have no bias any more. It was right as given: nn.Linear(hidden_size, hidden_size).",
        edits=[("nn.Linear(hidden_size, hidden_size)", "nn.Linear(hidden_size, hidden_size, bias=False)")],
        everywhere=True,
    ),
    Mistake(
        "dropout-added",
        "In training some weights are dropped. This class has no dropout: its output is the same in both modes.",
        edits=[(SOFTMAX, f"{SOFTMAX}\n        attn_weights = F.dropout(attn_weights, 0.1, self.training)")],
    ),
    *results.rows_of_tokens("attn_output"),
    results.returned("float32-only", "attn_output"),
    results.returned("float64-returned", "attn_output"),
    Mistake(
        "input-added",
        "x was added to the output. Return the weights times the value alone, as it was given.",
        edits=[(END, "return attn_output + x")],
    ),
    Mistake(
        "softmax-of-the-query-first-unscaled",
        "The softmax was taken of the query, before it met the keys, and the scaling was lost. Weights come from the scores: the product first, then the softmax.",
        edits=[(SOFTMAX, "attn_weights = torch.matmul(F.softmax(query, dim=-1), key.permute(0, 2, 1))")],
    ),
]
