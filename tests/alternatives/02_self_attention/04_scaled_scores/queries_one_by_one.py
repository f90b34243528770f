import torch


def scaled_scores(query, key):
    assert query.shape[-1] == key.shape[-1]
    root = torch.sqrt(torch.tensor(query.shape[-1], dtype=torch.float32))
    rows = [(key @ query[..., i, :].unsqueeze(-1)).squeeze(-1) for i in range(query.shape[-2])]
    return torch.stack(rows, dim=-2) / root
