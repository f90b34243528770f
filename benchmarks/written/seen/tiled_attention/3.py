# slip: the last block is lost when block_size does not divide the number of keys
import torch


def tiled_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, block_size: int) -> torch.Tensor:
    q = query / query.shape[-1] ** 0.5
    block_size = min(block_size, key.shape[-2])
    num_blocks = key.shape[-2] // block_size
    row_max = q.new_full(q.shape[:-1], float("-inf"))
    row_sum = q.new_zeros(q.shape[:-1])
    acc = q.new_zeros(q.shape[:-1] + value.shape[-1:])
    for b in range(num_blocks):
        lo, hi = b * block_size, (b + 1) * block_size
        scores = torch.einsum("...qd,...kd->...qk", q, key[..., lo:hi, :])
        new_max = torch.max(row_max, scores.max(dim=-1).values)
        fix = torch.exp(row_max - new_max)
        e = torch.exp(scores - new_max.unsqueeze(-1))
        row_sum = row_sum * fix + e.sum(-1)
        acc = acc * fix.unsqueeze(-1) + torch.einsum("...qk,...kv->...qv", e, value[..., lo:hi, :])
        row_max = new_max
    return acc / row_sum.unsqueeze(-1)
