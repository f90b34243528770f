"""Grade every small slip in the references: `python scripts/mutation.py [ID ...]`.

A slip (a mutant) changes one operator, sign, constant, slice, comparison, variable or attribute, leaves out a
statement, call or argument, or changes an order. One that passes every check is no mistake, and
tests/mutants/survivors.yml says why, or it is a gap in the checks: then this script fails.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import yaml
from rich.progress import track

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge, Session
from grader.record import Record
from grader.sandbox.levels import Level

ROOT = Path(__file__).resolve().parent.parent
COURSE_FILE = ROOT / "course.yml"
REASONS_FILE = ROOT / "tests" / "mutants" / "survivors.yml"
ROUNDS_AT_A_TIME = 16
SEED = 2026

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
OTHER: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    **{ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,), ast.MatMult: (ast.Mult,)},
    **{ast.FloorDiv: (ast.Mult,), ast.Mod: (ast.FloorDiv,), ast.Pow: (ast.Mult,)},
    **{ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,), ast.And: (ast.Or,), ast.Or: (ast.And,)},
    **{ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt)},
    **{ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,)},
    **{ast.In: (ast.NotIn,), ast.NotIn: (ast.In,)},
}
SIDES_MATTER = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
EITHER_WAY_ROUND = {"transpose", "swapaxes"}
"""Calls whose first two arguments are interchangeable."""


@dataclass(frozen=True)
class Mutant:
    """A reference with one slip. `line` counts from 1; `was` and `now` are that line before and after."""

    kind: str
    line: int
    was: str
    now: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """Every mutant of the parts of a reference that learners write, ordered by line, without duplicates."""
    lines = source.splitlines()
    begins = [number for number, line in enumerate(lines) if line.strip() == BEGIN]
    ends = [number for number, line in enumerate(lines) if line.strip() == END]
    written = {number + 1 for begin, end in zip(begins, ends, strict=True) for number in range(begin + 1, end)}
    found: dict[str, Mutant] = {}
    for kind, node, text in slips(ast.parse(source)):
        changed = spliced(source, node, text)
        if node.lineno in written and changed != source and changed not in found and compiles(changed):
            end = (node.end_lineno or node.lineno) + len(changed.splitlines()) - len(lines)
            now = " ⏎ ".join(part.strip() for part in changed.splitlines()[node.lineno - 1 : end])
            found[changed] = Mutant(kind, node.lineno, lines[node.lineno - 1].strip(), now, changed)
    return sorted(found.values(), key=lambda mutant: mutant.line)


def compiles(source: str) -> bool:
    """Whether the source is valid Python."""
    with suppress(SyntaxError):
        return bool(ast.parse(source))
    return False


def spliced(source: str, node: ast.expr | ast.stmt, text: str) -> str:
    """The source with the text of one node replaced."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = source.encode()
    return (whole[:start] + text.encode() + whole[end:]).decode()


Slip = tuple[str, "ast.expr | ast.stmt", str]


def slips(tree: ast.Module) -> Iterator[Slip]:
    """Kind, node and replacement of every slip. A compound expression is put in brackets, so that it stays one."""
    for scope in ast.walk(tree):
        if isinstance(scope, ast.ClassDef):
            yield from other_names(scope, "another attribute", [])
        elif isinstance(scope, ast.FunctionDef):
            arguments = [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]
            yield from other_names(scope, "another variable", [each.arg for each in arguments if each.arg != "self"])
    for node in observable(tree):
        yield from statement_slips(node) if isinstance(node, ast.stmt) else expression_slips(node)


def other_names(scope: ast.AST, kind: str, names: list[str]) -> Iterator[Slip]:
    """A variable, or an attribute of self, replaced by its neighbours in the order in which they are made."""

    def name_of(node: ast.AST) -> str | None:
        match node:
            case ast.Name(id) if kind == "another variable":
                return id
            case ast.Attribute(ast.Name("self"), attribute) if kind == "another attribute":
                return attribute
        return None

    made = [name_of(node) for node in ast.walk(scope) if isinstance(getattr(node, "ctx", None), ast.Store)]
    names = list(dict.fromkeys([*names, *(name for name in made if name)]))
    for node in observable(scope):
        name = name_of(node)
        if name in names and isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            place = names.index(name)
            for other in dict.fromkeys((names[place - 1], names[(place + 1) % len(names)])):
                if other != name:
                    yield kind, node, other if isinstance(node, ast.Name) else f"self.{other}"


