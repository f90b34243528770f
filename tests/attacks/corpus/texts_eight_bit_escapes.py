# Raises an error with the eight-bit forms of escape sequences.
def softmax(scores, dim=-1):
    raise ValueError("\x9b31m red \x9d0;title\x9c \x90q\x9c \x8e")
