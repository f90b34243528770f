# An exception full of HTML.
def softmax(scores, dim=-1):
    raise ValueError("</pre><script>alert(1)</script><img src=x onerror=alert(1)>")
