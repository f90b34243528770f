# An exception that turns the direction of writing.
def softmax(scores, dim=-1):
    raise ValueError("\u202edessap\u2066\u200b\u2028 \u0085")
