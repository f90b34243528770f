# slip: each block gets a softmax of its own and the blocks' results are averaged
import math

import torch


def tiled_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, block_size: int) -> torch.Tensor:
    d = query.size(-1)
    outs = []
    for k_blk, v_blk in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        att = torch.softmax(torch.matmul(query, k_blk.mT) / math.sqrt(d), dim=-1)
        outs.append(torch.matmul(att, v_blk))
    return sum(outs) / len(outs)
