"""The layers of an attention module, and what its last line returns."""

from grader.judge.authoring import Mistake

NEXT = "\n        "


def keys_and_values(
    *, x: str = "x", keys: str = "k", values: str = "v", to_keys: str = "k_proj", to_values: str = "v_proj"
) -> list[Mistake]:
    """Keys and values are exchanged. `keys`, `values`: the variables; `to_keys`, `to_values`: the layers."""
    return [
        Mistake(
            "keys-as-values",
            f"The weights were applied to the keys. They belong on the values, {to_values}({x}).",
            edits=[(f"{values} = self.{to_values}({x})", f"{values} = self.{to_keys}({x})")],
        ),
        Mistake(
            "keys-and-values-swapped",
            f"{to_keys} and {to_values} are exchanged. The queries are compared with the keys, {to_keys}({x}); the weights are applied to the "
            f"values, {to_values}({x}).",
            edits=[
                (f"{keys} = self.{to_keys}({x})", f"{keys} = self.{to_values}({x})"),
                (f"{values} = self.{to_values}({x})", f"{values} = self.{to_keys}({x})"),
            ],
        ),
    ]


def queries_and_keys(*, queries: str = "q", keys: str = "k", last_two: str = "2, 3") -> Mistake:
    """The scores are transposed."""
    return Mistake(
        "queries-and-keys-swapped",
        f"The scores are {keys} · {queries}ᵀ, so rows and columns are exchanged. A row belongs to a query: {queries} · {keys}ᵀ.",
        edits=[(f"{queries} @ {keys}.transpose({last_two})", f"{keys} @ {queries}.transpose({last_two})")],
    )


def optional_bias() -> list[Mistake]:
    """`qkv_bias` is not used."""
    return [
        Mistake(
            "always-a-bias",
            "W_query, W_key and W_value have a bias although qkv_bias is False by default. Pass bias=qkv_bias to nn.Linear.",
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
    ]


def biases(*, model: str, out: str = "o_proj") -> list[Mistake]:
    """Layers without their bias."""
    return [
        Mistake(
            "no-bias",
            "The layers have no bias. nn.Linear has one unless bias=False is given.",
            edits=[(f"nn.Linear({model}, {model})", f"nn.Linear({model}, {model}, bias=False)")],
            everywhere=True,
        ),
        Mistake(
            "output-layer-without-a-bias",
            f"{out} has no bias. nn.Linear has one unless bias=False is given.",
            edits=[
                (f"self.{out} = nn.Linear({model}, {model})", f"self.{out} = nn.Linear({model}, {model}, bias=False)")
            ],
        ),
        Mistake(
            "projections-without-a-bias",
            "Only o_proj has a bias. The other three layers have one as well: nn.Linear without bias=False.",
            edits=[
                (
                    f"self.{name}_proj = nn.Linear({model}, {model})",
                    f"self.{name}_proj = nn.Linear({model}, {model}, bias=False)",
                )
                for name in "qkv"
            ],
        ),
    ]


def with_bias() -> Mistake:
    """Layers with a bias that they should not have."""
    return Mistake(
        "with-bias",
        "The layers have a bias. Here they have none: bias=False.",
        edits=[(", bias=False", "")],
        everywhere=True,
    )


def returned_instead(*, end: str, x: str = "x", missing: str, inputs_check: str) -> list[Mistake]:
    """Something else comes back. `end`: the last line; `missing`: what is missing behind the weights."""
    return [
        Mistake(
            "weights-returned",
            f"The attention weights were returned. {missing}",
            edits=[(end, "return weights")],
        ),
        Mistake(
            "weights-returned-too",
            "The output came together with the weights. Return the output alone.",
            edits=[(end, f"{end}, weights")],
        ),
        Mistake(
            "input-overwritten",
            f"{x} itself was changed (a method that ends in an underscore, +=, or an assignment into {x}). The caller still needs it.",
            caught_by=inputs_check,
            edits=[(end, f"{x}.data.mul_(2){NEXT}{end}")],
        ),
    ]


def own_value_only(*, end: str, other: str = "other", values_alone: str) -> Mistake:
    """No attention. `end`: the last line; `values_alone`: what it returns then."""
    return Mistake(
        "own-value-only",
        f"There is no attention: each token got its own value only. The values of the {other} tokens must be mixed in by the weights.",
        edits=[(end, f"return {values_alone}")],
    )


def output_layer(*, end: str, out: str, model: str, x: str = "x") -> list[Mistake]:
    """The layer behind the joined heads is left out, or something added behind it."""
    return [
        Mistake(
            "no-output-layer",
            f"There is no layer named exactly {out}. The joined heads go through one more nn.Linear({model}, {model}), under this name.",
            edits=[(f"        self.{out} = nn.Linear({model}, {model})\n", ""), (end, "return context")],
        ),
        output_layer_unused(end=end, out=out),
        Mistake(
            "residual-added",
            f"{x} was added to the result. That belongs to the block around the attention, not into it.",
            edits=[(end, f"{end} + {x}")],
        ),
    ]


def output_layer_unused(*, end: str, out: str) -> Mistake:
    """The layer behind the joined heads is made for nothing."""
    return Mistake(
        "output-layer-unused",
        f"{out} is made but not used: the joined heads were returned as they are. The last step is {out}.",
        edits=[(end, "return context")],
    )
