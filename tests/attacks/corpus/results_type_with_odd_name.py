# An object whose class has a name full of escapes.
def softmax(scores, dim=-1):
    return type("\x1b[31m<script>\n\u202e" + "x" * 10_000, (), {})()
