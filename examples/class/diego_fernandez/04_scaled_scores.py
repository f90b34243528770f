def scaled_scores(query, key):
    d = query.shape[-1]
    return query @ key.transpose(-1, -2) / d
