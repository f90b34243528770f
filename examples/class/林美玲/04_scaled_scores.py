import torch


def scaled_scores(query, key):
    width = query.size(-1)
    # row i, column j: how well does query i go with key j?
    return torch.einsum("...id,...jd->...ij", query, key) / width**0.5
