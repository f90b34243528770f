"""Queries, keys and values of several heads, each from a layer of its own."""

from grader.judge.authoring import Mistake


def mistakes(
    *, queries: str, keys: str, values: str, q: str = "q", v: str = "v", last: str = "o_proj"
) -> list[Mistake]:
    """The layers taken for each other. `queries`, `keys`, `values`: how they are made; `q`, `v`: the variables; `last`: the last layer."""
    return [
        Mistake(
            "queries-from-the-key-layer",
            f"The queries were made by the layer of the keys, so the keys are compared with each other. The queries are {queries}.",
            edits=[(f"= {queries}", f"= {keys}")],
        ),
        Mistake(
            "queries-from-the-value-layer",
            f"The queries were made by the layer of the values. The queries are {queries}.",
            edits=[(f"= {queries}", f"= {values}")],
        ),
        Mistake(
            "keys-from-the-query-layer",
            f"The keys were made by the layer of the queries, so the queries are compared with each other. The keys are {keys}.",
            edits=[(f"= {keys}", f"= {queries}")],
        ),
        Mistake(
            "values-from-the-query-layer",
            f"The weights were applied to the queries, or the values were made by the layer of the queries. The values are {values}.",
            edits=[(f"= {values}", f"= {queries}")],
        ),
        Mistake(
            "queries-and-values-exchanged",
            f"The layers of queries and values are exchanged. The queries are {queries}, the values {values}.",
            edits=[(f"{q} = {queries}", f"{q} = {values}"), (f"{v} = {values}", f"{v} = {queries}")],
        ),
        Mistake(
            "one-layer-for-all",
            f"Queries, keys and values all come from the layer of the queries. The keys are {keys}, the values {values}.",
            edits=[(f"= {keys}", f"= {queries}"), (f"= {values}", f"= {queries}")],
        ),
        Mistake(
            "keys-detached",
            "The keys were cut off from the gradients (.detach(), .data or torch.no_grad()), so their layer would never be trained.",
            caught_by="test_gradients_reach_input_and_parameters",
            edits=[(f"= {keys}", f"= {keys}.detach()")],
        ),
        Mistake(
            "output-layer-twice",
            "The last layer was applied twice. The joined heads go through it once.",
            edits=[(f"self.{last}(context)", f"self.{last}(self.{last}(context))")],
        ),
    ]
