def apply_padding_mask(scores, attention_mask):
    hidden = attention_mask.lt(1).unflatten(1, (1, 1, -1))
    work = scores.clone()
    work.masked_fill_(hidden, -1e4)
    return work
