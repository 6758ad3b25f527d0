"""The document of the API is right in itself, and the routes of the server are those that it lists. Needs no node."""
import re
import unittest

from openapi import ROOT, Document
from schema import KEYWORDS, SchemaError, Validator


class ValidatorTest(unittest.TestCase):
    """It must find what is wrong, or all that it checks means nothing."""

    def check(self, schema, good, bad, document=None):
        validator = Validator(document or {})
        for value in good:
            self.assertEqual([], list(validator.errors(value, schema)), value)
        for value in bad:
            self.assertTrue(list(validator.errors(value, schema)), value)

    def test_types(self):
        self.check({"type": "integer"}, [0, -1, 2**63], [True, 1.5, "1", None, []])
        self.check({"type": "number"}, [0, 1.5], [False, "1.5"])
        self.check({"type": "boolean"}, [True], [1, 0, "true"])
        self.check({"type": ["string", "null"]}, ["", None], [0, {}])

    def test_values(self):
        self.check({"enum": ["a", 1]}, ["a", 1], ["b", True])
        self.check({"const": True}, [True], [1, False])
        self.check({"pattern": "^a+$"}, ["a", 5], ["b", "ab"])
        self.check({"minimum": 1, "maximum": 3}, [1, 3, "x"], [0, 4])
        self.check({"exclusiveMinimum": 0, "exclusiveMaximum": 2}, [1], [0, 2])

    def test_objects(self):
        schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}, "b": {"type": "null"}}}
        self.check(schema, [{"a": 1}, {"a": 1, "b": None}], [{}, {"a": "1"}, {"a": 1, "c": 1}, {"a": 1, "b": 0}])
        self.assertEqual([], list(Validator({}, closed=False).errors({"a": 1, "c": 1}, schema)))
        self.check({"type": "object", "additionalProperties": {"type": "integer"}}, [{"x": 1}], [{"x": "1"}])
        self.check({"type": "object"}, [{"x": 1}], [[]])

    def test_lists(self):
        self.check({"type": "array", "items": {"type": "integer"}, "minItems": 1}, [[1]], [[], ["1"], [1, None]])

    def test_choices(self):
        self.check({"oneOf": [{"type": "integer"}, {"minimum": 5}]}, [3, "x"], [7])
        self.check({"anyOf": [{"type": "integer"}, {"type": "null"}]}, [3, None], ["x"])

    def test_references(self):
        document = {"components": {"a/b": {"type": "integer"}}}
        self.check({"$ref": "#/components/a~1b"}, [1], ["1"], document)
        with self.assertRaises(SchemaError):
            Validator({}).errors(1, {"$ref": "#/nowhere"})

    def test_unknown_keywords_are_errors(self):
        with self.assertRaises(SchemaError):
            Validator({}).errors(1, {"typo": "integer"})


def schemas_in(value, where="#"):
    """Every schema of the document, wherever it stands."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name == "schema":
                yield f"{where}/schema", each
            elif name == "schemas" and where.endswith("components"):
                yield from ((f"{where}/schemas/{key}", one) for key, one in each.items())
            elif name not in ("example", "examples"):
                yield from schemas_in(each, f"{where}/{name}")
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from schemas_in(each, f"{where}/{number}")


def parts_of(schema):
    yield schema
    nested = [*schema.get("properties", {}).values(), *schema.get("oneOf", []), *schema.get("anyOf", [])]
    nested += [schema[name] for name in ("items", "additionalProperties") if isinstance(schema.get(name), dict)]
    for each in nested:
        yield from parts_of(each)


def references_in(value):
    if isinstance(value, dict):
        for name, each in value.items():
            if name == "$ref":
                yield each
            else:
                yield from references_in(each)
    if isinstance(value, list):
        for each in value:
            yield from references_in(each)


class DocumentTest(unittest.TestCase):
    """What a strict reader of OpenAPI 3.1 would complain about."""

    @classmethod
    def setUpClass(cls):
        cls.api = Document()
        cls.document = cls.api.document

    def test_every_reference_leads_somewhere_and_everything_is_used(self):
        used = set(references_in(self.document))
        for reference in used:
            self.api.answers.resolve(reference)
        for kind in ("schemas", "parameters", "responses"):
            for name in self.document["components"][kind]:
                self.assertIn(f"#/components/{kind}/{name}", used)

    def test_every_schema_has_only_keywords_that_are_checked(self):
        for where, schema in schemas_in(self.document):
            for part in parts_of(schema):
                with self.subTest(where=where):
                    self.assertFalse(set(part) - KEYWORDS)
                    required = set(part.get("required", []))
                    self.assertLessEqual(required, set(part.get("properties", required)))

    def test_every_example_fits_its_schema(self):
        count = 0
        for media in self.media_types(self.document):
            if "example" in media:
                self.assertEqual([], list(self.api.answers.errors(media["example"], media["schema"])))
                count += 1
        self.assertGreater(count, 25)

    def media_types(self, value):
        if isinstance(value, dict):
            for name, each in value.items():
                if name == "content":
                    yield from each.values()
                else:
                    yield from self.media_types(each)
        if isinstance(value, list):
            for each in value:
                yield from self.media_types(each)

    def test_operations_are_complete(self):
        names = [operation["operationId"] for _, _, operation in self.api.operations()]
        self.assertEqual(len(names), len(set(names)))
        for method, template, operation in self.api.operations():
            with self.subTest(method=method, path=template):
                statuses = set(operation["responses"])
                self.assertTrue({"400", "403", "405", "500", "503"} <= statuses)
                self.assertEqual(self.api.needs_token(operation) or template == "/v1/session", "401" in statuses)
                self.assertEqual("{name}" in template, "404" in statuses)
                self.assertEqual("requestBody" in operation, "415" in statuses)
                self.assertTrue(any(status.startswith("2") for status in statuses))
                listed = self.api.parameters_of(template, operation)
                declared = {each["name"] for each in listed if each["in"] == "path"}
                self.assertEqual(set(re.findall(r"\{(\w+)\}", template)), declared)
                self.assertTrue(operation["summary"])

    def test_requests_are_closed(self):
        for _, template, operation in self.api.operations():
            if "requestBody" in operation:
                schema = self.api.resolved(operation["requestBody"]["content"]["application/json"]["schema"])
                self.assertIs(schema.get("additionalProperties"), False, template)

    def test_it_lists_the_routes_of_the_server(self):
        source = "".join(each.read_text() for each in (ROOT / "serve" / "api").glob("*.cpp"))
        routes = set(re.findall(r'"(/(?:v1/[^"]*[^"/]|metrics|healthz|readyz))"', source))
        documented = set(self.document["paths"]) - {"/", "/v1/session"}
        self.assertEqual(documented, routes)


if __name__ == "__main__":
    unittest.main()
