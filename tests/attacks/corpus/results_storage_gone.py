# A tensor whose storage was taken away.
def softmax(scores, dim=-1):
    result = scores.detach().clone()
    result.untyped_storage().resize_(0)
    return result
