# Lets two threads write their answers into each other.
import sys

import torch

wire, host = sys.modules["inside.wire"], sys.modules["inside.host"]


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)


def answered(question):
    return host.run_question(question, {"softmax": softmax}, "03_softmax.py")


def questions():
    while True:
        yield wire.unpack(*wire.read_frame(3, 1 << 27))


def reply(value):
    wire.write_frame(4, wire.pack(value, 1 << 27))


reply({"loaded": True})

import os
import threading


def write(frame):
    for byte in frame:
        os.write(4, bytes([byte]))


for question in questions():
    frame = wire.pack(answered(question), 1 << 27)
    threads = [threading.Thread(target=write, args=(frame,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
