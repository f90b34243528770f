def apply_padding_mask(scores, attention_mask):
    keep = attention_mask.type(scores.dtype)[:, None, None, :]
    return scores * keep - 6e4 * (1 - keep)
