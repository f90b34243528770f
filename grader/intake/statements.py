"""Cuts Python text into top-level statements by regular expressions: what each binds and mentions, and which exercise
the text answers, by its first line or else by its definitions.

This is not a parser and decides nothing about a mark. It distinguishes a `def` from one quoted in a docstring, and
takes time in proportion to the text, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from grader.course import Exercise

from .clock import look_at_clock
from .names import ExerciseNames

StatementKind = Literal["definition", "import", "future", "assignment", "other"]

# What matters for finding logical lines: a comment, a joined line, a line's end, the start of a string.
_MARK = re.compile(r"""\#|\\\n|\n|'''|\"""|'|\"""")
_STRING_END = {
    quote: re.compile(rf"\\.|{quote}" + (r"|\n" if len(quote) == 1 else ""), re.DOTALL)
    for quote in ("'", '"', "'''", '"""')
}
_F_STRING = re.compile(r"(?<!\w)(?:f|rf|fr)\Z", re.IGNORECASE)

_WORD = r"[^\W\d]\w*"
# IPython's own syntax: %magic, !command, ?help, help?, name = !command. `% b` with a blank is Python's remainder.
_MAGIC = re.compile(
    r"[ \t]*(?=\S)(?:%{1,2}[^\W\d]|!|\?|[\w.%*]+\?{1,2}[ \t]*(?:\n|\Z)|\w[\w, ]*=[ \t]*(?:![^=]|%[^\W\d]))"
)
_DEFINITION = re.compile(rf"(?:async[ \t]+def|def|class)[ \t]+({_WORD})[ \t]*[(:\[]")
_FUTURE = re.compile(r"from[ \t]+__future__[ \t]+import\b")
_IMPORT = re.compile(r"(?:import|from)[ \t]+[^;]*")
_IMPORTED = re.compile(r"\A(?:from\b.*?\bimport\b|import\b)", re.DOTALL)
_ASSIGNMENT = re.compile(rf"({_WORD}(?:[ \t]*,[ \t]*{_WORD})*)[ \t]*(?::[^=\n]*)?=(?!=)")
# A name that must exist already: not an attribute, not a target, not the name of a keyword argument.
_MENTION = re.compile(rf"(?<![\w.]){_WORD}\b(?![ \t]*=(?!=))")
# Names that a statement binds for itself: loop variables, parameters, targets.
_LOOP_OR_LAMBDA = re.compile(r"\bfor\b([^:]{1,80}?)\bin\b|\blambda\b([^:\n]{0,80}):")
_PARAMETERS = re.compile(rf"\bdef[ \t]+{_WORD}[ \t]*\(([^)]{{0,2000}})")
_PARAMETER = re.compile(rf"(?:\A|[,*])\s*({_WORD})")
_TARGETS = re.compile(rf"^[ \t]+({_WORD}(?:[ \t]*,[ \t]*{_WORD})*)[ \t]*=(?!=)", re.MULTILINE)


class Line(NamedTuple):
    """One logical line, which may span several lines of text through brackets, long strings and backslashes.

    `code` is the text without comments, strings and inner line ends; "" for IPython's own lines.
    """

    text: str
    code: str
    is_magic: bool = False


@dataclass(frozen=True)
class Statement:
    """A top-level statement with its indented lines; `binds` contains `*` for a star import."""

    kind: StatementKind
    text: str
    binds: frozenset[str]
    mentions: frozenset[str]


def logical_lines(text: str) -> list[Line]:
    """Cut `text`, whose lines end with a line feed, into logical lines; joined, they are `text` again."""
    lines: list[Line] = []
    start = 0
    while start < len(text):
        look_at_clock()
        if _MAGIC.match(text, start):
            end = text.find("\n", start) + 1 or len(text)
            lines.append(Line(text[start:end], "", is_magic=True))
        else:
            end, code = _python_line(text, start)
            lines.append(Line(text[start:end], code))
        start = end
    return lines


