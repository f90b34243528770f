import torch


def combine_heads(head_weights):
    """Side by side as (inputs, outputs), then turned round."""
    return torch.hstack([w.T for w in head_weights]).T
