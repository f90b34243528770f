"""A broken course.yml: every error in one go, each with its line, in words an author understands."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from grader.course import CourseError, load_course

SOUND = """\
title: Tiny course
version: "1.0"
documents:
  notes:
    title: Notes on nothing
    author: Nobody
    language: English
limits:
  seconds: 10
units:
  - folder: 01_first
    title: First steps
    exercises:
      - id: one
        number: 1
        kind: implement
        title: The first
        points: 2
        document: notes
        step: page 1
        entry_points: [one]
        hints: [vague, clearer, almost code]
      - id: two
        number: 2
        kind: debug
        title: The second
        points: 3.5
        requires: [one]
        document: notes
        step: page 2
        entry_points: [Two]
        limits:
          memory_mb: 1500
        hints: [faint, brighter, nearly there]
  - folder: 02_second
    title: Second steps
    extra_credit: true
    exercises:
      - id: three
        number: 1
        kind: implement
        title: The third
        points: 4
        requires: [one, two]
        document: notes
        step: page 3
        entry_points: [three]
        forbidden:
          calls: [softmax]
          operators: ["aten::_softmax"]
          reason: you write it
        hints: [cold, warm, hot]
"""


@dataclass(frozen=True)
class Broken:
    """A file and what is said about it: one sentence a line, after the name of the file."""

    text: str | bytes
    says: str


def changed(*changes: tuple[str, str], says: str) -> Broken:
    """The sound file with changes, each of something that stands in it."""
    text = SOUND
    for old, new in changes:
        assert old in text, f"{old!r} is not in the sound file"
        text = text.replace(old, new, 1)
    return Broken(text, says)


NOT_YAML = {
    "a colon in the text": changed(
        ("title: Tiny course", "title: Tiny: course"),
        says="1: a `:` is not allowed here: put the text in quotes, or mend the indentation",
    ),
    "a line indented too far": changed(
        ("    author: Nobody", "      author: Nobody"),
        says="6: a `:` is not allowed here: put the text in quotes, or mend the indentation",
    ),
    "a line indented too little": changed(
        ("    author: Nobody", "   author: Nobody"),
        says="6: this does not fit the lines above: mend the indentation, or the quotes",
    ),
    "a tab for indentation": changed(
        ("  seconds: 10", "\tseconds: 10"), says="9: a tab is not allowed here: indent with spaces"
    ),
    "a tab deeper in the file": changed(
        ("    title: First steps", "\t\ttitle: First steps"),
        says="12: a tab is not allowed here: indent with spaces",
    ),
    "a key without its colon": changed(
        ("author: Nobody", "author Nobody"), says="6: this line is not of the form `key: value`"
    ),
    "an open double quote": changed(
        ('"1.0"', '"1.0'), says="2: the quote that opens here is not closed before line 50"
    ),
    "an open single quote": changed(
        ("author: Nobody", "author: 'Nobody"), says="6: the quote that opens here is not closed"
    ),
    "text after a quote": changed(
        ("author: Nobody", "author: 'Nobody' else"),
        says="6: this does not fit the lines above: mend the indentation, or the quotes",
    ),
    "an open list": changed(
        ("entry_points: [one]", "entry_points: [one"),
        says="21: the list that opens here with `[` is not closed",
    ),
    "an open mapping": changed(
        ("entry_points: [one]", "entry_points: {one: 1"),
        says="21: the mapping that opens here with `{` is not closed",
    ),
    "a value that begins with a sign of YAML's": changed(
        ("step: page 1", "step: %one"), says="20: a value may not begin with `%`: put it in quotes"
    ),
    "a value that begins with a star": changed(
        ("step: page 1", "step: * one"), says="20: a value may not begin with `*` or `&`: put it in quotes"
    ),
    "an entry left out": changed(
        ("[vague, clearer, almost code]", "[vague, , almost code]"),
        says="22: a value is missing before this `,`",
    ),
    "a block of text that begins too early": changed(
        ("step: page 1", "step: | page 1"), says="20: text after `|` or `>` must begin on the next line"
    ),
    "a list with a key beneath it": Broken(
        "- one\ntitle: Tiny\n", "2: this does not fit the lines above: mend the indentation, or the quotes"
    ),
    "a mapping with a stray indentation before it": Broken(
        "  title: Tiny\nversion: 1\n",
        "2: this does not fit the lines above: mend the indentation, or the quotes",
    ),
    "an unknown escape": changed(
        ("step: page 1", r'step: "\d"'),
        says="20: a backslash does not belong in double quotes: use single quotes",
    ),
    "a second document": Broken(
        SOUND + "---\ntitle: Another\n",
        "53: a second document begins here (`---`): the file may hold only one",
    ),
    "brackets without end": Broken("a: " + "[" * 900_000, "1: this is nested more than 20 levels deep"),
    "steps without end": Broken(
        "\n".join(" " * depth + "a:" for depth in range(400)), "22: this is nested more than 20 levels deep"
    ),
}

NO_COURSE = {
    "nothing": Broken("", "1: the file is empty"),
    "only a comment": Broken("# soon\n", "1: the file is empty"),
    "a list": Broken("- title\n", "1: the file must be a mapping (lines of `key: value`), not a list"),
    "a word": Broken("hello\n", "1: the file must be a mapping (lines of `key: value`), not text"),
    "binary garbage": Broken(
        b"\x89PNG\r\n\x1a\n\xff\xfe\x00\x01", "1: this is not text in UTF-8: save the file as UTF-8"
    ),
    "a control character": Broken(
        "title: a\nversion: b\x00\n", "2: the character U+0000 does not belong in a text file: take it out"
    ),
    "Latin-1": Broken(
        "title: a\nversion: café\n".encode("latin-1"), "2: this is not text in UTF-8: save the file as UTF-8"
    ),
    "UTF-16": Broken(SOUND.encode("utf-16"), "1: this is not text in UTF-8: save the file as UTF-8"),
    "an alias bomb": Broken(
        "title: &a [x, x, x, x]\nversion: &b [*a, *a, *a]\nlimits: &c [*b, *b]\n"
        "policy: [*c, *c]\nunits: [*c]\ndocuments: *a\n",
        """\
