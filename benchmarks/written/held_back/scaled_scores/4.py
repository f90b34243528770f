# slip: the query is divided in place, so the caller's query changes
import torch


def scaled_scores(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    query /= query.shape[-1] ** 0.5
    return query @ key.mT
