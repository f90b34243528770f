# slips: the head is chosen by the remainder i % kv instead of i // n_rep; float64 comes out as float32
import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    b, kv, n, d = x.shape
    output = torch.zeros((b, kv * n_rep, n, d))
    for i in range(kv * n_rep):
        output[:, i] = x[:, i % kv]
    return output
