def repeat_kv(x, n_rep):
    out = x.new_empty(x.shape[0], x.shape[1] * n_rep, *x.shape[2:])
    for copy in range(n_rep):
        out[:, copy::n_rep] = x
    return out
