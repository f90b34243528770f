import torch


def causal_mask(num_tokens):
    position = torch.arange(num_tokens)
    asking, answering = position.view(-1, 1), position.view(1, -1)
    return answering > asking
