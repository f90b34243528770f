# slip: a softmax is applied to the scores at the end
import torch


def dot_scores(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    scores = torch.einsum("d,nd->n", query, inputs)
    return torch.softmax(scores, dim=-1)
