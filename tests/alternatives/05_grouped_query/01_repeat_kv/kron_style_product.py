import torch


def repeat_kv(x, n_rep):
    # a (kv * n_rep, kv) matrix of ones and zeros that picks the head for each place
    pick = torch.eye(x.shape[1], dtype=x.dtype).repeat_interleave(n_rep, 0)
    return torch.einsum("ij,bjnd->bind", pick, x)
