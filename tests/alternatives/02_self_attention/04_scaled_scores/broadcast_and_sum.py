import torch


def scaled_scores(query, key):
    products = query.unsqueeze(-2) * key.unsqueeze(-3)
    return products.sum(-1) * torch.rsqrt(torch.tensor(products.shape[-1]))
