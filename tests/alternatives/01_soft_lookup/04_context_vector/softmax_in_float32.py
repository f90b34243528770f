import torch
import torch.nn.functional as F


def context_vector(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    scores = query @ inputs.T
    weights = F.softmax(scores.float(), dim=-1).type_as(inputs)
    return torch.matmul(weights, inputs)
