# The probabilities of a distribution, which calls softmax inside.
import torch


def softmax(scores, dim=-1):
    return torch.distributions.Categorical(logits=scores.movedim(dim, -1)).probs.movedim(-1, dim)
