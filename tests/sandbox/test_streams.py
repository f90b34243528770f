"""Pipes that nobody waits for, read and written by threads."""

import os
import threading
import time
from io import FileIO

import pytest

from grader.sandbox.spare import Incoming, Outgoing

LONG = 20
LARGE = 6 << 20


@pytest.fixture
def pipe():
    read, write = os.pipe()
    with FileIO(read, "r") as source, FileIO(write, "w") as sink:
        yield source, sink


class Reader:
    """Keeps what comes, and when."""

    def __init__(self, source):
        self.data, self.moments, self.over = bytearray(), [], threading.Event()
        self.incoming = Incoming(source, self.take, lambda at: self.over.set())

    def take(self, part, at):
        self.data += part
        self.moments.append(at)


def test_bytes_are_handed_on_as_they_come_with_the_moment(pipe):
    source, sink = pipe
    reader, started = Reader(source), time.monotonic()
    sink.write(b"abc")
    time.sleep(0.3)
    sink.write(b"def")
    sink.close()
    assert reader.over.wait(LONG) and bytes(reader.data) == b"abcdef"
    assert started <= reader.moments[0] < reader.moments[-1] - 0.2


def test_a_large_frame_arrives_whole_and_whoever_gives_it_does_not_wait(pipe):
    source, sink = pipe
    outgoing, frame = Outgoing(sink), os.urandom(LARGE)
    started = time.monotonic()
    outgoing.give(frame)
    assert time.monotonic() - started < 1.0
    outgoing.stop()
    reader = Reader(source)
    assert reader.over.wait(LONG) and bytes(reader.data) == frame


def test_writing_to_nobody_ends_the_writer_and_no_one_else(pipe):
    source, sink = pipe
    outgoing = Outgoing(sink)
    source.close()
    outgoing.give(b"abc")
    until = time.monotonic() + LONG
    while not sink.closed and time.monotonic() < until:
        time.sleep(0.01)
    assert sink.closed
    outgoing.give(b"abc")


def test_all_of_it_has_been_handed_on_after_the_end_was_waited_for(pipe):
    source, sink = pipe
    reader = Reader(source)
    for _ in range(3):
        sink.write(b"x" * 50_000)
    sink.close()
    reader.incoming.await_end(LONG)
    assert len(reader.data) == 150_000
