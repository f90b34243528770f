def dot_scores(query, inputs):
    keys = inputs
    return query @ keys.transpose(0, 1)
