"""What a worker sends becomes messages, and its time runs from when it has something to do until it has answered."""

import pytest

from grader.sandbox.inside import wire
from grader.sandbox.pipes import MOST_WAITING_BYTES, Mailbox

ROOM = 1 << 20
FRAME = wire.pack({"ready": True}, 0)


@pytest.fixture
def mailbox():
    return Mailbox(ROOM, preliminaries=1)


def taken(mailbox):
    with mailbox.changed:
        return mailbox.take()


def test_a_message_may_come_in_pieces(mailbox):
    for place, byte in enumerate(FRAME):
        assert taken(mailbox) is None
        mailbox.feed(bytes([byte]), float(place))
    assert wire.unpack(*taken(mailbox).parts) == {"ready": True}


def test_time_runs_from_ready_to_the_last_answer_and_not_while_nothing_is_asked(mailbox):
    mailbox.expect(2, now=1.0)
    assert mailbox.spent(5.0) == 0.0
    for moment in (10.0, 10.5, 12.0):
        mailbox.feed(FRAME, moment)
    assert [taken(mailbox).seconds for _ in range(3)] == [0.0, 0.5, 1.5]
    assert mailbox.spent(60.0) == 2.0 and mailbox.running(60.0) == 0.0
    mailbox.expect(1, now=70.0)
    assert mailbox.running(71.0) == 1.0
    mailbox.feed(FRAME, 73.0)
    message = taken(mailbox)
    assert (message.seconds, message.spent) == (3.0, 5.0)


def test_each_message_knows_what_was_spent_up_to_it_whatever_comes_after(mailbox):
    mailbox.expect(2, now=0.0)
    mailbox.feed(FRAME, 0.0)
    taken(mailbox)
    mailbox.feed(FRAME, 1.0)
    assert mailbox.spent(9.0) == 9.0
    assert taken(mailbox).spent == 1.0


def test_a_message_that_nobody_asked_for_ends_it_and_takes_no_time(mailbox):
    mailbox.expect(1, now=0.0)
    for moment in (0.0, 1.0, 5.0):
        mailbox.feed(FRAME, moment)
    assert mailbox.spent(9.0) == 1.0
    assert isinstance(mailbox.fault, wire.WireError) and mailbox.is_over
    assert taken(mailbox) and taken(mailbox) and taken(mailbox) is None


def test_after_the_end_time_stands_still(mailbox):
    mailbox.expect(1, now=0.0)
    mailbox.feed(FRAME, 1.0)
    mailbox.end(3.0)
    mailbox.feed(FRAME, 4.0)
    assert mailbox.is_over and mailbox.spent(9.0) == 2.0


@pytest.mark.parametrize("data", [b"x" * wire.PREFIX.size, FRAME[:-1] * 2], ids=["no frame", "cut short"])
def test_what_is_no_message_ends_it_with_a_fault(mailbox, data):
    mailbox.feed(data, 0.0)
    mailbox.feed(bytes(wire.PREFIX.size), 0.0)
    assert mailbox.is_over and isinstance(mailbox.fault, wire.WireError)


def test_a_frame_larger_than_agreed_is_refused_before_it_is_kept(mailbox):
    mailbox.feed(wire.PREFIX.pack(wire.MAGIC, 2, 1 << 40), 0.0)
    assert isinstance(mailbox.fault, wire.WireError)


def test_it_is_full_while_nobody_takes_what_has_come():
    large = Mailbox(MOST_WAITING_BYTES, preliminaries=0)
    large.expect(1, now=0.0)
    frame = wire.PREFIX.pack(wire.MAGIC, 2, MOST_WAITING_BYTES - 2) + b"{}" + bytes(MOST_WAITING_BYTES - 2)
    large.feed(frame, 0.0)
    assert large.is_full
    taken(large)
    assert not large.is_full
