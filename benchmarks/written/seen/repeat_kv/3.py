# slip: the new axis is put in front of the heads, so the expanded copies come out as A B A B
import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    batch, num_key_value_heads, slen, head_dim = x.shape
    if n_rep == 1:
        return x
    x = x[:, None, :, :, :].expand(batch, n_rep, num_key_value_heads, slen, head_dim)
    return x.reshape(batch, num_key_value_heads * n_rep, slen, head_dim)
