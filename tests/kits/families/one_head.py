"""Attention with one head and the layers linear_q, linear_k, linear_v; `self.scaling` is hidden_size ** -0.5."""

from grader.judge.authoring import Mistake

SOFTMAX = "F.softmax(scores, dim=-1)"
TURNED = "key.transpose(-2, -1)"
END = "return weights @ value"


def mistakes(*, answers: str, gradients_check: str) -> list[Mistake]:
    """What goes wrong with one head. `answers`: the input that keys and values come from."""
    return [
        Mistake(
            "no-scale",
            "The scores are not divided by √D. Multiply query · keyᵀ by hidden_size ** -0.5 before the softmax.",
            edits=[(" * self.scaling", "")],
        ),
        Mistake(
            "layers-not-found",
            "The module has no layers named linear_q, linear_k and linear_v. Set each as an attribute of its own in __init__: other "
            "names, a plain list, or layers made in `forward` are not found.",
            edits=[("linear_q", "q_proj"), ("linear_k", "k_proj"), ("linear_v", "v_proj")],
            everywhere=True,
        ),
        Mistake(
            "softmax-over-queries",
            "The softmax runs over the query axis (dim=1). Each query spreads its weight over the keys: that is the last axis, dim=-1.",
            edits=[(SOFTMAX, "F.softmax(scores, dim=1)")],
        ),
        Mistake(
            "scale-upside-down",
            "The scores are multiplied by √D where they should be divided by it. The factor is hidden_size ** -0.5.",
            edits=[("* self.scaling", "/ self.scaling")],
        ),
        Mistake(
            "divided-by-width",
            "The scores are divided by D, not by √D. The factor is hidden_size ** -0.5.",
            edits=[("hidden_size**-0.5", "hidden_size**-1.0")],
        ),
        Mistake(
            "scaled-after-softmax",
            "The scale was applied to the weights, after the softmax. Scale the scores before it: the weights must sum to 1.",
            edits=[(" * self.scaling", ""), (SOFTMAX, f"{SOFTMAX} * self.scaling")],
        ),
        Mistake(
            "not-transposed",
            "The key was not transposed. Exchange its last two axes first: transpose(-2, -1).",
            edits=[(TURNED, "key")],
        ),
        Mistake(
            "all-axes-reversed",
            "`.T` reverses all axes, the batch too. Exchange only the last two: transpose(-2, -1).",
            edits=[(TURNED, "key.permute(2, 1, 0)")],
        ),
        Mistake(
            "viewed-as-transposed",
            "The key was given its transposed shape by reshape or view. That keeps the numbers in their old order, in rows of another length; "
            "transpose(-2, -1) exchanges the axes.",
            edits=[(TURNED, "key.reshape(key.shape[0], key.shape[2], key.shape[1])")],
        ),
        Mistake(
            "first-two-axes",
            "transpose(0, 1) exchanges batch and tokens. The key needs its last two axes exchanged: transpose(-2, -1).",
            edits=[(TURNED, "key.transpose(0, 1)")],
        ),
        Mistake(
            "value-as-key",
            f"The queries were compared with the values. They are compared with the keys, linear_k({answers}).",
            edits=[(TURNED, "value.transpose(-2, -1)")],
        ),
        Mistake(
            "weights-returned",
            "The attention weights were returned. One step is missing: weights · value.",
            edits=[(END, "return weights")],
        ),
        Mistake(
            "weights-returned-as-well",
            "The attention weights came back beside the output. Return the output alone.",
            edits=[(END, f"{END}, weights")],
        ),
        Mistake(
            "input-added",
            "x was added to the output, as the block around attention does in a transformer. Return weights · value alone.",
            edits=[(END, "return x + weights @ value")],
        ),
        Mistake(
            "no-bias",
            "The layers have no bias. nn.Linear(hidden_size, hidden_size) has one unless bias=False is given.",
            edits=[("nn.Linear(hidden_size, hidden_size)", "nn.Linear(hidden_size, hidden_size, bias=False)")],
            everywhere=True,
        ),
        Mistake(
            "softmax-over-batch",
            "The softmax runs over the batch (dim=0), so the sequences of a batch disturb each other. It belongs on the keys, dim=-1.",
            edits=[(SOFTMAX, "F.softmax(scores, dim=0)")],
        ),
        Mistake(
            "softmax-twice",
            "The softmax was taken twice, which brings the weights closer together than they should be. Once is enough.",
            edits=[(SOFTMAX, "F.softmax(F.softmax(scores, dim=-1), dim=-1)")],
        ),
        Mistake(
            "weights-detached",
            "The output is right, but the weights were cut off with .detach(), .data or torch.no_grad(), so query and key can't learn.",
            caught_by=gradients_check,
            edits=[(END, "return weights.detach() @ value")],
        ),
        Mistake(
            "output-detached",
            "The numbers are right, but .detach(), .data or torch.no_grad() stops the gradients, so nothing can be trained.",
            caught_by=gradients_check,
            edits=[(END, "return (weights @ value).detach()")],
        ),
    ]
