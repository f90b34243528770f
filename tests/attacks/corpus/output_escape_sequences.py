# Prints terminal escapes, bells and carriage returns.
print("\x1b[2J\x1b[1;31m\x07\r\x1b]0;title\x07" * 100)


def softmax(scores, dim=-1):
    return scores * 0
