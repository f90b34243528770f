"""A run and one before it: whether it can go on with it, whose points differ between them, and why.

Who goes on has the same terms and the same class: no row is lost, or becomes another's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.intake.names import first_few
from grader.render.safe_text import safe_line
from grader.render.wording import counted, score

from .class_folder import SubmissionFiles
from .class_list import ClassList
from .grading_terms import Run, causes, changes, differences, terms_of
from .platforms import Platform, known_by
from .results import ClassResults, Result
from .store import Store, reading

# --- whether a run can go on ------------------------------------------------------------------------------------------


def refuse_others(store: Store, before: Run, now: Run, everyone: ClassList, matches: Collection[str]) -> Iterator[str]:
    """Raise KataError if a run has other terms, or another class, or if a row would be lost or another's.

    matches: the entries of which a person has said whose they are. Yields a sentence on learners who are gone.
    """
    terms = [
        {"the course": run.stamp.title, "the seed": run.seed, "the isolation": run.level, "the platform": run.platform}
        for run in (before, now)
    ]
    if told := changes(*terms):
        advice = "--anew begins again; or give another folder."
        raise KataError(f"{store.folder} was graded on other terms: {'; '.join(told)}. {advice}")
    graded = {learner.id: learner for learner, standing in store.standing(before) if standing == "graded"}
    if not graded:
        return
    entries, there = store.entries(before), {each.id for each in everyone.learners}
    if left := [id for id in graded if id not in there]:
        if any(each.in_roster for each in (*everyone.learners, *graded.values())):
            advice = "Give the roster of that run, with new learners added; --anew begins again."
            raise KataError(f"{first_few(left)} would lose their row. {advice}")
        yield f"Not among the submissions any more, so the record is kept: {', '.join(left)}."
    theirs = {id for files in everyone.submissions for id in files.learners}
    here = {files.entry for files in everyone.submissions} | {row.entry for row in everyone.unmatched}
    if graded.keys().isdisjoint(theirs) and entries.keys().isdisjoint(here):
        raise KataError(
            f"None of those who were graded into {store.folder} handed in anything of this. It knows "
            f"{first_few(sorted(entries), 3)}, and here are {first_few(sorted(here), 3)}: give another folder."
        )
    others = [files for files in everyone.submissions if files.entry not in matches]
    if told := list(_with_other_owners(entries, others, everyone.platform)):
        raise KataError(f"{' '.join(told)} Say whose they are with --match.")


def _with_other_owners(
    before: Mapping[str, Collection[str]], now: Sequence[SubmissionFiles], platform: Platform
) -> Iterator[str]:
    """Sentences on submissions that were another's in the run before, and on those of a learner with another number."""
    owners = {known_by(platform, entry): whose for entry, whose in before.items()}
    for files in now:
        name = known_by(platform, files.entry)
        is_new_number = name not in owners and name != files.entry
        for old, whose in owners.items():
            is_taken = old == name and set(whose).isdisjoint(files.learners)
            is_one_learner = len(whose) == 1 and set(whose) == set(files.learners)
            if is_taken or (is_new_number and old not in before and is_one_learner):
                told, other = (" and ".join(sorted(each)) for each in (whose, files.learners))
                yield f"{files.entry} would be of {other}; in the run before {old} was of {told}."


# --- whose points differ ----------------------------------------------------------------------------------------------


def moves_between(before: ClassResults, after: ClassResults) -> Iterator[tuple[str, str]]:
    """The points that count and differ, of the learners who are in both: each learner's id, and a line about one."""
    there = {each.id: each for each in after.learners}
    for learner in before.learners:
        if learner.id in there:
            old, new = before.of(learner), after.of(there[learner.id])
            for id in dict.fromkeys([*old.rows, *new.rows]):
                if old.mark(id) != new.mark(id):
                    was, now = ("none" if mark is None else score(mark) for mark in (old.mark(id), new.mark(id)))
                    what = f"{safe_line(learner.id)}  {safe_line(id)}  {was} -> {now}"
                    yield learner.id, f"{what}  ({_reason(id, old, new)})"


def _reason(id: str, old: Result, new: Result) -> str:
    """What a result depends on and differs, in words."""
    if id not in old.rows or id not in new.rows:
        return "the exercises that were chosen, or that the course has"
    depends_on = []
    for row in (old.rows[id], new.rows[id]):
        is_fault = row.result.status == "error"
        depends_on.append(terms_of(row.run, id) | {"what was handed in": row.digest, "a fault of the grader": is_fault})
    return " and ".join(causes(*depends_on)) or "the policy, the roster or what is set by hand"


def compared(one: Path, other: Path | None, course: Course) -> Iterator[str]:
    """Yield lines on the differences of two graded classes; of one class, between its last run and the one before.

    Raises KataError when one cannot be read, or there is only one run.
    """
    with reading(one) as first, reading(other or one) as second:
        names = (str(one), str(other)) if other else ("the run before", "the last run")
        earlier = first.last if other else first.runs.get(first.last.id - 1)
        if earlier is None:
            raise KataError(
                f"{one} holds one run: there is nothing to compare it with. Another folder: kata diff {one} OTHER"
            )
        before, after = ClassResults(first, course, earlier), ClassResults(second, course)
        terms = differences(before.run, after.run)
        yield f"On other terms: {'; '.join(terms)}." if terms else "On the same terms."
        old, new = ([each.id for each in results.learners] for results in (before, after))
        for name, mine, theirs in zip(names, (old, new), (new, old), strict=True):
            if alone := [learner for learner in mine if learner not in theirs]:
                yield f"Only in {name}: {', '.join(map(safe_line, alone))}."
        moves = list(moves_between(before, after))
        yield from (f"  {move}" for _, move in moves)
        moved, both = len({learner for learner, _ in moves}), len(set(old) & set(new))
        yield f"{counted(len(moves), 'difference')}, of {moved} of {counted(both, 'learner')} in both."
