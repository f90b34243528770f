"""The learners of a class: those of the roster, others who handed in something, and each one's submission.

OUT/class.jsonl lists the class as it was graded: one learner a line, in order, with the names used, and with what the
roster says for the policy.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from grader.errors import KataError
from grader.files import write_file
from grader.intake.names import first_few

from .claims import Claim, LearnerMatch, resolve
from .class_listing import LeftOut
from .entries import Entry, distinct
from .learners import Learner as Enrolled
from .lms_names import Platform
from .matcher import Matcher
from .rows import NO_ROWS, Rows

CLASS_LIST = "class.jsonl"


class ListedLearner(BaseModel):
    """One learner of a class."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(description="A record's `submission`: the roster's id, else the hand-in's name.")
    shown: str = Field(description="The name for people: the roster's, or the submission's own.")
    email: str = ""
    handed_in: bool = True
    in_roster: bool = Field(default=False, description="Whether a roster names this learner.")
    is_disputed: bool = Field(default=False, description="Whether several submissions claim to be theirs: none counts.")
    group: str = Field(default="", description="With which group this learner hands in.")
    handed_in_at: dict[str, AwareDatetime] = Field(
        default={}, description="When, as the roster says it: by a unit's folder, or * for every other unit."
    )
    extra_days: dict[str, float] = Field(default={}, description="How much later units are due, by the same.")
    exempt: tuple[str, ...] = Field(default=(), description="The exercises that do not count for this learner.")
    platform: str = Field(default="", description="The platform whose names the submission bears, if it does.")
    ids: tuple[str, ...] = Field(default=(), description="What that platform calls the learner.")
    submitter: str = Field(
        default="",
        alias="told_by",
        description="How the platform identifies this learner's submissions; whoever hands in with it keeps the row.",
    )


def as_lines(learners: Iterable[ListedLearner]) -> Iterator[bytes]:
    """The lines of a class list."""
    for learner in learners:
        told = learner.model_dump(by_alias=True)
        yield json.dumps(told, default=datetime.isoformat).encode("ascii") + b"\n"


def write_class_list(path: Path, learners: Sequence[ListedLearner], recorded: Collection[str]) -> list[str]:
    """Write the class list: the class, then learners who only have a record of an earlier run; returns these.

    recorded: the names of all who have a record. Raises OSError, KataError when an earlier list is damaged.
    """
    listed = {learner.name for learner in learners}
    gone = [name for name in recorded if name not in listed]
    before = {each.name: each for each in read_learners(path)} if gone and path.exists() else {}
    known = [each.model_copy(update={"handed_in": each.handed_in or each.name in recorded}) for each in learners]
    left = [before.get(name, ListedLearner(name=name, shown=name)) for name in gone]
    write_file(path, as_lines([*known, *left]))
    return gone


def read_learners(path: Path) -> Iterator[ListedLearner]:
    """The learners in a class list, in class order. Raises KataError for an invalid line."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield ListedLearner.model_validate_json(line)
            except ValidationError:
                raise KataError(f"Line {number} of {path} is not a learner of a class.") from None


def called(who: ListedLearner) -> set[str]:
    """All names and ids of a learner, of people and of platforms."""
    submitter = who.submitter.partition(" ")[2]
    return {who.name, who.shown, who.email, f"{who.shown} ({who.name})", submitter, *who.ids}


def find_learner(learners: Sequence[ListedLearner], text: str, out: Path, command: str) -> ListedLearner:
    """Find the learner of OUT with this id; else by login, email or name, if only one learner has it.

    command: the command to show in the message; an id is added to it.

    Raises KataError when it matches nobody, or several learners.
    """
    by_id = {each.name: each for each in learners}
    if text in by_id:
        return by_id[text]
    matcher = Matcher([Enrolled(each.name, each.shown, each.email, (each.name, *each.ids)) for each in learners])
    found = matcher.candidates(text)
    if len(found) == 1:
        return by_id[found[0].id]
    if found:
        ids = ", ".join(each.id for each in found)
        raise KataError(f"{text!r} could be {len(found)} learners: give one of the ids {ids}.")
    some = ", ".join(repr(each.name) for each in learners[:3])
    example = f", such as: {command} {shlex.quote(learners[0].name)}" if learners else ""
    raise KataError(f"Nobody in {out} is called {text!r}. Ids there look like {some}{example}")


@dataclass(frozen=True)
class Member:
    """One learner and their submission; None if there is none that counts."""

    learner: ListedLearner
    entry: Entry | None


@dataclass(frozen=True)
class Members:
    """A class in class order, with remarks.

    left_out: files that were handed in and are not graded. disputes: sentences about learners whose submission is
    unclear. platform: the platform by which the names were read.
    """

    all: tuple[Member, ...]
    remarks: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    disputes: tuple[str, ...] = ()
    platform: Platform = "plain"

    @property
    def entries(self) -> list[Entry]:
        """All submissions, each with its learner's name in the results."""
        return [member.entry for member in self.all if member.entry is not None]


