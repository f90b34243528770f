"""The three layers mixed up, in modules where each of the three has a text of its own in the reference.

main                              the check that compares with the formula
to_queries, to_keys, to_values    the layers: linear_q, linear_k, linear_v
asking, asked                     the texts around the name of the first layer, where it is called: "= self.", "(x)"
labelling, labelled               the same for the second
telling, told                     the same for the third
layer                             how one is made: nn.Linear(hidden_size, hidden_size)
gradients_check                   the check that gradients reach everything
example, of_the_example           sizes of an example, and a layer with these: 64, nn.Linear(64, 64)
asks, answers                     what queries, and what keys and values are computed from: x, x
"""

from grader.judge.authoring import Mistake

QUERIES, KEYS, VALUES = "$asking$to_queries$asked", "$labelling$to_keys$labelled", "$telling$to_values$told"
BELONG = "Queries come from $to_queries, keys from $to_keys, values from $to_values."


def _from(before_and_after: str, instead: str) -> str:
    """A call of one layer, with another one in its place."""
    before, _, after = before_and_after[1:].split("$")
    return f"${before}${instead}${after}"


def _mixed_up(id: str, message: str, queries: str = "", keys: str = "", values: str = "") -> Mistake:
    edits = [
        (text, _from(text, instead))
        for text, instead in ((QUERIES, queries), (KEYS, keys), (VALUES, values))
        if instead
    ]
    return Mistake(id, message, caught_by="$main", edits=edits)


