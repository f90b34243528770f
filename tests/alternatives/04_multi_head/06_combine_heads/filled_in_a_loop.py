import torch


def combine_heads(head_weights):
    h = len(head_weights)
    d_head, d_in = head_weights[0].shape
    combined = torch.zeros(h * d_head, d_in, dtype=head_weights[0].dtype)
    for i, weight in enumerate(head_weights):
        combined[i * d_head : (i + 1) * d_head, :] = weight
    return combined
