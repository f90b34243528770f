# slip: the scores are divided by their sum instead of going through a softmax
import torch


def context_vector(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    scores = torch.mv(inputs, query)
    alpha = scores / scores.sum()
    return (alpha.unsqueeze(1) * inputs).sum(dim=0)
