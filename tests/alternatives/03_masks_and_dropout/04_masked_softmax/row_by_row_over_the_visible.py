import torch


def masked_softmax(scores, mask):
    """Every query by itself: softmax over what it may see, the rest stays 0."""
    weights = torch.zeros_like(scores)
    for query in range(scores.shape[-1]):
        seen = [key for key in range(scores.shape[-1]) if not mask[query, key]]
        weights[..., query, seen] = scores[..., query, seen].float().softmax(-1).to(weights.dtype)
    return weights
