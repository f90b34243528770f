import torch


def tiled_attention(query, key, value, block_size):
    """Inside of a block everything is multiplied out; sums and outputs of all blocks are kept in one tensor."""
    parts = []
    for start in range(0, key.shape[-2], block_size):
        k, v = key[..., start : start + block_size, :], value[..., start : start + block_size, :]
        scores = (query[..., :, None, :] * k[..., None, :, :]).sum(-1) * query.shape[-1] ** -0.5
        top = scores.amax(-1, keepdim=True)
        exps = torch.exp(scores - top)
        out = (exps[..., None] * v[..., None, :, :]).sum(-2)
        parts.append(torch.cat([top, exps.sum(-1, keepdim=True), out], dim=-1))
    parts = torch.stack(parts)
    share = torch.exp(parts[..., :1] - parts[..., :1].amax(0))
    return (share * parts[..., 2:]).sum(0) / (share * parts[..., 1:2]).sum(0)
