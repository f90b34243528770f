"""An autograd function of its own, with the backward pass written by hand."""

import torch


class Lookup(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weights, values):
        ctx.save_for_backward(weights, values)
        return weights.matmul(values)

    @staticmethod
    def backward(ctx, arriving):
        weights, values = ctx.saved_tensors
        if values.dim() == 1:
            return arriving * values, arriving * weights
        return values @ arriving, torch.outer(weights, arriving)


def soft_lookup(weights, values):
    return Lookup.apply(weights, values)