def without_magics(text: str) -> str:
    """Return `text` with IPython's own lines commented out; the number of lines stays the same."""
    return "".join(_harmless(line.text) if line.is_magic else line.text for line in logical_lines(text))


def without_futures(text: str) -> str:
    """Return `text` with its imports from `__future__` commented out; the number of lines stays the same."""
    return "".join(
        re.sub(r"^(?=.)", "# ", line.text, flags=re.MULTILINE) if _FUTURE.match(line.code) else line.text
        for line in logical_lines(text)
    )


def statements(text: str) -> tuple[Statement, ...]:
    """Return the top-level statements of `text`, without the blank lines, comments and magics between them."""
    return tuple(_statement(block) for block in _blocks(logical_lines(text)))


def defined_names(found: Sequence[Statement]) -> frozenset[str]:
    """Return the names of the functions and classes among statements."""
    return frozenset().union(*(statement.binds for statement in found if statement.kind == "definition"))


def _python_line(text: str, start: int) -> tuple[int, str]:
    position, depth, code = start, 0, list[str]()
    while found := _MARK.search(text, position):
        plain = text[position : found.start()]
        depth += sum(map(plain.count, "([{")) - sum(map(plain.count, ")]}"))
        code.append(plain)
        mark, position = found.group(), found.end()
        if mark == "\n":
            if depth <= 0:
                return position, "".join(code)
            code.append(" ")
        elif mark == "#":
            end = text.find("\n", position)
            position = end if end >= 0 else len(text)
        elif mark == "\\\n":
            code.append(" ")
        else:
            position = _after_string(text, found.end(), mark)
            # names in an f-string count as mentioned
            inside = text[found.end() : position] if _F_STRING.search(plain) else ""
            code.append(f" {inside} ".replace("\n", " ") if inside else "''")
    code.append(text[position:])
    return len(text), "".join(code)


def _after_string(text: str, position: int, quote: str) -> int:
    for found in _STRING_END[quote].finditer(text, position):
        if found.group() == "\n":
            return found.start()
        if found.group() == quote:
            return found.end()
    return len(text)


def _harmless(magic: str) -> str:
    bare = magic.lstrip(" \t")
    indent = magic[: len(magic) - len(bare)]
    # it may be the only line in the body of an `if`
    return f"{indent}pass  # {bare}" if indent else f"# {bare}"


def _blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    block: list[Line] = []
    for line in lines:
        look_at_clock()
        if not line.code.strip():
            continue
        continues = line.code[0] in " \t" or (block and block[-1].code.startswith("@"))
        if block and not continues:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _statement(block: Sequence[Line]) -> Statement:
    code = "\n".join(line.code for line in block)
    text = "".join(line.text if line.text.endswith("\n") else line.text + "\n" for line in block)
    head = next((line.code for line in block if not line.code.startswith("@")), "")
    mentions = frozenset(_MENTION.findall(code))
    if found := _DEFINITION.match(head):
        return Statement("definition", text, frozenset({found[1]}), mentions - _own_names(code))
    if _FUTURE.match(head):
        return Statement("future", text, frozenset(), frozenset())
    if found := _IMPORT.match(head):
        # what follows a semicolon is not an import
        kept = text if len(found[0]) == len(head) else found[0].rstrip() + "\n"
        return Statement("import", kept, _imported_names(found[0]), frozenset())
    if found := _ASSIGNMENT.match(head):
        targets = frozenset(name.strip() for name in found[1].split(","))
        # a type annotation of the target is included
        value = frozenset(_MENTION.findall(code, found.end(1)))
        return Statement("assignment", text, targets, value - _own_names(code))
    return Statement("other", text, frozenset(), mentions - _own_names(code))


def _imported_names(code: str) -> frozenset[str]:
    listed = _IMPORTED.sub("", code).replace("(", " ").replace(")", " ")
    names = (part.split()[-1] for part in listed.split(",") if part.split())
    return frozenset(name if code.startswith("from") else name.partition(".")[0] for name in names)


