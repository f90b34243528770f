import torch


def attention(query, key, value, dropout=None):
    leading = query.shape[:-2]
    q, k, v = (part.reshape(-1, *part.shape[-2:]) for part in (query, key, value))
    root = q.size(-1) ** 0.25
    empty = q.new_zeros(q.size(0), q.size(1), k.size(1))
    scores = torch.baddbmm(empty, q / root, k.mT / root)
    weights = torch.exp(scores - scores.amax(2, keepdim=True))
    weights = weights / weights.sum(2, keepdim=True)
    if dropout:
        weights = dropout(weights)
    output = torch.bmm(weights, v)
    return [output.view(*leading, *output.shape[1:]), weights.view(*leading, *weights.shape[1:])]
