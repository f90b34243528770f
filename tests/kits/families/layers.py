"""The layers of an attention module, and what its last line returns.

main                            the check that compares with the formula
end                             the last line: return self.out_proj(context)
x                               the input: x
queries, keys, values           the variables: queries, keys, values
to_keys, to_values              the layers they come from: W_key, W_value
last_two                        the axes that are exchanged in the keys: 2, 3
out, model                      the layer behind the joined heads and its width: out_proj, d_out
zeros                           something of the right shape: context
other, values_alone             for a module without attention: earlier, self.out_proj(self.W_value(x))
missing                         what is missing when the weights come back: Three steps are missing: ...
inputs_check                    the check that the input is left alone
"""

from grader.judge.authoring import Mistake

NEXT = "\n        "

FAMILY = [
    Mistake(
        "keys-as-values",
        "The weights were applied to the keys. They belong on the values, $to_values($x).",
        caught_by="$main",
        edits=[("$values = self.$to_values($x)", "$values = self.$to_keys($x)")],
    ),
    Mistake(
        "keys-and-values-swapped",
        "$to_keys and $to_values are exchanged. The queries are compared with the keys, $to_keys($x); the weights are applied to the "
        "values, $to_values($x).",
        caught_by="$main",
        edits=[
            ("$keys = self.$to_keys($x)", "$keys = self.$to_values($x)"),
            ("$values = self.$to_values($x)", "$values = self.$to_keys($x)"),
        ],
    ),
    Mistake(
        "queries-and-keys-swapped",
        "The scores are $keys · ${queries}ᵀ, so rows and columns are exchanged. A row belongs to a query: $queries · ${keys}ᵀ.",
        caught_by="$main",
        edits=[("$queries @ $keys.transpose($last_two)", "$keys @ $queries.transpose($last_two)")],
    ),
    Mistake(
        "always-a-bias",
        "W_query, W_key and W_value have a bias although qkv_bias is False by default. Pass bias=qkv_bias to nn.Linear.",
        caught_by="$main",
        edits=[(", bias=qkv_bias", "")],
        everywhere=True,
    ),
    Mistake(
        "never-a-bias",
        "qkv_bias is not used: W_query, W_key and W_value never have a bias. Pass bias=qkv_bias to nn.Linear.",
        caught_by="test_bias_when_asked_for",
        edits=[("bias=qkv_bias", "bias=False")],
        everywhere=True,
    ),
    Mistake(
        "no-bias",
        "The layers have no bias. nn.Linear has one unless bias=False is given.",
        caught_by="$main",
        edits=[("nn.Linear($model, $model)", "nn.Linear($model, $model, bias=False)")],
        everywhere=True,
    ),
    Mistake(
        "with-bias",
        "The layers have a bias. Here they have none: bias=False.",
        caught_by="$main",
        edits=[(", bias=False", "")],
        everywhere=True,
    ),
    Mistake(
        "no-output-layer",
        "There is no layer named exactly $out. The joined heads go through one more nn.Linear($model, $model), under this name.",
        caught_by="$main",
        edits=[("        self.$out = nn.Linear($model, $model)\n", ""), ("$end", "return context")],
    ),
    Mistake(
        "output-layer-unused",
        "$out is made but not used: the joined heads were returned as they are. The last step is $out.",
        caught_by="$main",
        edits=[("$end", "return context")],
    ),
    Mistake(
        "residual-added",
        "$x was added to the result. That belongs to the block around the attention, not into it.",
        caught_by="$main",
        edits=[("$end", "$end + $x")],
    ),
    Mistake(
        "own-value-only",
        "There is no attention: each token got its own value only. The values of the $other tokens must be mixed in by the weights.",
        caught_by="$main",
        edits=[("$end", "return $values_alone")],
    ),
    Mistake(
        "input-returned",
        "$x came back as it was. Return $out(...) of the joined heads.",
        caught_by="$main",
        edits=[("$end", "return $x")],
    ),
    Mistake(
        "zeros",
        "Zeros of the right shape came back. Return $out(...) of the joined heads.",
        caught_by="$main",
        edits=[("$end", "return torch.zeros_like($zeros)")],
    ),
    Mistake(
        "weights-returned",
        "The attention weights were returned. $missing",
        caught_by="$main",
        edits=[("$end", "return weights")],
    ),
    Mistake(
        "weights-returned-too",
        "The output came together with the weights. Return the output alone.",
        caught_by="$main",
        edits=[("$end", "$end, weights")],
    ),
    Mistake(
        "input-overwritten",
        "$x itself was changed (a method that ends in an underscore, +=, or an assignment into $x). The caller still needs it.",
        caught_by="$inputs_check",
        edits=[("$end", f"$x.data.mul_(2){NEXT}$end")],
    ),
    Mistake(
        "output-layer-without-a-bias",
        "$out has no bias. nn.Linear has one unless bias=False is given.",
        caught_by="$main",
        edits=[("self.$out = nn.Linear($model, $model)", "self.$out = nn.Linear($model, $model, bias=False)")],
    ),
    Mistake(
        "projections-without-a-bias",
        "Only o_proj has a bias. The other three layers have one as well: nn.Linear without bias=False.",
        caught_by="$main",
        edits=[
            (
                f"self.{name}_proj = nn.Linear($model, $model)",
                f"self.{name}_proj = nn.Linear($model, $model, bias=False)",
            )
            for name in "qkv"
        ],
    ),
]