def _own_names(code: str) -> frozenset[str]:
    listed = [part for pair in _LOOP_OR_LAMBDA.findall(code) for part in pair] + _TARGETS.findall(code)
    parameters = [name for header in _PARAMETERS.findall(code) for name in _PARAMETER.findall(header)]
    return frozenset(re.findall(_WORD, " ".join(listed))).union(parameters)


_WRITE_A_FILE = ("%%writefile", "%%file")
_NAME_AN_EXERCISE = "%%kata"
_QUOTES = "`'\":"
_BLANKS = " \t"
_LABEL = "exercise"


@dataclass(frozen=True)
class Finding:
    """The exercise that a text answers; or none, with advice if it could be one of several."""

    exercise: Exercise | None = None
    advice: str | None = None
    candidates: tuple[Exercise, ...] = ()


def exercise_of_text(text: str, names: ExerciseNames) -> Finding:
    """Return which exercise `text` answers, by its first line or by its definitions."""
    defined = defined_names(statements(text))
    named = named_exercise(text, defined, names)
    return Finding(named) if named else defining_exercise(defined, names)


def named_exercise(text: str, defined: frozenset[str], names: ExerciseNames) -> Exercise | None:
    """Return the exercise that the first non-empty line names, or None.

    That is a comment like `# 03_softmax.py` or `# exercise: softmax`, or a magic that writes the file. A comment with
    only the id may just be a heading, so it counts only above one of the exercise's entry points.
    """
    # split instead of a regular expression: a line may be as long as the file, and consist of `#` or blanks only
    first = text.lstrip().split("\n", 1)[0].rstrip()
    if first.startswith("#"):
        return _in_comment(first.lstrip("#"), defined, names)
    words = first.split(maxsplit=3)
    if words[1:2] == ["-a"] and words[0] in _WRITE_A_FILE and len(words) == 3:
        del words[1]
    if len(words) != 2:
        return None
    if words[0] in _WRITE_A_FILE:
        return names.by_file(_last_part(words[1]))
    return _by_any_name(words[1], names) if words[0] == _NAME_AN_EXERCISE else None


def _in_comment(comment: str, defined: frozenset[str], names: ExerciseNames) -> Exercise | None:
    """Return the exercise that a comment names with nothing else in it, except "exercise:" in front."""
    said, is_labelled = comment.strip(), False
    if said[: len(_LABEL)].lower() == _LABEL and (rest := said[len(_LABEL) :].lstrip(_BLANKS)).startswith(":"):
        said, is_labelled = rest[1:].lstrip(_BLANKS), True
    if len(said.split(maxsplit=1)) != 1:
        return None
    exercise = _by_any_name(said, names)
    is_meant = exercise and (
        is_labelled or _last_part(said) != exercise.id or defined.intersection(exercise.entry_points)
    )
    return exercise if is_meant else None


def defining_exercise(defined: frozenset[str], names: ExerciseNames) -> Finding:
    """Return the one exercise whose entry points are all defined; if there are several, advice instead of a guess."""
    known = defined.intersection(name for exercise in names.exercises for name in exercise.entry_points)
    whole = tuple(exercise for exercise in names.exercises if known.issuperset(exercise.entry_points))
    exact = tuple(exercise for exercise in whole if known == set(exercise.entry_points))
    candidates = exact or whole
    if not candidates:
        return Finding()
    if len(candidates) == 1:
        return Finding(candidates[0], candidates=candidates)
    ids = [exercise.id for exercise in candidates]
    listed = f"{', '.join(ids[:-1])} or {ids[-1]}"
    return Finding(
        advice=f"could be {listed}; say which in its first line, like `# {candidates[0].file_name}`",
        candidates=candidates,
    )


def _by_any_name(token: str, names: ExerciseNames) -> Exercise | None:
    bare = _last_part(token)
    return names.by_file(bare) or names.by_stem(bare)


def _last_part(path: str) -> str:
    return path.strip(_QUOTES).replace("\\", "/").rpartition("/")[2]
