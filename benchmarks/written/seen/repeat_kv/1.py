# slip: the heads are tiled (A B A B) instead of each repeated next to itself
import torch


def repeat_kv(x, n_rep):
    return x.repeat(1, n_rep, 1, 1)
