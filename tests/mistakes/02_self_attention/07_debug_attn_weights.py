from grader.judge.authoring import Mistake, kept_in_evaluation

MAIN = "test_fault_is_gone"
SOFTMAX = "attn_weights = F.softmax(attn_scores, dim=-1)"
PRODUCT = "torch.matmul(query, key.permute(0, 2, 1)) * self.scaling"

MISTAKES = [
    Mistake(
        "fault-still-there",
        "attn_weights is still read before it has a value. What should the softmax be taken of?",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_weights, dim = -1)")],
    ),
    Mistake(
        "softmax-of-the-query",
        "The softmax was taken of the query. Weights come from comparing queries with keys: from the scores.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(query, dim=-1)")],
    ),
    Mistake(
        "softmax-of-the-key",
        "The softmax was taken of the key. Weights come from comparing queries with keys: from the scores.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(key, dim=-1)")],
    ),
    Mistake(
        "softmax-of-the-value",
        "The softmax was taken of the value. Weights come from comparing queries with keys: from the scores.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(value, dim=-1)")],
    ),
    Mistake(
        "softmax-of-x",
        "The softmax was taken of x. Weights come from comparing queries with keys: from the scores.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(x, dim=-1)")],
    ),
    Mistake(
        "softmax-of-unprojected-scores",
        "The scores were computed from x itself. They come from query and key, and are there already.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(x @ x.transpose(1, 2) * self.scaling, dim=-1)")],
    ),
    Mistake(
        "scaled-twice",
        "The scores are scaled a second time. The line that computes them does it already.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_scores * self.scaling, dim=-1)")],
    ),
    Mistake(
        "no-scale",
        "The scaling was lost in the repair. It was right as given: query · keyᵀ times self.scaling.",
        caught_by=MAIN,
        edits=[(f"attn_scores = {PRODUCT}", "attn_scores = torch.matmul(query, key.permute(0, 2, 1))")],
    ),
    Mistake(
        "scaled-after-softmax",
        "The scaling was moved behind the softmax, so the weights no longer sum to 1. Leave it on the scores.",
        caught_by=MAIN,
        edits=[
            (f"attn_scores = {PRODUCT}", "attn_scores = torch.matmul(query, key.permute(0, 2, 1))"),
            (SOFTMAX, "attn_weights = F.softmax(attn_scores, dim=-1) * self.scaling"),
        ],
    ),
    Mistake(
        "other-dim",
        "The softmax now runs over dim=1, the queries. It was right as given: dim=-1, over the keys.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_scores, dim=1)")],
    ),
    Mistake(
        "over-the-batch",
        "The softmax now runs over dim=0, the batch. It was right as given: dim=-1, over the keys.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.softmax(attn_scores, dim=0)")],
    ),
    Mistake(
        "uniform-weights",
        "The error is gone, but every token now gets the same weight: attn_weights was filled with one number before the softmax. "
        "The weights have to come from the scores.",
        caught_by=MAIN,
        edits=[
            (SOFTMAX, f"attn_weights = torch.zeros_like(attn_scores)\n        {SOFTMAX.replace('scores', 'weights')}")
        ],
    ),
    Mistake(
        "no-softmax",
        "The error is gone, but so is the softmax: the scores themselves are used as weights. Keep the softmax, over dim=-1.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = attn_scores")],
    ),
    Mistake(
        "softmax-twice",
        "The softmax is taken twice, which brings the weights closer together than they should be. Once is enough.",
        caught_by=MAIN,
        edits=[(SOFTMAX, f"{SOFTMAX}\n        {SOFTMAX.replace('scores', 'weights')}")],
    ),
    Mistake(
        "weights-added-to-scores",
        "The softmax of the scores was added to the scores. The weights are the softmax alone.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = attn_scores + F.softmax(attn_scores, dim=-1)")],
    ),
    Mistake(
        "log-softmax",
        "These are the logarithms of the weights. The softmax itself was right as given.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = F.log_softmax(attn_scores, dim=-1)")],
    ),
    Mistake(
        "weights-returned",
        "The weights are returned. The output is the weights times the value, as it was given.",
        caught_by=MAIN,
        edits=[("return attn_output", "return attn_weights")],
    ),
    Mistake(
        "value-returned",
        "The value came back without any attention: the weights are not used. Return attn_output, as it was given.",
        caught_by=MAIN,
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
        caught_by=MAIN,
        edits=[("value = self.linear_v(x)", "value = self.linear_k(x)")],
    ),
    Mistake(
        "queries-as-keys",
        "The queries are compared with themselves. It was right as given: key = self.linear_k(x).",
        caught_by=MAIN,
        edits=[("key = self.linear_k(x)", "key = self.linear_q(x)")],
    ),
    Mistake(
        "output-detached",
        "The output is right, but .detach(), .data or torch.no_grad() stops the gradients, so nothing can be trained.",
        caught_by="test_training_still_works",
        edits=[("return attn_output", "return attn_output.detach()")],
    ),
    Mistake(
        "softmax-of-the-query-first",
        "The softmax was taken of the query, before it met the keys. Weights come from the scores: the product first, then the softmax.",
        caught_by=MAIN,
        edits=[(SOFTMAX, "attn_weights = torch.matmul(F.softmax(query, dim=-1), key.permute(0, 2, 1)) * self.scaling")],
    ),
    kept_in_evaluation(MAIN),
]