1: `title` must be text, not a list
2: the alias `*a` is not allowed here: write its value out
2: `version` must be text, not a list
3: the alias `*b` is not allowed here: write its value out
3: `limits` must be a mapping (lines of `key: value`), not a list
4: the alias `*c` is not allowed here: write its value out
4: `policy` must be a mapping (lines of `key: value`), not a list
5: the alias `*c` is not allowed here: write its value out
6: the alias `*a` is not allowed here: write its value out""",
    ),
    "an alias of itself": changed(
        ("documents:\n", "documents: &all\n"),
        ("  notes:\n", "  others: *all\n  notes:\n"),
        says="4: the alias `*all` is not allowed here: write its value out",
    ),
}

KEYS = {
    "misspelt ones": changed(
        ("seconds: 10", "secnds: 10"),
        ("points: 2", "pionts: 2"),
        ("memory_mb", "memory"),
        ("extra_credit", "extracredit"),
        ("reason", "raeson"),
        says="""\
9: unknown key `secnds`: did you mean `seconds`?
18: unknown key `pionts`: did you mean `points`?
33: unknown key `memory`: did you mean `memory_mb`?
37: unknown key `extracredit`: did you mean `extra_credit`?
51: unknown key `raeson`: did you mean `reason`?""",
    ),
    "unknown ones like no other": changed(
        ("title: Tiny course", "title: Tiny course\ncolour: red"),
        ("language: English", "language: English\n    year: 1999"),
        says="""\
2: unknown key `colour`; the keys here are \
`title`, `version`, `documents`, `limits`, `submission_seconds`, `submission_cpu_seconds`, `policy`, `units`
9: unknown key `year`; the keys here are `title`, `author`, `language`""",
    ),
    "ones that are ours to fill in": changed(
        ("title: Tiny course", "title: Tiny course\nroot: /"),
        ("number: 1", "unit: 01_first\n        number: 1"),
        says="""\
2: unknown key `root`: it follows from where the file stands
16: unknown key `unit`: it follows from where the file stands""",
    ),
    "given twice": changed(
        ("step: page 1", "step: page 1\n        step: page 7\n        step: [8]"),
        ('version: "1.0"', 'version: "1.0"\ntitle: Again'),
        says="""\
3: `title` is given twice (first on line 1)
22: `step` is given twice (first on line 21)
23: `step` is given twice (first on line 21)""",
    ),
    "that are no text": changed(
        ("step: page 1", "step: page 1\n        5: five\n        yes: no\n        ?\n        : none"),
        ("title: The second", "title: The second\n        ? [a, b]\n        : c"),
        says="""\
