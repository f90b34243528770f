def head_scores(a):
    return (a[:, :, :, None, :] * a[:, :, None, :, :]).sum(-1)
