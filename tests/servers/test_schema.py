"""What is kept of a schema, and what no schema may be."""

from __future__ import annotations

import pytest

from cococat.mcp.schema import Unusable, clean

OBJECT = {"type": "object"}


def parts(levels, times, word="allOf"):
    """A schema of few parts, each of which is the next one so many times."""
    made = {f"p{at}": {word: [{"$ref": f"#/$defs/p{at + 1}"}] * times} for at in range(levels)}
    return {**OBJECT, "properties": {"a": {"$ref": "#/$defs/p0"}}, "$defs": {**made, f"p{levels}": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        pytest.param(parts(9, 2), "500 parts", id="multiplied"),
        pytest.param(parts(18, 2, "anyOf"), "500 parts", id="multiplied-without-an-end-in-sight"),
        pytest.param(parts(150, 1), "20 levels", id="a-long-chain"),
        pytest.param({**OBJECT, "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}, "without an end", id="circle"),
        pytest.param({**OBJECT, "properties": {"a": {"$ref": "#/$defs/no"}}}, "not there", id="dangling"),
        pytest.param({**OBJECT, "x": {"a": {}}, "allOf": [{"$ref": "#/x/a"}]}, "not there", id="to-no-schema"),
        pytest.param({**OBJECT, "properties": {str(n): {} for n in range(501)}}, "more than 500", id="many"),
    ],
)
def test_references_are_counted_without_being_followed_to_their_end(schema, why):
    """Its tool is refused, with the reason, in a moment."""
    with pytest.raises(Unusable) as error:
        clean(schema)

    assert why in str(error.value)


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({**OBJECT, "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}}, id="a-tree"),
        pytest.param(
            {**OBJECT, "properties": {"a": {"$ref": "#/$defs/b~1c%20d"}}, "$defs": {"b/c d": {}}}, id="escaped"
        ),
        pytest.param({**OBJECT, "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": True}}, id="anything"),
        pytest.param(parts(6, 2), id="a-few-times"),
    ],
)
def test_references_that_lead_somewhere_are_kept(schema):
    """Those of a value that holds others of its kind have no end, and need none."""
    assert schema["properties"] == clean(schema)["properties"]
