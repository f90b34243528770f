"""Golden records: valid against the published schema, and the same to the byte when they are read and written again.

After an intended change of the format: `python tests/record/test_golden.py` writes the schema anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.record import Record, totals

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))
SCHEMA = Path(__file__).parents[2] / "docs" / "record.schema.json"


def record_schema() -> dict[str, Any]:
    """The JSON Schema of a record."""
    schema = Record.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def schema_text() -> str:
    return json.dumps(record_schema(), indent=2, ensure_ascii=False) + "\n"


@pytest.fixture(params=GOLDEN, ids=lambda path: path.stem)
def text(request: pytest.FixtureRequest) -> str:
    path: Path = request.param
    return path.read_text("utf-8")


def test_golden_record_is_valid_against_the_published_schema(text: str) -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    validator.validate(json.loads(text))


def test_reading_and_writing_a_record_gives_the_same_bytes(text: str) -> None:
    assert Record.from_json(text).to_json() + "\n" == text
    assert len(text.splitlines()) == 1, "a record is one line for every reader"


def test_the_totals_are_those_of_the_exercises(text: str) -> None:
    record = Record.from_json(text)
    assert record.model_copy(update=totals(record.exercises)) == record


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


if __name__ == "__main__":
    SCHEMA.write_text(schema_text(), "utf-8")
