import torch


def attention_dropout(weights, p, training=True):
    if not training:
        return weights
    lots = torch.randint(0, 1_000_000, weights.size())
    keep = (lots >= round(p * 1_000_000)).double()
    return (weights * keep / torch.tensor(1 - p).clamp(min=1e-30)).type_as(weights)
