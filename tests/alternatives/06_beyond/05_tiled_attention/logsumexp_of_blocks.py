import torch


def tiled_attention(query, key, value, block_size):
    """Each block has its own softmax; the blocks are then weighed by their logsumexp."""
    parts, weights = [], []
    for k, v in zip(torch.split(key, block_size, -2), torch.split(value, block_size, -2)):
        scores = torch.einsum("...id,...jd->...ij", query * query.shape[-1] ** -0.5, k)
        parts.append(scores.softmax(-1) @ v)
        weights.append(scores.logsumexp(-1))
    weights = torch.stack(weights, 0).softmax(0)
    return (torch.stack(parts, 0) * weights[..., None]).sum(0)