FAMILY = [
    _mixed_up(
        "queries-from-the-key-layer",
        "Keys are compared with keys: the queries come from $to_keys, or have no part in the scores. They come from $to_queries.",
        queries="to_keys",
    ),
    _mixed_up(
        "queries-from-the-value-layer",
        "Values are compared with keys: the queries come from $to_values, or have no part in the scores. They come from $to_queries.",
        queries="to_values",
    ),
    _mixed_up(
        "keys-from-the-query-layer",
        "Queries are compared with queries: the keys come from $to_queries, or have no part in the scores. They come from $to_keys.",
        keys="to_queries",
    ),
    _mixed_up(
        "keys-from-the-value-layer",
        "The queries were compared with the values, or the keys come from $to_values. The keys belong to $to_keys.",
        keys="to_values",
    ),
    _mixed_up(
        "values-from-the-query-layer",
        "The weights were applied to the queries, or the values come from $to_queries. The values belong to $to_values.",
        values="to_queries",
    ),
    _mixed_up(
        "keys-and-values-exchanged",
        "Keys and values are exchanged: the queries were compared with what comes from $to_values, and the weights applied to what comes "
        "from $to_keys.",
        keys="to_values",
        values="to_keys",
    ),
    _mixed_up(
        "queries-and-values-exchanged",
        f"$to_queries and $to_values are exchanged. {BELONG}",
        queries="to_values",
        values="to_queries",
    ),
    _mixed_up(
        "each-from-the-next-layer",
        "The three are in another order: the queries come from $to_keys, the keys from $to_values, the values from $to_queries. "
        + BELONG,
        queries="to_keys",
        keys="to_values",
        values="to_queries",
    ),
    _mixed_up(
        "each-from-the-layer-before",
        "The three are in another order: the queries come from $to_values, the keys from $to_queries, the values from $to_keys. "
        + BELONG,
        queries="to_values",
        keys="to_queries",
        values="to_keys",
    ),
    # --- layers that are one
    Mistake(
        "queries-and-keys-share-a-layer",
        "$to_queries and $to_keys are one and the same layer. Make a new one for each.",
        caught_by="$main",
        edits=[("self.$to_keys = $layer", "self.$to_keys = self.$to_queries")],
    ),
    Mistake(
        "keys-and-values-share-a-layer",
        "$to_keys and $to_values are one and the same layer. Make a new one for each.",
        caught_by="$main",
        edits=[("self.$to_values = $layer", "self.$to_values = self.$to_keys")],
    ),
    Mistake(
        "queries-and-values-share-a-layer",
        "$to_queries and $to_values are one and the same layer. Make a new one for each.",
        caught_by="$main",
        edits=[("self.$to_values = $layer", "self.$to_values = self.$to_queries")],
    ),
    Mistake(
        "one-layer-under-three-names",
        "$to_queries, $to_keys and $to_values are one and the same layer. Make a new one for each.",
        caught_by="$main",
        edits=[
            ("self.$to_keys = $layer", "self.$to_keys = self.$to_queries"),
            ("self.$to_values = $layer", "self.$to_values = self.$to_queries"),
        ],
    ),
    # --- without a layer
    Mistake(
        "queries-not-projected",
        "$asks itself was used as queries. Project it first: $to_queries($asks).",
        caught_by="$main",
        edits=[("self.$to_queries($asks)", "$asks")],
    ),
    Mistake(
        "keys-not-projected",
        "The queries were compared with $answers itself. They are compared with the keys, $to_keys($answers).",
        caught_by="$main",
        edits=[("self.$to_keys($answers)", "$answers")],
    ),
    Mistake(
        "values-not-projected",
        "The weights were applied to $answers itself. They belong on the values, $to_values($answers).",
        caught_by="$main",
        edits=[("self.$to_values($answers)", "$answers")],
    ),
    # --- how the layers are made
    Mistake(
        "layers-frozen",
        "The layers are there, but frozen (requires_grad is False), so training would never change them. Leave them as nn.Linear makes them.",
        caught_by="$gradients_check",
        edits=[("self.$to_values = $layer", "self.$to_values = $layer\n        self.requires_grad_(False)")],
    ),
    Mistake(
        "sizes-of-the-example",
        "The layers have the sizes of the example, $example. Take those that are passed to __init__.",
        caught_by="$main",
        edits=[("$layer", "$of_the_example")],
        everywhere=True,
    ),
    # --- two or three at once that can be told in several ways
    _mixed_up(
        "layers-q-v-q",
        f"The queries come from $to_queries, the keys from $to_values, the values from $to_queries. {BELONG}",
        keys="to_values",
        values="to_queries",
    ),
    _mixed_up(
        "layers-k-k-q",
        f"The queries come from $to_keys, the keys from $to_keys, the values from $to_queries. {BELONG}",
        queries="to_keys",
        values="to_queries",
    ),
    _mixed_up(
        "layers-k-v-v",
        f"The queries come from $to_keys, the keys from $to_values, the values from $to_values. {BELONG}",
        queries="to_keys",
        keys="to_values",
    ),
    _mixed_up(
        "layers-v-v-q",
        f"The queries come from $to_values, the keys from $to_values, the values from $to_queries. {BELONG}",
        queries="to_values",
        keys="to_values",
        values="to_queries",
    ),
    _mixed_up(
        "layers-q-q-k",
        f"The queries come from $to_queries, the keys from $to_queries, the values from $to_keys. {BELONG}",
        keys="to_queries",
        values="to_keys",
    ),
    _mixed_up(
        "layers-k-q-q",
        f"The queries come from $to_keys, the keys from $to_queries, the values from $to_queries. {BELONG}",
        queries="to_keys",
        keys="to_queries",
        values="to_queries",
    ),
    _mixed_up(
        "layers-k-q-k",
        f"The queries come from $to_keys, the keys from $to_queries, the values from $to_keys. {BELONG}",
        queries="to_keys",
        keys="to_queries",
        values="to_keys",
    ),
    _mixed_up(
        "layers-v-q-v",
        f"The queries come from $to_values, the keys from $to_queries, the values from $to_values. {BELONG}",
        queries="to_values",
        keys="to_queries",
    ),
    _mixed_up(
        "layers-v-k-k",
        f"The queries come from $to_values, the keys from $to_keys, the values from $to_keys. {BELONG}",
        queries="to_values",
        values="to_keys",
    ),
    _mixed_up(
        "layers-q-q-q",
        f"The queries come from $to_queries, the keys from $to_queries, the values from $to_queries. {BELONG}",
        keys="to_queries",
        values="to_queries",
    ),
    _mixed_up(
        "layers-k-k-k",
        f"The queries come from $to_keys, the keys from $to_keys, the values from $to_keys. {BELONG}",
        queries="to_keys",
        values="to_keys",
    ),
    _mixed_up(
        "layers-v-v-v",
        f"The queries come from $to_values, the keys from $to_values, the values from $to_values. {BELONG}",
        queries="to_values",
        keys="to_values",
    ),
    _mixed_up(
        "layers-k-v-k",
        f"The queries come from $to_keys, the keys from $to_values, the values from $to_keys. {BELONG}",
        queries="to_keys",
        keys="to_values",
        values="to_keys",
    ),
    _mixed_up(
        "layers-v-q-q",
        f"The queries come from $to_values, the keys from $to_queries, the values from $to_queries. {BELONG}",
        queries="to_values",
        keys="to_queries",
        values="to_queries",
    ),
    _mixed_up(
        "layers-v-v-k",
        f"The queries come from $to_values, the keys from $to_values, the values from $to_keys. {BELONG}",
        queries="to_values",
        keys="to_values",
        values="to_keys",
    ),
]
