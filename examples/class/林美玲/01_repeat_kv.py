def repeat_kv(x, n_rep):
    b, kv, n, d = x.shape
    copies = x.unsqueeze(2).expand(b, kv, n_rep, n, d)
    return copies.reshape(b, kv * n_rep, n, d)
