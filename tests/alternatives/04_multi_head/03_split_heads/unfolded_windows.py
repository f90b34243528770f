def split_heads(x, num_heads):
    d = x.shape[-1]
    assert d % num_heads == 0
    d = d // num_heads
    return x.unfold(-1, d, d).swapaxes(1, 2)
