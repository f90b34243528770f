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
