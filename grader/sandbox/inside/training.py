"""Train a learner's language model for a moment, the same way for every learner."""

from __future__ import annotations

import torch
import torch.nn.functional as F

CLIP = 1.0


def train(model: torch.nn.Module, inputs: torch.Tensor, targets: torch.Tensor, rate: float) -> list[float]:
    """One AdamW step for each batch of `inputs` (steps, batch, tokens); returns the loss before each step.

    `targets` has the shape of `inputs`: the token that follows at each place.
    """
    parameters = list(model.parameters())
    # one call for all parameters takes a quarter of the time of a loop over them, and wants floating-point numbers
    is_plain = all(parameter.is_floating_point() for parameter in parameters)
    optimizer = torch.optim.AdamW(parameters, lr=rate, fused=is_plain)
    model.train()
    losses = []
    for idx, following in zip(inputs, targets, strict=True):
        logits = model(idx)
        loss = F.cross_entropy(logits.flatten(0, 1), following.flatten())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses
