"""Who is in a class: the learners of the roster, whoever else handed something in, and what each handed in.

The class as it was graded, in its order and with its names, is one learner a line of OUT/class.jsonl.

A row of a CSV is the learner's whose id, login, email or name stands there, as in a roster.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.intake import LeftOut
from grader.intake.names import first_few
from grader.writing import write_file

from .claims import Claim, Whose, resolve
from .entries import Entry, distinct
from .lms_names import Platform
from .roster import EMAILS, IDS, NAMES, Enrolled, Matcher
from .rows import NO_ROWS, Rows

CLASS_LIST = "class.jsonl"
LEAST_LETTERS = 3
"""A shorter name is part of too many words to be looked for in a text."""


class Learner(BaseModel):
    """One learner of a class."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(description="A record's `submission`: the roster's id, else the hand-in's name.")
    shown: str = Field(description="The name for people: the roster's, or the submission's own.")
    email: str = ""
    handed_in: bool = True
    in_roster: bool = Field(default=False, description="Whether a roster names this learner.")
    is_disputed: bool = Field(default=False, description="Whether several submissions claim to be theirs: none counts.")
    group: str = Field(default="", description="With which group this learner hands in.")
    platform: str = Field(default="", description="The platform whose names the submission bears, if it does.")
    ids: tuple[str, ...] = Field(default=(), description="What that platform calls the learner.")
    told_by: str = Field(
        default="", description="By what the platform tells the hand-ins of this one; whoever it is keeps the row."
    )


class ClassListError(ValueError):
    """The class list cannot be read; the text is one sentence."""


def as_lines(learners: Iterable[Learner]) -> Iterator[bytes]:
    """A class list's lines."""
    for learner in learners:
        yield json.dumps(learner.model_dump()).encode("ascii") + b"\n"


def write_class_list(path: Path, learners: Sequence[Learner], recorded: Collection[str]) -> list[str]:
    """Write who is in the class, and after them whoever has a record of an earlier run all the same: their names.

    recorded: the names of all who have a record. Raises OSError, ClassListError when an earlier list is damaged.
    """
    listed = {learner.name for learner in learners}
    gone = [name for name in recorded if name not in listed]
    before = {each.name: each for each in read_learners(path)} if gone and path.exists() else {}
    known = [each.model_copy(update={"handed_in": each.handed_in or each.name in recorded}) for each in learners]
    left = [before.get(name, Learner(name=name, shown=name)) for name in gone]
    write_file(path, as_lines([*known, *left]), synced=True)
    return gone


def read_learners(path: Path) -> Iterator[Learner]:
    """The learners in a class list, in class order. Raises ClassListError for a line that is none."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield Learner.model_validate_json(line)
            except ValidationError:
                raise ClassListError(f"Line {number} of {path} is not a learner of a class.") from None


LEARNERS = ("learner", "submission", *IDS, *EMAILS, *NAMES)
"""Titles of the column that says whose a row is."""


class _Row(Protocol):
    @property
    def learner(self) -> str:
        """The learner, as it is written in the row."""


Row = TypeVar("Row", bound=_Row)


class LearnerError(Exception):
    """Nobody of a class is meant, or several are; the text is one sentence for people."""


def called(who: Learner) -> set[str]:
    """All that a learner is called, by people and by platforms."""
    told_by = who.told_by.partition(" ")[2]
    return {who.name, who.shown, who.email, f"{who.shown} ({who.name})", told_by, *who.ids}


def matcher_of(learners: Sequence[Learner]) -> Matcher:
    """Finds learners of a class by id, login, email or name."""
    return Matcher([Enrolled(each.name, each.shown, each.email, (each.name, *each.ids)) for each in learners])


def find_learner(learners: Sequence[Learner], text: str, out: Path, command: str) -> Learner:
    """The one learner of OUT whose id this is, or whose login, email or name if it is nobody else's.

    command: what can be typed with an id behind it.

    Raises LearnerError when it is nobody's, or could be two learners'.
    """
    by_id = {each.name: each for each in learners}
    if text in by_id:
        return by_id[text]
    found = matcher_of(learners).candidates(text)
    if len(found) == 1:
        return by_id[found[0].id]
    if found:
        ids = ", ".join(each.id for each in found)
        raise LearnerError(f"{text!r} could be {len(found)} learners: give one of the ids {ids}.")
    some = ", ".join(repr(each.name) for each in learners[:3])
    example = f", such as: {command} {shlex.quote(learners[0].name)}" if learners else ""
    raise LearnerError(f"Nobody in {out} is called {text!r}. Ids there look like {some}{example}")


def by_name(rows: Iterable[Row], learners: Sequence[Learner]) -> tuple[list[tuple[str, Row]], tuple[str, ...]]:
    """Each row under its learner's name in the results; and, once each, what names nobody of them, or two."""
    names = {learner.name for learner in learners}
    matchers = [
        Matcher(
            [Enrolled(each.name, each.shown, each.email, (each.name,)) for each in learners if each.in_roster is is_in]
        )
        for is_in in (True, False)  # who is in no roster can be called like somebody who is
    ]
    found: list[tuple[str, Row]] = []
    unknown: dict[str, None] = {}
    for row in rows:
        meant = next(filter(None, (matcher.candidates(row.learner) for matcher in matchers)), ())
        if row.learner in names:
            found.append((row.learner, row))
        elif len(meant) == 1:
            found.append((meant[0].id, row))
        else:
            unknown[row.learner] = None
    return found, tuple(unknown)


