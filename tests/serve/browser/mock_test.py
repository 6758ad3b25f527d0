#!/usr/bin/env python3
"""The invented data has the form that serve/api/openapi.json describes, so that a page that works with it works with
`spv serve`."""
import pathlib
import sys
import unittest

import mock_server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "contract"))
from openapi import Document  # noqa: E402  (its folder is named above)


class MockTest(unittest.TestCase):
    def setUp(self):
        self.document = Document()
        self.chain = mock_server.demo_chain()
        self.api = mock_server.Api(self.chain)

    def check(self, method, path, status=200, query=None, body=None):
        got, answer = self.api.answer(method, path, query or {}, body or {})
        self.assertEqual(got, status)
        operation = self.document.document["paths"][self.document.template_of(path)][method.lower()]
        content = self.document.resolved(operation["responses"][str(status)]).get("content", {})
        if "application/json" in content:
            self.assertEqual(self.document.answers.errors(answer, content["application/json"]["schema"]), [], path)
        return answer

    def test_answers(self):
        for path in ("status", "sync", "peers", "filter", "fees", "wallets", "events"):
            self.check("GET", f"/v1/{path}")
        for name, wallet in self.chain.wallets.items():
            for path in ("", "/history", "/utxos", "/addresses"):
                self.check("GET", f"/v1/wallets/{name}{path}")
            for row in wallet.history:
                self.check("GET", f"/v1/wallets/{name}/transactions/{row['txid']}")

    def test_events(self):
        self.chain.mine()
        self.chain.reorg()
        self.check("GET", "/v1/events", query={"limit": 1000})

    def test_changes(self):
        self.check("POST", "/v1/wallets/savings/addresses", 201)
        self.check("POST", "/v1/wallets", 201, body={"name": "new", "addresses": ["bcrt1q"]})
        outputs = [{"address": "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "amount_sat": 10_000}]
        self.check("POST", "/v1/wallets/savings/psbt", body={"outputs": outputs, "fee_rate": 2})
        self.check("POST", "/v1/transactions", body={"hex": "00"})


if __name__ == "__main__":
    unittest.main()