def observable(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below, except what no check can observe: type hints, docstrings, the texts of errors."""
    children: list[ast.AST | None]
    match node:
        case ast.Raise() | ast.arg():
            children = []
        case ast.Assert(test):
            children = [test]
        case ast.FunctionDef():
            children = [*node.args.defaults, *node.args.kw_defaults, *node.decorator_list, *node.body]
        case ast.AnnAssign():
            children = [node.target, node.value]
        case _:
            children = [*ast.iter_child_nodes(node)]
    for child in children:
        if child is not None and not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
            yield child
            yield from observable(child)


def statement_slips(node: ast.stmt) -> Iterator[Slip]:
    """The slips of one statement."""
    match node:
        case ast.AugAssign(target, operator, value):
            yield "left out", node, "pass"
            for other in OTHER.get(type(operator), ()):
                yield "another operator", node, ast.unparse(ast.AugAssign(target, other(), value))
            yield "assigned instead", node, f"{ast.unparse(target)} = {ast.unparse(value)}"
        case ast.Assign() | ast.Expr() | ast.Assert() | ast.Raise() | ast.Delete() | ast.Break() | ast.Continue():
            yield "left out", node, "pass"
        case ast.If(test) | ast.While(test):
            yield "never", test, "False"
            if isinstance(node, ast.If):
                yield "always", test, "True"
        case ast.Return(ast.Tuple([first, *others]) as result) if others:
            yield "another order", result, ", ".join(map(ast.unparse, [*others, first]))


def expression_slips(node: ast.AST) -> Iterator[Slip]:
    """The slips of one expression."""
    if not isinstance(node, ast.expr):
        return
    replacements: list[tuple[str, ast.AST]] = []
    match node:
        case ast.BinOp(left, operator, right):
            replacements = [("another operator", ast.BinOp(left, o(), right)) for o in OTHER.get(type(operator), ())]
            replacements += [("one side only", left), ("one side only", right)]
            if isinstance(operator, SIDES_MATTER):
                replacements.append(("sides swapped", ast.BinOp(right, operator, left)))
        case ast.UnaryOp(_, operand):
            replacements = [("sign or not left out", operand)]
        case ast.BoolOp(operator, values):
            replacements = [("another operator", ast.BoolOp(o(), values)) for o in OTHER[type(operator)]]
            replacements += [("one side only", value) for value in values]
        case ast.Compare(left, [operator], right):
            others = OTHER.get(type(operator), ())
            replacements = [("another comparison", ast.Compare(left, [other()], right)) for other in others]
        case ast.IfExp(_, body, orelse):
            replacements = [("one side only", body), ("one side only", orelse)]
        case ast.Constant(value):
            yield from (("another constant", node, other) for other in other_constants(value))
        case ast.Call():
            yield from call_slips(node)
        case ast.Subscript(value):
            yield "index left out", node, f"({ast.unparse(value)})"
            yield from slice_slips(node)
        case ast.Tuple(parts, ast.Load()):
            for at in range(len(parts) - 1):
                turned = [*parts[:at], parts[at + 1], parts[at], *parts[at + 2 :]]
                yield "another order", node, f"({', '.join(map(ast.unparse, turned))})"
    yield from ((kind, node, f"({ast.unparse(other)})") for kind, other in replacements)


def other_constants(value: object) -> list[str]:
    """Neighbours of a constant, as they are written."""
    match value:
        case bool():
            return [str(not value)]
        case int():
            return [str(value + 1), f"({value - 1})" if value < 1 else str(value - 1)]
        case float():
            return [repr(value * 0.5 if value else 1.0), repr(value * 2 if value else -1.0)]
        case str():
            return [repr(value + "_")]
    return ["0"] if value is None else []


def call_slips(node: ast.Call) -> Iterator[Slip]:
    """A call left out, arguments left out or swapped."""
    arguments, method = node.args, node.func if isinstance(node.func, ast.Attribute) else None
    if method:
        yield "call left out", node, f"({ast.unparse(method.value)})"
    if arguments and not isinstance(arguments[0], ast.Starred):
        yield "call left out", node, f"({ast.unparse(arguments[0])})"
    for keyword in node.keywords:
        others = [other for other in node.keywords if other is not keyword]
        yield "argument left out", node, ast.unparse(ast.Call(node.func, arguments, others))
    for at in range(1, len(arguments)):
        shorter = [*arguments[:at], *arguments[at + 1 :]]
        yield "argument left out", node, ast.unparse(ast.Call(node.func, shorter, node.keywords))
        if at > 1 or not (method and method.attr in EITHER_WAY_ROUND):
            swapped = [*arguments[: at - 1], arguments[at], arguments[at - 1], *arguments[at + 1 :]]
            yield "arguments swapped", node, ast.unparse(ast.Call(node.func, swapped, node.keywords))


def slice_slips(node: ast.Subscript) -> Iterator[Slip]:
    """A slice without its beginning or its end."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for at, part in enumerate(parts):
        if isinstance(part, ast.Slice):
            lower, upper = (ast.unparse(end) if end else "" for end in (part.lower, part.upper))
            for other in ([f":{upper}"] if lower else []) + ([f"{lower}:"] if upper else []):
                written = [*map(ast.unparse, parts[:at]), other, *map(ast.unparse, parts[at + 1 :])]
                yield "another slice", node, f"{ast.unparse(node.value)}[{', '.join(written)}]"


def grade_part(level: Level, rounds: Sequence[dict[str, Mutant]]) -> list[tuple[str, Mutant, str]]:
    """In a process of its own, grade submissions of one mutant an exercise: the ids, mutants and statuses."""
    Session.diagnosis = lambda session: []  # type: ignore[method-assign]  # naming takes most of the time
    course = load_course(COURSE_FILE)
    judge = Judge(course, level, SEED, sorted({id for each in rounds for id in each}))
    submissions = [
        Submission(f"mutants {number}", {id: SourceFile(id, id, each[id].source.encode()) for id in each}, ())
        for number, each in enumerate(rounds)
    ]
    records: list[Record] = []
    try:
        judge.grade(submissions, records.append)
    finally:
        judge.close()
    return [
        (result.id, each[result.id], result.status)
        for each, record in zip(rounds, records, strict=True)
        for result in record.exercises
        if result.id in each
    ]


def main() -> None:
    """Grade, count by exercise, name the gaps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth mutant, as a quick look")
    parser.add_argument("--isolation", default="process", choices=["full", "reduced", "process"])
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    course = load_course(COURSE_FILE)
    ids = options.ids or [exercise.id for exercise in course.exercises]
    sources = {id: course.solution_path(course.exercise(id)).read_text(encoding="utf-8") for id in ids}
    chosen = {id: mutants(source)[options.every // 2 :: options.every] for id, source in sources.items()}
    most = max(map(len, chosen.values()))
    rounds = [{id: own[number] for id, own in chosen.items() if number < len(own)} for number in range(most)]
    size = min(ROUNDS_AT_A_TIME, -(-len(rounds) // options.jobs))
    parts = [rounds[start : start + size] for start in range(0, len(rounds), size)]
    with ProcessPoolExecutor(options.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        done = track(pool.map(partial(grade_part, options.isolation), parts), "Mutants", total=len(parts))
        graded = [each for part in done for each in part]
    reasons = yaml.safe_load(REASONS_FILE.read_text(encoding="utf-8")) or {}
    known = {(id, entry["was"], entry["now"]) for id, entries in reasons.items() for entry in entries}
    gaps = 0
    for id, mutant, status in graded:
        if status == "error" or (status == "passed" and (id, mutant.was, mutant.now) not in known):
            gaps += 1
            print(f"{id}:{mutant.line}: {mutant.kind} ({status})\n  - {mutant.was}\n  + {mutant.now}")
    survived = sum(status == "passed" for *_, status in graded)
    print(f"{len(graded)} mutants of {len(ids)} exercises: {survived} survive, {gaps} of them without a reason")
    sys.exit(bool(gaps))


if __name__ == "__main__":
    main()