@dataclass(frozen=True)
class Member:
    """One learner and what was handed in, if anything was that counts."""

    learner: Learner
    entry: Entry | None


@dataclass(frozen=True)
class Members:
    """A class in class order, and what there is to say about it.

    left_out: what was handed in and is not graded.
    disputes: sentences about learners of whom nobody knows which submission is theirs.
    platform: whose names the submissions were read by.
    """

    all: tuple[Member, ...]
    remarks: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    disputes: tuple[str, ...] = ()
    platform: Platform = "plain"

    @property
    def entries(self) -> list[Entry]:
        """All submissions, each under its learner's name in the results."""
        return [member.entry for member in self.all if member.entry is not None]


def members(found: Sequence[Entry], roster: Sequence[Enrolled] | None = None, before: Rows = NO_ROWS) -> Members:
    """The class: in the roster's order, then the submissions that it does not name in theirs.

    Where two submissions say that they are the same learner's, neither is; but what can be read as another's, too,
    costs nobody the files that cannot.

    before: the rows of an earlier run. Who was in a row is told by what the platform tells submitters by: a display
    name that was changed, or what all others are called, gives nobody another row.
    """
    before = before.kept
    resolved = resolve([entry.claim for entry in found], roster or ())
    enrolled = dict(zip(distinct([each.id for each in roster or ()]), roster or (), strict=True))
    rows = {each: name for name, each in enrolled.items()}
    of: dict[str, list[Entry]] = {name: [] for name in enrolled}
    others: dict[str, list[Entry]] = {}
    unclear, kept = [], []
    for entry, whose in zip(found, resolved.whose, strict=True):
        submitter = entry.claim.submitter
        row = rows[whose.learner] if whose.learner is not None else None
        if (old := before.row_of(submitter, row)) is not None and (old in of or row is not None):
            kept.append(f"{entry.path.name} keeps the row {old}, as it is this submitter's since an earlier run.")
            row = old if old in of else None
        elif row is None and whose.between:
            unclear.append(_unclear(entry, whose))
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
    """Take out what can be read as another's, too, where one submission of the learner's cannot.

    are_found: a roster has found the learner in each, so that the other readings are nobody in the class: then the
    files of who is called the same are put to the others.
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


def last_attempts(everyone: Members) -> Members:
    """The class where of several attempts that a platform hands out only the last is graded."""
    left_out = list(everyone.left_out)
    several = []
    for member in everyone.all:
        if member.entry is not None and member.entry.earlier:
            several.append(member.learner.shown)
            left_out += [
                LeftOut(path.name, f"It is an earlier attempt of {member.learner.shown}; --attempts grades all.")
                for each in member.entry.earlier
                for path in each.files
            ]
    if not several:
        return everyone
    remark = f"Of several attempts the last is graded (--attempts grades all): {first_few(several)}."
    all = [replace(each, entry=replace(each.entry, earlier=()) if each.entry else None) for each in everyone.all]
    return replace(everyone, all=tuple(all), remarks=(*everyone.remarks, remark), left_out=tuple(left_out))


def _member(name: str, enrolled: Enrolled | None, entries: Sequence[Entry], before: Rows) -> Member:
    is_disputed = len(entries) > 1
    submitters = {entry.claim.submitter for entry in entries}  # of two nobody knows which one the row is of
    told_by = submitters.pop() if len(submitters) == 1 else before.submitter_in(name)
    entry = replace(entries[0], name=name) if len(entries) == 1 else None
    if enrolled is not None:
        learner = Learner(name=name, shown=enrolled.name, email=enrolled.email, in_roster=True)
    else:
        claim = entries[0].claim
        platform = "" if claim.platform == "plain" else claim.platform
        learner = Learner(name=name, shown=_shown(name, claim), platform=platform, ids=claim.ids)
    told = {"handed_in": bool(entries), "is_disputed": is_disputed, "told_by": told_by}
    return Member(learner.model_copy(update=told), entry)


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


def _dispute(learner: Learner, entries: Sequence[Entry]) -> str:
    names = " and ".join(entry.path.name for entry in entries)
    return f"{names} all claim to be {learner.shown}'s, so none of them counts: leave one, and use --resume."


def _unclear(entry: Entry, whose: Whose) -> str:
    names = " or ".join(f"{each.name} ({each.id})" for each in whose.between)
    return f"{entry.path.name} could be {names}'s, so it is in nobody's row."


def _none_of(learner: Learner, entries: Sequence[Entry]) -> Iterable[LeftOut]:
    for entry in entries:
        for path in entry.files:
            yield LeftOut(path.name, f"Another submission claims to be {learner.shown}'s too, so neither counts.")