21: the key `5` must be text: put it in quotes
22: the key `yes` must be text: put it in quotes
23: there is no key before the `:`
31: a key must be text, not something with parts or an alias""",
    ),
    "that would print badly": changed(
        ("step: page 1", 'step: page 1\n        "\\e[31mred": 1\n        "\\ud800": 2'),
        says="""\
21: unknown key `\N{REPLACEMENT CHARACTER}[31mred`; the keys here are \
`id`, `number`, `kind`, `title`, `points`, `requires`, `fast_track`, `document`, `step`, `entry_points`, `forbidden`, \
`limits`, `hints`
22: this key holds an escape that stands for no character""",
    ),
    "a merge key": changed(
        ("seconds: 10", "<<: {seconds: 10}"),
        says="9: unknown key `<<`; the keys here are `request_seconds`, `seconds`, `cpu_seconds`, "
        "`memory_mb`, `output_kb`, `source_kb`, `reply_mb`",
    ),
    "all missing": Broken(
        "{}",
        """\
1: `title` is missing from the course
1: `version` is missing from the course
1: `documents` is missing from the course
1: `units` is missing from the course""",
    ),
    "missing here and there": changed(
        ("    language: English\n", ""),
        ("    title: First steps\n", ""),
        ("        points: 2\n", ""),
        ("        hints: [vague, clearer, almost code]\n", ""),
        ("      - id: two\n        number: 2\n", "      - number: 2\n"),
        ("        requires: [one, two]\n", ""),
        ("          reason: you write it\n", ""),
        says="""\
4: `language` is missing from document `notes`
10: `title` is missing from unit `01_first`
12: `points` is missing from exercise `one`
12: `hints` is missing from exercise `one`
19: `id` is missing from this exercise
42: `reason` is missing from `forbidden`""",
    ),
}

TYPES = {
    "wrong all over the file": changed(
        ("title: Tiny course", "title: 5"),
        ('version: "1.0"', "version: 1.0"),
        ("author: Nobody", "author: [Nobody]"),
        ("seconds: 10", "seconds: ten"),
        ("number: 1", "number: 1.5"),
        ("kind: implement", "kind: 3"),
        ("title: The first", "title: {a: b}"),
        ("points: 2", 'points: "2"'),
        ("entry_points: [one]", "entry_points: one"),
        ("[vague, clearer, almost code]", "[vague, 2, almost code]"),
        ("points: 3.5", "points: true"),
        ("requires: [one]", "requires: one"),
        ("step: page 2", "step: yes"),
        ("memory_mb: 1500", "memory_mb: [1500]"),
        ("extra_credit: true", "extra_credit: 1"),
        ("calls: [softmax]", "calls: [softmax, 3]"),
        says="""\
1: `title` must be text, not a number: put it in quotes
2: `version` must be text, not a number: put it in quotes
6: `author` must be text, not a list
9: `seconds` must be a number, not the text `ten`
15: `number` must be a whole number, not `1.5`
16: `kind` must be `implement` or `debug`, not a number
17: `title` must be text, not a mapping
18: `points` must be a number, not the text `2`
21: `entry_points` must be a list, not text
22: entry 2 of `hints` must be text, not a number: put it in quotes
27: `points` must be a number, not a yes or no
28: `requires` must be a list, not text
30: `step` must be text, not a yes or no: put it in quotes
33: `memory_mb` must be a whole number, not a list
37: `extra_credit` must be true or false, not a number
49: entry 2 of `calls` must be text, not a number: put it in quotes""",
    ),
    "empty values": changed(
        ("title: Tiny course", "title:"),
        ("limits:\n  seconds: 10", "limits:"),
        ("points: 2", "points: ~"),
        ("entry_points: [one]", "entry_points:"),
        ("step: page 2", "step: ''"),
        ("memory_mb: 1500", "memory_mb:"),
        ("reason: you write it", "reason: ' '"),
        says="""\
1: `title` is empty
8: `limits` is empty
17: `points` is empty
20: `entry_points` is empty
29: `step` must not be blank
32: `memory_mb` is empty
50: `reason` must not be blank""",
    ),
    "the wrong shape of things": Broken(
        "title: a\nversion: b\ndocuments: [x]\nunits:\n  - 5\n  - folder: 01_a\n    title: A\n"
        "    exercises:\n      one: 1\n  - folder: 02_b\n    title: B\n    exercises: [[]]\n",
        """\
