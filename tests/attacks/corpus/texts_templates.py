# Raises an error with the marks of every template language.
def softmax(scores, dim=-1):
    raise ValueError("{{ 7 * 7 }} {% for x in y %} ${7*7} #{7*7} <%= 7 %> %(points)s {0} [link=x]y[/link] `x` $x$ \\(x\\)")
