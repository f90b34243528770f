# Runs in a function whose name is markup and escapes.
import types


def failing():
    raise ValueError("where?")


failing = types.FunctionType(failing.__code__.replace(co_name="<script>alert(1)</script>\x1b[2J\u202e"), {})


def softmax(scores, dim=-1):
    failing()
