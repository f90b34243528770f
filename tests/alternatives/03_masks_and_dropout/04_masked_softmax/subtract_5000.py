def masked_softmax(scores, mask):
    n = scores.shape[-1]
    return (scores.float() - 5000.0 * mask[:n, :n].float()).softmax(-1).to(scores.dtype)
