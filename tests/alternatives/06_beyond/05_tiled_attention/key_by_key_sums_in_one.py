import torch
import torch.nn.functional as F


def tiled_attention(query, key, value, block_size):
    """A column of ones beside the values: the total is summed up with the output. Padded keys are sent to -inf."""
    lead, lk = query.shape[:-2], key.shape[-2]
    pad = -lk % block_size
    key, value = F.pad(key, (0, 0, 0, pad)), F.pad(F.pad(value, (0, 1), value=1.0), (0, 0, 0, pad))
    number = torch.arange(lk + pad)
    running = torch.full((*lead, query.shape[-2]), torch.finfo(query.dtype).min, dtype=query.dtype)
    acc = query.new_zeros(*lead, query.shape[-2], value.shape[-1])
    begin = 0
    while begin < lk:
        end = begin + block_size
        scores = torch.matmul(query, key[..., begin:end, :].mT).mul(1 / query.shape[-1] ** 0.5)
        scores = scores.masked_fill(number[begin:end] >= lk, float("-inf"))
        top = torch.max(running, scores.detach().max(-1).values)
        acc = acc * (running - top).exp()[..., None]
        acc = acc + torch.matmul((scores - top[..., None]).exp(), value[..., begin:end, :])
        running, begin = top, end
    return acc[..., :-1] / acc[..., -1:]
