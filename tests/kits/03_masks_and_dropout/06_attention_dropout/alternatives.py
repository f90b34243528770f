ALTERNATIVES = {
    "bernoulli_in_place_on_a_new_tensor": """\
def attention_dropout(weights: torch.Tensor, p: float, training: bool = True):
    if not training or p == 0.0:
        return weights
    if p >= 1.0:
        return weights * 0
    noise = torch.empty_like(weights, requires_grad=False).bernoulli_(1 - p).div_(1 - p)
    return noise * weights
""",
    "distribution_object": """\
from torch.distributions import Bernoulli


class _Dropping:
    def __init__(self, p):
        self.keep = 1.0 - p

    def __call__(self, weights):
        if self.keep == 0:
            return weights.new_zeros(weights.shape)
        return weights.mul(Bernoulli(self.keep).sample(weights.shape)).div(self.keep)


def attention_dropout(weights, p, training=True):
    return _Dropping(p)(weights).to(weights.dtype) if training else weights
""",
    "indices_of_the_dropped": '''\
def dropout(x, p):
    """A name like the library's, but a function of its own."""
    out = x.clone().flatten()
    lost = torch.nonzero(torch.rand(out.shape) < p).flatten()
    out = out.index_fill(0, lost, 0.0)
    return (out / (1 - p)).nan_to_num(0.0).view_as(x)


def attention_dropout(weights, p, training=True):
    if p == 0 or not training:
        return weights
    return dropout(weights, p)
''',
    "masked_fill": """\
def attention_dropout(weights, p, training=True):
    if not training:
        return weights.clone()
    dropped = torch.rand(weights.shape) < p
    scale = 1.0 if p == 1 else 1.0 / (1.0 - p)
    return weights.masked_fill(dropped, 0.0) * scale
""",
    "multinomial_choice": """\
def attention_dropout(weights, p, training=True):
    if not training:
        return weights
    keep = torch.multinomial(torch.tensor([p, 1.0 - p]), weights.numel(), replacement=True).view(weights.shape)
    return weights * keep / (1 - p if p < 1 else 1)
""",
    "numpy_and_loops": """\
import random


def attention_dropout(weights, p, training=True):
    if not training:
        return weights
    factors = [0.0 if random.random() < p else 1 / (1 - p) for _ in range(weights.numel())]
    return weights * torch.tensor(factors, dtype=weights.dtype).reshape(weights.shape)
""",
    "numpy_generator": """\
import numpy as np

rng = np.random.default_rng()


def attention_dropout(weights, p, training=True):
    if not training or p == 0:
        return weights
    keep = torch.from_numpy(np.asarray(rng.random(tuple(weights.shape)) >= p))
    kept = weights * keep.to(weights.dtype)
    return kept if p == 1 else kept * (1 - p) ** -1
""",
    "own_autograd_function": """\
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
""",
    "random_whole_numbers": """\
def attention_dropout(weights, p, training=True):
    if not training:
        return weights
    lots = torch.randint(0, 1_000_000, weights.size())
    keep = (lots >= round(p * 1_000_000)).double()
    return (weights * keep / torch.tensor(1 - p).clamp(min=1e-30)).type_as(weights)
""",
    "where_grown_first": '''\
def attention_dropout(weights, p, training=True):
    """At p = 1 the grown weights are infinite, but none of them is taken."""
    if training is False:
        return weights
    keep = torch.rand_like(weights) < 1 - p
    return torch.where(keep, weights / (1 - p), torch.zeros_like(weights))
''',
}
