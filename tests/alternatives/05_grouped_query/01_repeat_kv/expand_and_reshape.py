import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    b, kv, n, d = x.shape
    if n_rep == 1:
        return x
    return x[:, :, None, :, :].expand(b, kv, n_rep, n, d).reshape(b, kv * n_rep, n, d)
