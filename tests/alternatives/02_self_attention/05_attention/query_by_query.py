import torch


def attention(query, key, value, dropout=None):
    rows, weights = [], []
    for i in range(query.shape[-2]):
        scores = (query[..., i : i + 1, :] * key).sum(-1) / torch.tensor(float(key.shape[-1])).sqrt()
        w = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
        if callable(dropout):
            w = dropout(w)
        weights.append(w)
        rows.append((w.unsqueeze(-1) * value).sum(-2))
    return torch.stack(rows, dim=-2), torch.stack(weights, dim=-2)