3: `documents` must be a mapping (lines of `key: value`), not a list
5: entry 1 of `units` must be a mapping (lines of `key: value`), not a number
8: `exercises` must be a list, not a mapping
12: entry 1 of `exercises` must be a mapping (lines of `key: value`), not a list""",
    ),
    "no units": Broken("title: a\nversion: b\ndocuments: {}\nunits: []\n", "4: `units` must hold at least one unit"),
    "a unit without exercises": changed(
        ("units:\n", "units:\n  - folder: 00_zero\n    title: Zero\n    exercises: []\n"),
        says="13: `exercises` must hold at least one exercise",
    ),
    "a tag that would build an object": changed(
        ("step: page 1", "step: !!python/object/apply:os.system [ls]"),
        says="20: the tag `!!python/object/apply:os.system` is not allowed here: leave it out",
    ),
    "an escape that is half a character": changed(
        ("step: page 1", r'step: "\ud800"'),
        says="20: `step` holds an escape that stands for no character",
    ),
    "a title of two lines": changed(
        ("title: Tiny course", 'title: "Tiny\\ncourse"'),
        says="1: `title` must be one line of ordinary text, not `Tiny\N{REPLACEMENT CHARACTER}course`",
    ),
}

VALUES = {
    "points": changed(
        ("points: 2", "points: 0"),
        ("points: 3.5", "points: .nan"),
        ("points: 4", "points: .inf"),
        says="""\
18: `points` must be more than 0 and at most 1000, not `0`
27: `points` must be more than 0 and at most 1000, not `nan`
43: `points` must be more than 0 and at most 1000, not `inf`""",
    ),
    "negative points": changed(
        ("points: 2", "points: -1"), says="18: `points` must be more than 0 and at most 1000, not `-1`"
    ),
    "number": changed(
        ("number: 1", "number: 0"),
        ("number: 2", "number: 100"),
        says="15: `number` must be from 1 to 99, not `0`\n24: `number` must be from 1 to 99, not `100`",
    ),
    "numbers that YAML reads in its own way": changed(
        ("seconds: 10", "seconds: 99999999999999999999"),
        ("number: 1", "number: 010"),
        ("points: 2", "points: 1_0"),
        ("number: 2", "number: 08"),
        ("points: 3.5", "points: 1:30"),
        ("points: 4", "points: 0x10"),
        says="""\
9: `seconds` must be a plain decimal number, not `99999999999999999999`
15: `number` must be a plain decimal number, not `010`
18: `points` must be a plain decimal number, not `1_0`
24: `number` must be a whole number, not the text `08`
27: `points` must be a plain decimal number, not `1:30`
43: `points` must be a plain decimal number, not `0x10`""",
    ),
    "limits, the course's and an exercise's": changed(
        ("seconds: 10", "seconds: -1"),
        ("memory_mb: 1500", "memory_mb: 0\n          request_seconds: .inf\n          cpu_seconds: 1.5"),
        says="""\
9: `seconds` must be more than 0 and at most 1000000, not `-1`
33: `memory_mb` must be more than 0 and at most 1000000, not `0`
34: `request_seconds` must be more than 0 and at most 1000000, not `inf`
35: `cpu_seconds` must be a whole number, not `1.5`""",
    ),
    "policy": changed(
        ("limits:\n", "policy:\n  hints_cost_points: -1\nlimits:\n"),
        says="9: `hints_cost_points` must be from 0 to 1000, not `-1`",
    ),
    "due dates": changed(
        (
            "limits:\n",
            """\
policy:
  due:
    01_first: 2026-03-01 12:00
    02_secnd: 2026-03-01 12:00 +01:00
    02_second: 2026-03-01
  late_percent_per_day: -10
  late_percent_at_most: .nan
  grace_minutes: 1.5
  lateness: 3
limits:
""",
        ),
        says="""\
10: nobody knows in which time zone `2026-03-01 12:00` is: add `time_zone` to the policy, or write `2026-03-01 12:00 +01:00`
11: there is no unit `02_secnd` to be due: did you mean `02_second`?
12: `02_second` must be a date and a time such as `2026-03-01 12:00`, not `2026-03-01`
13: `late_percent_per_day` must be from 0 to 100, not `-10`
14: `late_percent_at_most` must be from 0 to 100, not `nan`
15: `grace_minutes` must be a whole number, not `1.5`
16: unknown key `lateness`; the keys here are `hints_cost_points`, `time_zone`, `due`, `late_percent_per_day`, \
`late_percent_at_most`, `grace_minutes`, `attempts`, `attempts_at_most`, `exempt`, `drop_lowest_units`""",
    ),
    "lateness without due dates, and a time zone that is none": changed(
        (
            "limits:\n",
            "policy:\n  time_zone: Europe/Viena\n  late_percent_per_day: 10\n  grace_minutes: 20000\nlimits:\n",
        ),
        says="""\
