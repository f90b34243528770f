# An exception full of the terminal library's markup.
def softmax(scores, dim=-1):
    raise ValueError("[bold red]passed[/] [link=http://example.org]x[/link] :tada:")
