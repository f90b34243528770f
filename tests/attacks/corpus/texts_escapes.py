# An exception full of terminal escapes.
def softmax(scores, dim=-1):
    raise ValueError("\x1b[2J\x1b[31mpassed\x1b]8;;http://example.org\x07 \x07\r\b")
