# An exception whose text can't be written as UTF-8.
def softmax(scores, dim=-1):
    raise ValueError("\ud800\udfff \x00 \U0010ffff")
