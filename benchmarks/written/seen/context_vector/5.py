# slip: the weighted embeddings are summed over the width, one number a word
import torch
import torch.nn.functional as F


def context_vector(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    logits = (query * inputs).sum(-1)
    probs = F.softmax(logits, dim=0).reshape(-1, 1)
    return torch.sum(probs * inputs, dim=1)
