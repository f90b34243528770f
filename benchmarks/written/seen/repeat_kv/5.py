# slip: one copy too many of each head (n_rep more besides the original)
import torch


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    heads = []
    for i in range(x.size(1)):
        head = x[:, i : i + 1]
        heads.append(head)
        for _ in range(n_rep):
            heads.append(head)
    return torch.cat(heads, dim=1)
