def head_scores(a):
    """The table is symmetric, so it may be made the other way round."""
    q, k = a.clone(), a
    return (k @ q.swapaxes(-1, -2)).transpose(-1, -2)