def members(found: Sequence[Entry], roster: Sequence[Enrolled] | None = None, before: Rows = NO_ROWS) -> Members:
    """Build the class: the roster in its order, then other submitters in theirs.

    If two submissions state the same learner, neither counts. But a doubtful submission (with two readings) never costs
    a learner a submission with one reading.

    before: the rows of an earlier run. A submitter who had a row keeps it, recognized by `Claim.submitter`: a changed
    display name moves nobody to another row.
    """
    before = before.kept
    resolved = resolve([entry.claim for entry in found], roster or ())
    enrolled = dict(zip(distinct([each.id for each in roster or ()]), roster or (), strict=True))
    rows = {each: name for name, each in enrolled.items()}
    of: dict[str, list[Entry]] = {name: [] for name in enrolled}
    others: dict[str, list[Entry]] = {}
    unclear, kept = [], []
    for entry, match in zip(found, resolved.matches, strict=True):
        submitter = entry.claim.submitter
        row = rows[match.learner] if match.learner is not None else None
        if (old := before.row_of(submitter, row)) is not None and (old in of or row is not None):
            kept.append(f"{entry.path.name} keeps the row {old}, as it is this submitter's since an earlier run.")
            row = old if old in of else None
        elif row is None and match.between:
            unclear.append(_unclear(entry, match))
        (others.setdefault(submitter, []) if row is None else of[row]).append(entry)
    doubtful: list[Entry] = []
    for entries in of.values():
        doubtful += _without_doubtful(entries, are_found=True)
    for entries in others.values():
        doubtful += _without_doubtful(entries, are_found=False)
    names = before.names(list(of), {submitter: entries[0].name for submitter, entries in others.items()})
    kept += [
        f"{entries[0].path.name} goes by {name}: {entries[0].name} is somebody else since an earlier run."
        for name, (submitter, entries) in zip(names, others.items(), strict=True)
        if name != entries[0].name and submitter not in before.of and entries[0].name in before.of.values()
    ]
    claims: list[tuple[str, Enrolled | None, list[Entry]]] = [
        *((name, enrolled[name], entries) for name, entries in of.items()),
        *((name, None, entries) for name, entries in zip(names, others.values(), strict=True)),
    ]
    all = [_member(*each, before) for each in claims]
    torn = [(member.learner, entries) for member, (*_, entries) in zip(all, claims, strict=True) if len(entries) > 1]
    disputes = [*(_dispute(learner, entries) for learner, entries in torn), *unclear]
    disputes += [f"{name} could be another's, too, so it is nobody's." for entry in doubtful for name in _names(entry)]
    left_out = [each for learner, entries in torn for each in _none_of(learner, entries)]
    left_out += [LeftOut(name, DOUBTFUL) for entry in doubtful for name in _names(entry)]
    remarks = [*(resolved.remarks if roster else ()), *kept]
    return Members(
        tuple(all), (*remarks, *_about(all, has_roster=roster is not None)), tuple(left_out), tuple(disputes)
    )


DOUBTFUL = "Its name can be read as two learners', and one of them has handed in what can be read in one way only."


def _without_doubtful(entries: list[Entry], *, are_found: bool) -> list[Entry]:
    """Take doubtful entries out of the list if exactly one entry is clear; returns them.

    are_found: the roster contains the learner of each entry, so the other readings are nobody in the class: then
    doubtful files with the same display name are joined to the clear entry.
    """
    clear = [entry for entry in entries if not entry.claim.is_doubtful]
    if len(clear) != 1 or len(entries) == 1:
        return []
    own = clear[0]
    doubtful: list[Entry] = []
    for entry in entries:
        if are_found and entry.claim.is_doubtful and entry.claim.name == own.claim.name:
            own = replace(own, parts=(*own.parts, *entry.parts))
        elif entry.claim.is_doubtful:
            doubtful.append(entry)
    entries[:] = [own]
    return doubtful


def _names(entry: Entry) -> list[str]:
    return [path.name for path in entry.files]


def _member(name: str, enrolled: Enrolled | None, entries: Sequence[Entry], before: Rows) -> Member:
    is_disputed = len(entries) > 1
    submitters = {entry.claim.submitter for entry in entries}  # of two submitters it is unclear whose row it is
    submitter = submitters.pop() if len(submitters) == 1 else before.submitter_in(name)
    entry = replace(entries[0], name=name) if len(entries) == 1 else None
    if enrolled is not None:
        hand_in = enrolled.hand_in
        learner = ListedLearner(
            name=name,
            shown=enrolled.name,
            email=enrolled.email,
            in_roster=True,
            group=enrolled.group,
            handed_in_at=dict(hand_in.at),
            extra_days=dict(hand_in.extra_days),
            exempt=hand_in.exempt,
        )
    else:
        claim = entries[0].claim
        platform = "" if claim.platform == "plain" else claim.platform
        learner = ListedLearner(name=name, shown=_shown(name, claim), platform=platform, ids=claim.ids)
    found = {"handed_in": bool(entries), "is_disputed": is_disputed, "submitter": submitter}
    return Member(learner.model_copy(update=found), entry)


def _shown(name: str, claim: Claim) -> str:
    return name if claim.platform in ("plain", "blackboard") else claim.name


def _about(all: Sequence[Member], *, has_roster: bool) -> Iterable[str]:
    if not has_roster:
        return
    strangers = [each.learner.name for each in all if not each.learner.in_roster]
    if strangers:
        yield f"Not in the roster: {first_few(strangers)}."
    absent = [each.learner.shown for each in all if not each.learner.handed_in]
    if absent:
        yield f"Handed in nothing: {first_few(absent)}."


def _dispute(learner: ListedLearner, entries: Sequence[Entry]) -> str:
    names = " and ".join(entry.path.name for entry in entries)
    return f"{names} all claim to be {learner.shown}'s, so none of them counts: leave one, and use --resume."


def _unclear(entry: Entry, match: LearnerMatch) -> str:
    names = " or ".join(f"{each.name} ({each.id})" for each in match.between)
    return f"{entry.path.name} could be {names}'s, so it is in nobody's row."


def _none_of(learner: ListedLearner, entries: Sequence[Entry]) -> Iterable[LeftOut]:
    for entry in entries:
        for path in entry.files:
            yield LeftOut(path.name, f"Another submission claims to be {learner.shown}'s too, so neither counts.")
