"""The three layers mixed up, in modules where each of the three has a text of its own in the reference."""

from grader.judge.authoring import Mistake


def mistakes(*, layers: tuple[str, str, str], queries: str, keys: str, values: str) -> list[Mistake]:
    """The layers taken for each other.

    `layers`: their names, ("linear_q", "linear_k", "linear_v"); `queries`, `keys`, `values`: the texts that call them,
    such as "queries = self.linear_q(x)".
    """
    q, k, v = layers

    def called(id: str, message: str, **instead: str) -> Mistake:
        texts = {"queries": (queries, q), "keys": (keys, k), "values": (values, v)}
        calls = ((*texts[name], other) for name, other in instead.items())
        return Mistake(id, message, edits=[(text, text.replace(own, new)) for text, own, new in calls])

    return [
        called(
            "queries-from-the-key-layer",
            f"Keys are compared with keys: the queries come from {k}, or have no part in the scores. They come from {q}.",
            queries=k,
        ),
        called(
            "queries-from-the-value-layer",
            f"Values are compared with keys: the queries come from {v}, or have no part in the scores. They come from {q}.",
            queries=v,
        ),
        called(
            "keys-from-the-query-layer",
            f"Queries are compared with queries: the keys come from {q}, or have no part in the scores. They come from {k}.",
            keys=q,
        ),
        called(
            "keys-from-the-value-layer",
            f"The queries were compared with the values, or the keys come from {v}. The keys belong to {k}.",
            keys=v,
        ),
        called(
            "values-from-the-query-layer",
            f"The weights were applied to the queries, or the values come from {q}. The values belong to {v}.",
            values=q,
        ),
        called(
            "keys-and-values-exchanged",
            f"Keys and values are exchanged: the queries were compared with what comes from {v}, and the weights applied to what comes "
            f"from {k}.",
            keys=v,
            values=k,
        ),
        called(
            "queries-and-values-exchanged",
            f"{q} and {v} are exchanged. Queries come from {q}, keys from {k}, values from {v}.",
            queries=v,
            values=q,
        ),
    ]


def shared_layers(*, layers: tuple[str, str, str], layer: str) -> list[Mistake]:
    """One layer under several names. `layer`: how one is made, nn.Linear(hidden_size, hidden_size)."""
    q, k, v = layers
    return [
        Mistake(
            "queries-and-keys-share-a-layer",
            f"{q} and {k} are one and the same layer. Make a new one for each.",
            edits=[(f"self.{k} = {layer}", f"self.{k} = self.{q}")],
        ),
        Mistake(
            "keys-and-values-share-a-layer",
            f"{k} and {v} are one and the same layer. Make a new one for each.",
            edits=[(f"self.{v} = {layer}", f"self.{v} = self.{k}")],
        ),
        one_layer_under_three_names(layers=layers, layer=layer),
    ]


def one_layer_under_three_names(*, layers: tuple[str, str, str], layer: str) -> Mistake:
    """One layer for all three."""
    q, k, v = layers
    return Mistake(
        "one-layer-under-three-names",
        f"{q}, {k} and {v} are one and the same layer. Make a new one for each.",
        edits=[(f"self.{k} = {layer}", f"self.{k} = self.{q}"), (f"self.{v} = {layer}", f"self.{v} = self.{q}")],
    )


def queries_not_projected(*, layers: tuple[str, str, str], x: str = "x") -> Mistake:
    """The input itself is compared with the keys."""
    return Mistake(
        "queries-not-projected",
        f"{x} itself was used as queries. Project it first: {layers[0]}({x}).",
        edits=[(f"self.{layers[0]}({x})", x)],
    )


def layers_frozen(*, layers: tuple[str, str, str], layer: str, gradients_check: str) -> Mistake:
    """The layers cannot be trained."""
    made = f"self.{layers[2]} = {layer}"
    return Mistake(
        "layers-frozen",
        "The layers are there, but frozen (requires_grad is False), so training would never change them. Leave them as nn.Linear makes them.",
        caught_by=gradients_check,
        edits=[(made, f"{made}\n        self.requires_grad_(False)")],
    )


def sizes_of_the_example(*, layer: str, example: str, of_the_example: str) -> Mistake:
    """The layers fit the example alone: `of_the_example` is one of them, `example` says its sizes."""
    return Mistake(
        "sizes-of-the-example",
        f"The layers have the sizes of the example, {example}. Take those that are passed to __init__.",
        edits=[(layer, of_the_example)],
        everywhere=True,
    )
