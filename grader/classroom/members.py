"""Who is in a class: the learners of the roster, whoever else handed something in, and what each handed in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grader.submission import LeftOut

from .claims import Claim, Whose, resolve
from .download import first_few
from .entries import Entry, distinct
from .learners import Learner
from .lms_names import Platform
from .roster import Enrolled


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


def members(found: Sequence[Entry], roster: Sequence[Enrolled] | None = None) -> Members:
    """The class: in the roster's order, then the submissions that it does not name in theirs.

    Where two submissions say that they are the same learner's, neither is.
    """
    resolved = resolve([entry.claim for entry in found], roster or ())
    of: dict[Enrolled, list[Entry]] = {}
    others: dict[tuple[str, str], list[Entry]] = {}
    unclear = []
    for entry, whose in zip(found, resolved.whose, strict=True):
        if whose.learner is not None:
            of.setdefault(whose.learner, []).append(entry)
            continue
        others.setdefault(entry.claim.key, []).append(entry)
        if whose.between:
            unclear.append(_unclear(entry, whose))
    claims = [*((each, of.get(each, [])) for each in roster or ()), *((None, entries) for entries in others.values())]
    names = distinct([each.id if each else entries[0].name for each, entries in claims])
    all = [_member(name, each, entries) for name, (each, entries) in zip(names, claims, strict=True)]
    torn = [(member.learner, entries) for member, (_, entries) in zip(all, claims, strict=True) if len(entries) > 1]
    disputes = [*(_dispute(learner, entries) for learner, entries in torn), *unclear]
    left_out = [each for learner, entries in torn for each in _none_of(learner, entries)]
    remarks = list(resolved.remarks) if roster else []
    return Members(
        tuple(all), (*remarks, *_about(all, has_roster=roster is not None)), tuple(left_out), tuple(disputes)
    )


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


def _member(name: str, enrolled: Enrolled | None, entries: Sequence[Entry]) -> Member:
    is_disputed = len(entries) > 1
    entry = replace(entries[0], name=name) if len(entries) == 1 else None
    if enrolled is not None:
        learner = Learner(name=name, shown=enrolled.name, email=enrolled.email, in_roster=True)
    else:
        claim = entries[0].claim
        platform = "" if claim.platform == "plain" else claim.platform
        learner = Learner(name=name, shown=_shown(entries[0], claim), platform=platform, ids=claim.ids)
    return Member(learner.model_copy(update={"handed_in": bool(entries), "is_disputed": is_disputed}), entry)


def _shown(entry: Entry, claim: Claim) -> str:
    return entry.name if claim.platform in ("plain", "blackboard") else claim.name


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
