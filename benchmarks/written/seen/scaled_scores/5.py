# slip: one row a key and one column a query (key times query transposed)
import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    d_head = query.size(dim=-1)
    dots = torch.matmul(key, query.swapaxes(-1, -2))
    return dots * (1.0 / d_head**0.5)
