def head_scores(a):
    return a @ a.mT.contiguous()
