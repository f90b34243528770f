import torch


def scaled_scores(query, key):
    *leading, queries, d = query.shape
    keys = key.shape[-2]
    q, k = query.reshape(-1, queries, d), key.reshape(-1, keys, d)
    scores = torch.baddbmm(q.new_zeros(q.shape[0], queries, keys), q, k.permute(0, 2, 1), beta=0, alpha=d**-0.5)
    return scores.view(*leading, queries, keys)
