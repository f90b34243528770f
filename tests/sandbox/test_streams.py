"""Pipes with a deadline, read and written by threads."""

import os
import time
from io import FileIO

import pytest

from grader.sandbox.inside import wire
from grader.sandbox.streams import ROOM, Incoming, Outgoing, Watched

SOON = 0.2


def soon() -> float:
    return time.monotonic() + SOON


def later() -> float:
    return time.monotonic() + 20


@pytest.fixture
def pipe():
    read, write = os.pipe()
    with FileIO(read, "r") as source, FileIO(write, "w") as sink:
        yield source, sink


def test_bytes_come_in_the_sizes_that_are_asked_for(pipe):
    source, sink = pipe
    incoming = Incoming(source)
    sink.write(b"abcdef")
    assert [incoming.take(size, later()) for size in (0, 4, 2)] == [b"", b"abcd", b"ef"]


def test_too_few_bytes_wait_until_the_deadline_and_then_tell_the_end(pipe):
    source, sink = pipe
    incoming = Incoming(source)
    sink.write(b"abc")
    with pytest.raises(wire.DeadlinePassed):
        incoming.take(4, soon())
    sink.close()
    with pytest.raises(wire.ChannelClosed):
        incoming.take(1, later())


def test_more_than_anybody_asks_for_is_left_in_the_pipe(pipe):
    source, sink = pipe
    Incoming(source)
    outgoing = Outgoing(sink)
    with pytest.raises(wire.DeadlinePassed):
        outgoing.give(bytes(4 * ROOM), soon())


def test_a_frame_larger_than_the_room_arrives_whole(pipe):
    source, sink = pipe
    incoming, outgoing = Incoming(source), Outgoing(sink)
    frame = os.urandom(ROOM // 2) * 6
    with pytest.raises(wire.DeadlinePassed):
        outgoing.give(frame, soon())
    assert incoming.take(len(frame), later()) == frame


def test_writing_to_nobody_is_told(pipe):
    source, sink = pipe
    outgoing = Outgoing(sink)
    source.close()
    with pytest.raises(wire.ChannelClosed):
        outgoing.give(b"abc", later())


def test_stopped_streams_close_their_pipes(pipe):
    source, sink = pipe
    incoming, outgoing = Incoming(source), Outgoing(sink)
    outgoing.stop()
    with pytest.raises(wire.ChannelClosed):
        incoming.take(1, later())
    until = later()
    while not (source.closed and sink.closed) and time.monotonic() < until:
        time.sleep(0.01)
    assert source.closed and sink.closed


def test_what_is_only_looked_at_is_seen_to_the_end(pipe):
    source, sink = pipe
    seen = []
    watched = Watched(source, seen.append)
    for _ in range(3):
        sink.write(b"x" * 50_000)
    sink.close()
    watched.await_end(20)
    assert sum(map(len, seen)) == 150_000