9: `time_zone` must be a time zone such as `Europe/Vienna`, and one that this machine knows, not `Europe/Viena`
10: `late_percent_per_day` means nothing without `due`
11: `grace_minutes` means nothing without `due`
11: `grace_minutes` must be from 0 to 10080, not `20000`""",
    ),
    "id": changed(
        ("id: three", "id: ../Three"),
        says="39: `id` must be small letters, digits and `_`, begin with a letter, and be at most 60 long, "
        "not `../Three`",
    ),
    "folder": changed(
        ("folder: 01_first", "folder: ../01_first"),
        ("folder: 02_second", "folder: 02_second/part"),
        says="""\
11: `folder` must be two digits, `_` and small letters, such as `01_soft_lookup`, not `../01_first`
35: `folder` must be two digits, `_` and small letters, such as `01_soft_lookup`, not `02_second/part`""",
    ),
    "folder that is a way up": changed(
        ("folder: 01_first", "folder: .."),
        says="11: `folder` must be two digits, `_` and small letters, such as `01_soft_lookup`, not `..`",
    ),
    "kind": changed(
        ("kind: implement", "kind: implment"),
        says="16: `kind` must be `implement` or `debug`, not `implment`: did you mean `implement`?",
    ),
    "entry points": changed(
        ("entry_points: [one]", "entry_points: [my-class, class, 1st, a.b]"),
        ("entry_points: [Two]", "entry_points: []"),
        says="""\
21: entry 1 of `entry_points` must be a Python name, not `my-class`
21: entry 2 of `entry_points` must be a Python name, not `class`
21: entry 3 of `entry_points` must be a Python name, not `1st`
21: entry 4 of `entry_points` must be a Python name, not `a.b`
31: `entry_points` must name at least one entry point""",
    ),
    "hints": changed(
        ("[vague, clearer, almost code]", "[vague, clearer]"),
        ("[faint, brighter, nearly there]", "[a, b, c, d]"),
        ("[cold, warm, hot]", "[cold, '', hot]"),
        says="""\
22: `hints` must be exactly three, from vague to almost-code
34: `hints` must be exactly three, from vague to almost-code
52: entry 2 of `hints` must not be blank""",
    ),
    "hints on lines of their own": changed(
        ("hints: [cold, warm, hot]", "hints:\n          - cold\n          - 5\n          - hot"),
        says="54: entry 2 of `hints` must be text, not a number: put it in quotes",
    ),
    "forbidden": changed(
        ("calls: [softmax]", "calls: [F.softmax]"),
        ("aten::_softmax", "softmax"),
        says="""\
49: entry 1 of `calls` must be a Python name, not `F.softmax`
50: entry 1 of `operators` must be a torch operator such as `aten::_softmax`, not `softmax`""",
    ),
    "forbidden without anything": changed(
        ('          calls: [softmax]\n          operators: ["aten::_softmax"]\n', ""),
        says="48: `forbidden` must name `calls` or `operators`",
    ),
}

BETWEEN_ENTRIES = {
    "an id given twice": changed(
        ("id: three", "id: two"),
        ("requires: [one, two]", "requires: [one]"),
        says="39: exercise `two` is given twice (first on line 23)",
    ),
    "a number given twice": changed(
        ("number: 2", "number: 1"), says="24: number 1 is taken by the exercise on line 15"
    ),
    "numbers out of order": changed(("number: 1", "number: 3"), says="24: number 2 must stand before number 3"),
    "a folder given twice": changed(
        ("folder: 02_second", "folder: 01_first"),
        says="35: unit `01_first` is given twice (first on line 11)",
    ),
    "a folder's number given twice": changed(
        ("folder: 02_second", "folder: 01_second"), says="35: number 01 is taken by unit `01_first`"
    ),
    "folders out of order": changed(
        ("folder: 01_first", "folder: 03_first"), says="35: unit `02_second` must stand before `03_first`"
    ),
    "an unknown document": changed(
        ("document: notes", "document: note"),
        ("document: notes", "document: zzz"),
        says="19: there is no document `note`: did you mean `notes`?\n29: there is no document `zzz`",
    ),
    "requires what is unknown, named twice, and itself": changed(
        ("requires: [one]", "requires: [ones, one, one, two, zzz]"),
        says="""\
