import torch


class Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weights, p):
        ctx.factor = (torch.rand_like(weights) > p).to(weights) / (1 - p) if p < 1 else torch.zeros_like(weights)
        return weights * ctx.factor

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.factor, None


def attention_dropout(weights, p, training=True):
    return Drop.apply(weights, p if training else 0.0)
