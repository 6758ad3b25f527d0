"""The document of the API, and what it says about a request and its answer."""
import json
import pathlib
import re

from schema import Validator

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILE = ROOT / "serve" / "api" / "openapi.json"
METHODS = ("get", "post", "put", "delete")


class Document:
    """serve/api/openapi.json, or one that a server handed out."""

    def __init__(self, document=None):
        self.document = document or json.loads(FILE.read_text())
        self.answers = Validator(self.document, closed=True)
        self.patterns = [(template, re.compile("^" + re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)) + "$"))
                         for template in self.document["paths"]]

    def operations(self):
        """(method, template, operation) of all."""
        for template, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    yield method.upper(), template, item[method]

    def template_of(self, path):
        return next((template for template, pattern in self.patterns if pattern.match(path)), None)

    def methods_of(self, template):
        return {method.upper() for method in METHODS if method in self.document["paths"][template]}

    def needs_token(self, operation):
        return operation.get("security", self.document["security"]) != []

    def resolved(self, value):
        return self.answers.resolve(value["$ref"]) if "$ref" in value else value

    def parameters_of(self, template, operation):
        listed = self.document["paths"][template].get("parameters", []) + operation.get("parameters", [])
        return [self.resolved(each) for each in listed]

    def complaints(self, method, path, answer):
        """What an answer has that the document does not say, and the other way round."""
        template = self.template_of(path.split("?")[0])
        if template is None:
            return [] if answer.status in (404, 400, 401, 403) else [f"{path} is not in the document"]
        operation = self.document["paths"][template].get(("get" if method == "HEAD" else method).lower())
        if operation is None:
            return [] if answer.status in (405, 401, 403) else [f"{method} {template} is not in the document"]
        described = operation["responses"].get(str(answer.status))
        if described is None:
            return [f"{method} {template} does not describe status {answer.status}: {answer.text[:300]}"]
        return list(self.answer_complaints(self.resolved(described), answer, method))

    def answer_complaints(self, described, answer, method):
        for name in described.get("headers", {}):
            if name.lower() not in answer.headers:
                yield f"the header {name} is missing"
        content = described.get("content")
        if content is None:
            if answer.text:
                yield f"a body where there is none: {answer.text[:100]}"
            return
        kind = answer.headers.get("content-type", "").split(";")[0]
        if kind not in content:
            yield f"it is {kind}, and not {' or '.join(content)}"
        elif kind == "application/json" and method != "HEAD":
            yield from self.answers.errors(json.loads(answer.text), content[kind]["schema"])
