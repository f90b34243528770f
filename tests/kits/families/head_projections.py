"""Queries, keys and values in an attention module, each from a layer of its own: the layers taken for each other.

main                     the check that compares with the formula
asks, answers, mixed     how queries, keys and values are made: self.q_proj(x), self.k_proj(x), self.v_proj(x)
q, v                     the variables of queries and values: q, v
split_q, unsplit_q       how queries are split: .view(in_heads).transpose(1, 2), and the same without the swap
split, unsplit           the same for keys and values
last                     the layer behind the joined heads: o_proj
"""

from grader.judge.authoring import Mistake

FAMILY = [
    Mistake(
        "queries-from-the-key-layer",
        "The queries were made by the layer of the keys, so the keys are compared with each other. The queries are $asks.",
        caught_by="$main",
        edits=[("= $asks", "= $answers")],
    ),
    Mistake(
        "queries-from-the-value-layer",
        "The queries were made by the layer of the values. The queries are $asks.",
        caught_by="$main",
        edits=[("= $asks", "= $mixed")],
    ),
    Mistake(
        "keys-from-the-query-layer",
        "The keys were made by the layer of the queries, so the queries are compared with each other. The keys are $answers.",
        caught_by="$main",
        edits=[("= $answers", "= $asks")],
    ),
    Mistake(
        "keys-from-the-value-layer",
        "The keys were made by the layer of the values. The keys are $answers; the values are only mixed.",
        caught_by="$main",
        edits=[("= $answers", "= $mixed")],
    ),
    Mistake(
        "values-from-the-query-layer",
        "The weights were applied to the queries, or the values were made by the layer of the queries. The values are $mixed.",
        caught_by="$main",
        edits=[("= $mixed", "= $asks")],
    ),
    Mistake(
        "queries-and-values-exchanged",
        "The layers of queries and values are exchanged. The queries are $asks, the values $mixed.",
        caught_by="$main",
        edits=[("$q = $asks", "$q = $mixed"), ("$v = $mixed", "$v = $asks")],
    ),
    Mistake(
        "one-layer-for-all",
        "Queries, keys and values all come from the layer of the queries. The keys are $answers, the values $mixed.",
        caught_by="$main",
        edits=[("= $answers", "= $asks"), ("= $mixed", "= $asks")],
    ),
    Mistake(
        "queries-split-without-transpose",
        "The queries alone were viewed as (batch, heads, tokens, head_dim) at once, which puts parts of several tokens into one head. "
        "Split the last axis first, then swap heads and tokens, as for the others.",
        caught_by="$main",
        edits=[("$asks$split_q", "$asks$unsplit_q")],
    ),
    Mistake(
        "keys-split-without-transpose",
        "The keys alone were viewed as (batch, heads, tokens, head_dim) at once, which puts parts of several tokens into one head. "
        "Split the last axis first, then swap heads and tokens, as for the others.",
        caught_by="$main",
        edits=[("$answers$split", "$answers$unsplit")],
    ),
    Mistake(
        "values-split-without-transpose",
        "The values alone were viewed as (batch, heads, tokens, head_dim) at once, which puts parts of several tokens into one head. "
        "Split the last axis first, then swap heads and tokens, as for the others.",
        caught_by="$main",
        edits=[("$mixed$split", "$mixed$unsplit")],
    ),
    Mistake(
        "queries-detached",
        "The queries were cut off from the gradients (.detach(), .data or torch.no_grad()), so their layer would never be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[("= $asks", "= $asks.detach()")],
    ),
    Mistake(
        "keys-detached",
        "The keys were cut off from the gradients (.detach(), .data or torch.no_grad()), so their layer would never be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[("= $answers", "= $answers.detach()")],
    ),
    Mistake(
        "values-detached",
        "The values were cut off from the gradients (.detach(), .data or torch.no_grad()), so their layer would never be trained.",
        caught_by="test_gradients_reach_input_and_parameters",
        edits=[("= $mixed", "= $mixed.detach()")],
    ),
    Mistake(
        "output-layer-twice",
        "The last layer was applied twice. The joined heads go through it once.",
        caught_by="$main",
        edits=[("self.$last(context)", "self.$last(self.$last(context))")],
    ),
]
