"""Golden records: what the maker beside each makes, valid against the published schema, stable to the byte.

After an intended change of the format: `python tests/record/test_golden.py` writes them and the schema anew.
"""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import jsonschema
import pytest

from grader.record import Record, record_schema

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = Path(__file__).parents[2] / "docs" / "record.schema.json"
MAKERS = sorted(GOLDEN.glob("*.py"))


def made_by(maker: Path) -> Record:
    record = runpy.run_path(str(maker))["record"]
    assert isinstance(record, Record)
    return record


def schema_text() -> str:
    return json.dumps(record_schema(), indent=2, ensure_ascii=False) + "\n"


@pytest.fixture(params=MAKERS, ids=lambda maker: maker.stem)
def maker(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_record_is_the_golden_one_to_the_byte(maker: Path) -> None:
    assert made_by(maker).to_json() + "\n" == maker.with_suffix(".json").read_text("utf-8")


def test_golden_record_is_valid_against_the_published_schema(maker: Path) -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    validator.validate(json.loads(maker.with_suffix(".json").read_text("utf-8")))


def test_reading_and_writing_a_record_gives_the_same_bytes(maker: Path) -> None:
    text = maker.with_suffix(".json").read_text("utf-8").removesuffix("\n")
    assert Record.from_json(text).to_json() == text


def test_a_record_is_one_line_for_every_reader(maker: Path) -> None:
    assert len(made_by(maker).to_json().splitlines()) == 1


def test_published_schema_is_the_models() -> None:
    assert SCHEMA.read_text("utf-8") == schema_text()


def test_example_in_the_documentation_is_a_record() -> None:
    text = (SCHEMA.parent / "formats.md").read_text("utf-8")
    example = text.split("```json\n")[1].split("```")[0]
    record = Record.from_json(example)
    assert json.loads(record.to_json()) == json.loads(example)


def test_schema_describes_every_field() -> None:
    schema = record_schema()
    fields = [field for part in (schema, *schema["$defs"].values()) for field in part["properties"].items()]
    assert fields
    assert [name for name, field in fields if not field.get("description") and "$ref" not in field] == []


def test_every_golden_record_has_its_maker() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == {path.stem for path in MAKERS}


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), "utf-8")
    for path in MAKERS:
        path.with_suffix(".json").write_text(made_by(path).to_json() + "\n", "utf-8")
