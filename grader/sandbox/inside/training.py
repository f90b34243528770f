"""Train a learner's language model briefly, the same way for every learner."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.optim.adamw import adamw

CLIP = 1.0
BETAS = (0.9, 0.999)
WEIGHT_DECAY = 0.01
EPSILON = 1e-8
"""AdamW's defaults in torch.optim."""


class _AdamW:
    """AdamW as a plain function: torch.optim's class would import the compiler at its first step, a second of work."""

    def __init__(self, parameters: list[torch.nn.Parameter], rate: float) -> None:
        self._parameters = parameters
        self._rate = rate
        # fused takes a quarter of the time of a loop over the parameters, but needs floating-point ones
        self._is_fused = all(parameter.is_floating_point() for parameter in parameters)
        self._first = [torch.zeros_like(parameter, memory_format=torch.preserve_format) for parameter in parameters]
        self._second = [torch.zeros_like(parameter, memory_format=torch.preserve_format) for parameter in parameters]
        self._steps = [torch.zeros((), dtype=torch.float32) for _ in parameters]

    @torch.no_grad()
    def step(self) -> None:
        """Update every parameter that has a gradient."""
        gradients = {number: each.grad for number, each in enumerate(self._parameters) if each.grad is not None}
        adamw(
            [self._parameters[number] for number in gradients],
            list(gradients.values()),
            [self._first[number] for number in gradients],
            [self._second[number] for number in gradients],
            [],
            [self._steps[number] for number in gradients],
            fused=self._is_fused,
            amsgrad=False,
            beta1=BETAS[0],
            beta2=BETAS[1],
            lr=self._rate,
            weight_decay=WEIGHT_DECAY,
            eps=EPSILON,
            maximize=False,
        )


def train(model: torch.nn.Module, batches: torch.Tensor, rate: float) -> None:
    """One AdamW step for each batch of (steps, batch, tokens + 1): each token is predicted from those before it."""
    parameters = list(model.parameters())
    optimizer = _AdamW(parameters, rate)
    model.train()
    for texts in batches:
        logits = model(texts[:, :-1].contiguous())
        loss = F.cross_entropy(logits.flatten(0, 1), texts[:, 1:].flatten())
        for parameter in parameters:
            parameter.grad = None
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()
