"""A strict JSON Schema validator: the subset of 2020-12 that serve/api/openapi.json uses, and nothing else.

An unknown keyword is an error of the schema, not something to skip: a typo would check nothing. What the server sends
must be described: with `closed`, an object that lists its properties has no others.
"""
import re

TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}
ANNOTATIONS = {"description", "examples", "default", "format", "discriminator"}
KEYWORDS = ANNOTATIONS | {"type", "required", "properties", "additionalProperties", "items", "minItems", "enum",
                          "const", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "oneOf",
                          "anyOf", "$ref"}


class SchemaError(Exception):
    """The schema itself is wrong."""


def same(left, right):
    """As JSON: true is not 1."""
    return left == right and isinstance(left, bool) == isinstance(right, bool)


class Validator:
    """Checks values against schemas of one document, which `$ref` points into."""

    def __init__(self, document, closed=True):
        self.document = document
        self.closed = closed

    def resolve(self, reference):
        if not reference.startswith("#/"):
            raise SchemaError(f"{reference}: only references into the document are known")
        value = self.document
        for part in reference[2:].split("/"):
            try:
                value = value[part.replace("~1", "/").replace("~0", "~")]
            except (KeyError, TypeError):
                raise SchemaError(f"{reference} leads nowhere") from None
        return value

    def errors(self, value, schema, where="$"):
        """All that is wrong with a value, as sentences."""
        unknown = set(schema) - KEYWORDS
        if unknown:
            raise SchemaError(f"{where}: unknown keywords {sorted(unknown)}")
        if "$ref" in schema:
            return self.errors(value, self.resolve(schema["$ref"]), where)
        wrong = self.type_errors(value, schema, where)
        if wrong:
            return wrong
        wrong = [*self.value_errors(value, schema, where), *self.choice_errors(value, schema, where)]
        if isinstance(value, dict):
            wrong += self.object_errors(value, schema, where)
        if isinstance(value, list):
            wrong += self.array_errors(value, schema, where)
        return wrong

    @staticmethod
    def type_errors(value, schema, where):
        names = schema.get("type", list(TYPES))
        names = [names] if isinstance(names, str) else names
        if any(TYPES[name](value) for name in names):
            return []
        return [f"{where}: {value!r:.80} is not of type {' or '.join(names)}"]

    @staticmethod
    def value_errors(value, schema, where):
        if "enum" in schema and not any(same(value, each) for each in schema["enum"]):
            yield f"{where}: {value!r:.80} is none of {schema['enum']}"
        if "const" in schema and not same(value, schema["const"]):
            yield f"{where}: {value!r:.80} is not {schema['const']!r}"
        if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{where}: {value!r:.80} does not match {schema['pattern']}"
        if not TYPES["number"](value):
            return
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield f"{where}: {value} is out of bounds"
        if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
            yield f"{where}: {value} is too small"
        if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
            yield f"{where}: {value} is too large"

    def choice_errors(self, value, schema, where):
        for keyword, wanted in (("oneOf", lambda count: count == 1), ("anyOf", lambda count: count > 0)):
            if keyword not in schema:
                continue
            tried = [self.errors(value, each, where) for each in schema[keyword]]
            count = sum(1 for errors in tried if not errors)
            if not wanted(count):
                reasons = "; ".join(errors[0] for errors in tried if errors)
                yield f"{where}: {count} alternatives of {keyword} fit ({reasons})"

    def object_errors(self, value, schema, where):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties", not (self.closed and properties))
        for name in schema.get("required", []):
            if name not in value:
                yield f"{where}: {name} is missing"
        for name, each in value.items():
            if name in properties:
                yield from self.errors(each, properties[name], f"{where}.{name}")
            elif others is False:
                yield f"{where}: {name} is not described"
            elif isinstance(others, dict):
                yield from self.errors(each, others, f"{where}.{name}")

    def array_errors(self, value, schema, where):
        if len(value) < schema.get("minItems", 0):
            yield f"{where}: fewer than {schema['minItems']} items"
        if "items" in schema:
            for number, each in enumerate(value):
                yield from self.errors(each, schema["items"], f"{where}[{number}]")