28: there is no exercise `ones` to require: did you mean `one`?
28: `one` is named twice in `requires`
28: exercise `two` requires itself
28: there is no exercise `zzz` to require""",
    ),
    "requires one of a later unit": changed(
        ("requires: [one]", "requires: [three]"),
        ("requires: [one, two]", "requires:\n          - one"),
        says="28: `two` cannot require `three`, which comes in a later unit",
    ),
    "requires in a circle": changed(
        ("number: 1", "number: 1\n        requires: [three]"),
        ("requires: [one, two]", "requires: [two]"),
        says="16: `one` requires itself in a circle: one > three > two > one",
    ),
    "an error in one entry hides none between entries": changed(
        ("points: 2", "points: many"),
        ("id: three", "id: two"),
        ("requires: [one]", "requires: [nothing]"),
        ("document: notes", "document: nowhere"),
        says="""\
18: `points` must be a number, not the text `many`
19: there is no document `nowhere`
28: there is no exercise `nothing` to require
39: exercise `two` is given twice (first on line 23)
44: exercise `two` requires itself""",
    ),
}

ALL = {
    f"{group}: {name}": broken
    for group, table in {
        "not YAML": NOT_YAML,
        "no course": NO_COURSE,
        "keys": KEYS,
        "types": TYPES,
        "values": VALUES,
        "between entries": BETWEEN_ENTRIES,
    }.items()
    for name, broken in table.items()
}


def complaint(folder: Path, content: str | bytes) -> str:
    path = folder / "course.yml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CourseError) as caught:
        load_course(path)
    return str(caught.value)


def test_the_sound_file_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "course.yml"
    path.write_text(SOUND, encoding="utf-8")

    assert [exercise.id for exercise in load_course(path).exercises] == ["one", "two", "three"]


@pytest.mark.parametrize("broken", ALL.values(), ids=ALL)
def test_every_error_is_told_with_its_line(broken: Broken, tmp_path: Path) -> None:
    expected = [f"course.yml:{line}" for line in broken.says.splitlines()]

    assert complaint(tmp_path, broken.text).splitlines() == expected


@pytest.mark.parametrize("broken", NOT_YAML.values(), ids=NOT_YAML)
def test_the_wording_is_the_same_without_libyaml(
    broken: Broken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.course.source._FAST", yaml.SafeLoader)

    assert complaint(tmp_path, broken.text) == f"course.yml:{broken.says}"


def test_an_escape_beyond_unicode_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML's own parser stumbles over it, and only libyaml knows the line."""
    text = SOUND.replace("page 1", r'"\UFFFFFFFF"')

    assert complaint(tmp_path, text) in (
        "course.yml:20: this escape stands for no character",
        "course.yml:1: this is not YAML: something is missing or too much here or just before",
    )
    monkeypatch.setattr("grader.course.source._FAST", yaml.SafeLoader)
    assert complaint(tmp_path, text).startswith("course.yml:1: this is not YAML")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"^course\.yml: there is no such file in ") as caught:
        load_course(tmp_path / "course.yml")

    assert str(caught.value).endswith(str(tmp_path))


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "course.yml").mkdir()

    with pytest.raises(CourseError, match=r"^course\.yml: this is a folder, not a file$"):
        load_course(tmp_path / "course.yml")


def test_a_file_of_more_than_a_megabyte_is_not_read(tmp_path: Path) -> None:
    assert complaint(tmp_path, "#" * 1_000_001) == "course.yml: the file is larger than 1 MB"


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_in_the_file_the_answer_is_sentences(seed: int, tmp_path: Path) -> None:
    """Mangle the sound file at random: it loads, or it is refused in our words."""
    draw = random.Random(seed)
    path = tmp_path / "course.yml"
    scraps = ["\t", *"[]{}'\"~5\\\n", ": ", "- ", "? ", "| ", "*a", "&a ", "!!x ", "yes", "aten"]
    for _ in range(10):
        text = SOUND
        for _ in range(draw.randint(1, 4)):
            start = draw.randrange(len(text))
            text = text[:start] + draw.choice(scraps) + text[start + draw.randint(0, 3) :]
        path.write_text(text, encoding="utf-8")
        try:
            load_course(path)
        except CourseError as error:
            for line in str(error).splitlines():
                assert re.fullmatch(r"course\.yml:[1-9]\d*: \S.*", line), text
                assert not re.search(r"[Ii]nput|Field|pydantic|Traceback|has a value that cannot", line), text
