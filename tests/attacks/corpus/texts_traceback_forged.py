# An exception that claims to come from another line and function.
def softmax(scores, dim=-1):
    exec(compile("\n" * 10**6 + "raise ValueError('elsewhere')", "03_softmax.py", "exec"))
