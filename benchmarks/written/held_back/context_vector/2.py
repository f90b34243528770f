# slip: only the embedding of the best fitting word is returned (argmax instead of a mixture)
import torch


def context_vector(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    scores = inputs @ query
    weights = scores.softmax(0)
    best = weights.argmax()
    return inputs[best]
