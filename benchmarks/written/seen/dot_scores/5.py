# slip: the scores are filled in through .item(), so no gradient flows back
import torch


def dot_scores(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    similarity = []
    for word in inputs:
        similarity.append(torch.dot(query, word).item())
    return torch.tensor(similarity, dtype=inputs.dtype)
