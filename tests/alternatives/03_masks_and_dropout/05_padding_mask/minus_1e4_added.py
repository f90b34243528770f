def apply_padding_mask(scores, attention_mask):
    penalty = (attention_mask == 0).to(scores.dtype) * -1e4
    return scores + penalty.reshape(penalty.shape[0], 1, 1, penalty.shape[1])
