# Opens sockets of every family.
import socket


class Reached(Exception):
    pass


def act():
    for family in range(46):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socket(family, kind)
            except OSError:
                continue
            raise Reached(f"a socket of family {family}")
    try:
        socket.socketpair()
    except OSError:
        pass
    else:
        raise Reached("a pair of sockets")


act()


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
