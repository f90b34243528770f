import torch


def repeat_kv(x, n_rep):
    copies = []
    for head in range(x.shape[1]):
        copies += [x[:, head : head + 1]] * n_rep
    return torch.cat(copies, dim=1)
