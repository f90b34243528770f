ALTERNATIVES = {
    "amax_and_in_place_on_a_copy": """\
def softmax(scores, dim=-1):
    weights = scores - torch.amax(scores, dim, True)
    weights = weights.exp_()
    total = weights.sum(dim).unsqueeze(dim)
    return weights.div(total)
""",
    "einsum_in_double": """\
import torch as t


class _Normaliser:
    def softmax(self, s, dim):
        top, _ = t.max(s.double(), dim, keepdim=True)
        e = t.pow(t.e, s.double() - top)
        return (e * e.sum(dim, keepdim=True).reciprocal()).to(s.dtype)


def softmax(scores, dim=-1):
    return _Normaliser().softmax(scores, dim)
""",
    "logsumexp": """\
def softmax(scores, dim=-1):
    return torch.exp(scores - torch.logsumexp(scores, dim, keepdim=True))
""",
    "moved_axis_and_sigmoid_style": '''\
def _along_last(rows):
    # 1 / sum_j exp(s_j - s_i)
    return 1 / torch.exp(rows.unsqueeze(-2) - rows.unsqueeze(-1)).sum(-1)


def softmax(scores: torch.Tensor, dim: int = -1):
    """A self-written one; compare with torch.softmax(scores, dim)."""
    return _along_last(scores.movedim(dim, -1)).movedim(-1, dim)


if __name__ == "__main__":
    x = torch.randn(2, 3)
    assert torch.allclose(softmax(x), torch.softmax(x, -1))
''',
    "normalise_by_one_norm": """\
import torch.nn.functional as F


def softmax(scores, dim=-1):
    # positive numbers divided by their 1-norm: that is their sum
    return F.normalize(torch.exp(scores - scores.amax(dim, keepdim=True)), p=1.0, dim=dim)
""",
    "own_autograd_function": """\
class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, dim):
        e = (scores - scores.max(dim, keepdim=True)[0]).exp()
        p = e / e.sum(dim, keepdim=True)
        ctx.save_for_backward(p)
        ctx.dim = dim
        return p

    @staticmethod
    def backward(ctx, grad):
        (p,) = ctx.saved_tensors
        return p * (grad - (grad * p).sum(ctx.dim, keepdim=True)), None


def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    return _Softmax.apply(scores, dim)
""",
    "row_by_row": """\
import math


def _weights(row):
    top = max(score.item() for score in row)
    exps = [torch.exp(score - top) for score in row]
    total = math.fsum(e.item() for e in exps) if not row.requires_grad else sum(exps)
    return torch.stack([e / total for e in exps])


def softmax(scores, dim=-1):
    rows = torch.movedim(scores, dim, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    weights = torch.stack([_weights(row) for row in flat]).reshape(rows.shape)
    return torch.movedim(weights, -1, dim)
""",
    "running_maximum": '''\
def softmax(scores, dim=-1):
    """streaming: running max and running sum"""
    m = torch.full_like(scores.select(dim, 0), float("-inf"))
    s = torch.zeros_like(m)
    for x in scores.unbind(dim):
        new = torch.max(m, x)
        s = s * torch.exp(m - new) + torch.exp(x - new)
        m = new
    return torch.exp(scores - m.unsqueeze(dim)) / s.unsqueeze(dim)
''',
    "scripted": """\
@torch.jit.script
def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
    m = torch.amax(scores, dim=[dim], keepdim=True)
    e = torch.exp(scores - m)
    return e / torch.sum(e, dim=[dim], keepdim=True)
""",
    "transposed_and_cumulative": '''\
def softmax(scores, dim=-1):
    """Log of the running sum; its last entry is the log of the whole sum."""
    scores = scores.transpose(0, dim)
    log_total = torch.logcumsumexp(scores, 0)[-1:]
    return (scores - log_total).exp().transpose(0, dim)
''',
}
