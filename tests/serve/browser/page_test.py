#!/usr/bin/python3
"""The page of `spv serve` in a real browser.

usage: page_test.py SPV [UNITTEST ARGUMENTS]       the program, on a regtest node
       page_test.py --mock [UNITTEST ARGUMENTS]    invented data: also what a small chain does not show

Exits with 77 where there is no chromium, or no bitcoind for the real server. Runs with Debian's Python, which has
Debian's selenium.
"""
import base64
import io
import pathlib
import re
import shutil
import sys
import time
import unittest

try:
    import zxingcpp
    from PIL import Image
    from browser import Browser, Keys
except ImportError as error:
    print(f"no browser tests: {error}", file=sys.stderr)
    sys.exit(77)

import backends
import mock_server
import regtest

WEB = pathlib.Path(__file__).resolve().parents[3] / "web"
MOST_BYTES = 200_000
HOME = f"/wallet/{backends.WALLET}"
# Each view, and what it has once all data is there.
ROUTES = {"/": ".events li", "/add": "form", HOME: "tr[data-txid]", HOME + "/addresses": "tbody tr",
          HOME + "/send": ".coins tbody tr", HOME + "/coins": "tbody tr", HOME + "/manage": ".facts",
          "/peers": "tbody tr", "/filter": ".reveals", "/settings": ".facts"}

backend = None
browser = None


def read_qr(png):
    """The text of the only QR code in a picture."""
    image = Image.open(io.BytesIO(png)).convert("L")
    # Lines of a large QR code can pass for a bar code.
    found = zxingcpp.read_barcodes(image, zxingcpp.BarcodeFormat.QRCode)
    assert len(found) == 1 and found[0] is not None, f"{len(found)} codes"
    return found[0].text


class PageTest(unittest.TestCase):
    """A fresh session for each test; the console must stay silent."""

    # The question whether there is a session already.
    allowed = ("status of 401",)

    def setUp(self):
        browser.resize(1440)
        browser.prefer("light")
        browser.driver.get(backend.url)
        browser.driver.delete_all_cookies()
        browser.js("localStorage.clear()")
        browser.driver.get(backend.url)
        browser.field("Access token")
        browser.driver.get_log("browser")

    def tearDown(self):
        self.assertEqual(browser.complaints(self.allowed), [])

    def log_in(self, route="/"):
        browser.fill("Access token", backend.token + Keys.ENTER)
        browser.find("#rail")
        browser.wait_text("Live", "#rail")
        if route != "/":
            browser.go(route)

    def open_wallet(self, tab=""):
        self.log_in(f"/wallet/{backends.WALLET}{tab}")
        browser.wait(lambda: browser.find("h1").text == backends.WALLET, "the wallet")

    def show(self, route):
        browser.go(route)
        browser.wait(lambda: browser.js("return document.querySelector('main').querySelector(arguments[0])",
            ROUTES[route]), route)

    def rows(self):
        return browser.js("return [...document.querySelectorAll('tr[data-txid]')].map(row => row.dataset.txid)")

    def row_text(self, txid):
        return browser.js("return document.querySelector(`tr[data-txid='${arguments[0]}']`)?.innerText || ''", txid)


class Token(PageTest):
    def test_wrong_then_right_then_log_out(self):
        browser.wait_text("serve.token")
        browser.fill("Access token", "0" * 64 + Keys.ENTER)
        browser.wait_error("Access token", "not the token")
        self.assertFalse(any(each.is_displayed() for each in browser.all("#rail")))
        self.log_in()
        browser.wait_text("Total balance")
        # The cookie is out of reach of scripts, and survives a reload.
        self.assertEqual(browser.js("return document.cookie"), "")
        browser.driver.refresh()
        browser.wait_text("Total balance")
        browser.go("/settings")
        browser.press("Log out")
        browser.wait_text("You are logged out.")
        browser.driver.refresh()
        browser.field("Access token")
        self.assertNotIn("Total balance", browser.text())

    def test_empty_token_is_not_sent(self):
        browser.press("Open")
        browser.wait_error("Access token", "Enter the token")

    def test_the_page_is_small_and_whole(self):
        files = [file for file in WEB.iterdir() if file.is_file()]
        self.assertLess(sum(file.stat().st_size for file in files), MOST_BYTES)
        for file in files:
            self.assertIsNone(re.search(r"https?://(?!www\.w3\.org/)", file.read_text()),
                f"{file.name} names another site")
        html = (WEB / "index.html").read_text()
        self.assertIsNone(re.search(r"<script(?![^>]* src=)|\son\w+=|\sstyle=", html), "inline script or style")


class Live(PageTest):
    def test_payment_shows_within_a_second(self):
        self.open_wallet()
        before = browser.find(".big").text
        lags = []
        # A busy machine may be slow once; the page is not slow each time.
        for _ in range(5):
            browser.js("""
              window.events = {}; window.shown = {};
              if (!window.watching) {
                window.watching = new EventSource('/v1/events/stream?after=' + arguments[0]);
                window.watching.addEventListener('tx', e => { events[JSON.parse(e.data).txid] ??= Date.now(); });
                new MutationObserver(() => {
                  for (const row of document.querySelectorAll('tr[data-txid]')) shown[row.dataset.txid] ??= Date.now();
                }).observe(document.body, {childList: true, subtree: true});
              }""", self.newest_event())
            browser.wait(lambda: browser.js("return watching.readyState === 1"), "a second stream, to compare with")
            txid = backend.pay(1_234_567)
            browser.wait(lambda: browser.js("return shown[arguments[0]] && events[arguments[0]]", txid), "the row")
            lags.append(browser.js("return shown[arguments[0]] - events[arguments[0]]", txid) / 1000)
            if lags[-1] < 1:
                break
        print(f"a payment shows {lags[-1]:.3f} s after its event", file=sys.stderr)
        self.assertLess(lags[-1], 1)
        browser.js("watching.close()")
        browser.wait(lambda: browser.find(".big").text != before, "a new balance")
        browser.wait_text("+0.01234567", f"tr[data-txid='{txid}']")
        browser.wait_text("Unconfirmed", f"tr[data-txid='{txid}']")
        browser.wait_text("Receiving 0.01234567 BTC", "#toasts")
        self.assertEqual(browser.find("#toasts").get_attribute("aria-live"), "polite")
        browser.wait(lambda: browser.all(".line.pending"), "the unconfirmed part of the chart")

        backend.mine()
        browser.wait(lambda: "1 of 6" in self.row_text(txid), "the first confirmation")
        browser.wait_text("confirmed in block", "#toasts")
        backend.mine(5)
        browser.wait(lambda: "Confirmed" in self.row_text(txid), "six confirmations")

    def newest_event(self):
        return browser.js("return fetch('/v1/status').then(r => r.json()).then(s => s.events)")

    def test_reorganisation(self):
        self.open_wallet()
        txid = backend.pay(2_000_000)
        browser.wait(lambda: "Unconfirmed" in self.row_text(txid), "the payment")
        backend.mine()
        browser.wait(lambda: "1 of 6" in self.row_text(txid), "the confirmation")
        backend.reorg()
        browser.wait(lambda: "Unconfirmed" in self.row_text(txid), "the payment without its block")
        browser.wait_text("Reorganisation", "#toasts")
        backend.mine()
        browser.wait(lambda: "1 of 6" in self.row_text(txid), "another block")

    def test_the_overview_follows(self):
        self.log_in()
        before = browser.find(".big").text
        backend.pay(3_000_000)
        browser.wait(lambda: browser.find(".big").text != before, "a new total")
        browser.wait_text("Unconfirmed +", ".split")
        browser.wait_text("+0.03000000", ".events")
        height = int(browser.find(".tile dd").text.replace(",", ""))
        backend.mine()
        browser.wait(lambda: browser.find(".tile dd").text.replace(",", "") == str(height + 1), "the new tip")


class LostConnection(PageTest):
    allowed = ("status of 401", "net::ERR_", "status of 503")

    def test_banner_and_back(self):
        self.open_wallet()
        browser.wait(self.rows, "the history")
        backend.stop()
        browser.wait_text("Connection lost.", "#banner")
        self.assertRegex(browser.find("#banner").text, r"Showing data from \d\d:\d\d:\d\d")
        self.assertEqual(browser.find("#banner").get_attribute("role"), "status")
        browser.wait_text("Offline", "#rail")
        self.assertTrue(self.rows(), "what was known stays on the screen")
        backend.start()
        # A server may keep its sessions or not.
        browser.wait(lambda: "Connection lost" not in browser.text(), "the end of the banner")
        browser.wait(lambda: "Live" in browser.text() or browser.all("input[type=password]"), "the page or the token")
        if browser.all("input[type=password]"):
            self.log_in(f"/wallet/{backends.WALLET}")
        txid = backend.pay(700_000)
        browser.wait(lambda: txid in self.rows(), "a payment after the return")

    def test_session_that_ended(self):
        if backend.name != "mock":
            self.skipTest("the real server's sessions last")
        self.open_wallet()
        backend.forget_sessions()
        browser.go("/peers")
        browser.wait_text("Your session has ended")
        self.log_in()
        browser.wait_text("Peers")


class AddWallet(PageTest):
    allowed = ("status of 401", "status of 400", "status of 409", "status of 422")

    def test_errors_stand_at_their_fields(self):
        self.log_in("/add")
        browser.press("Add wallet")
        browser.wait_error("Name", "Enter a name")
        browser.wait_error("Extended public key", "Enter the key")
        self.assertEqual(browser.js("return document.activeElement"), browser.field("Name"))
        browser.fill("Name", "bad name")
        browser.press("Add wallet")
        browser.wait_error("Name", "Use letters")
        browser.fill("Name", backends.WALLET)
        browser.fill("Extended public key", backends.XPUB)
        browser.fill("First used", "soon")
        browser.press("Add wallet")
        browser.wait_error("First used", "date")
        browser.fill("First used", "0")
        browser.js("arguments[0].value = 'wpkh'", browser.field("Address type"))
        browser.press("Add wallet")
        browser.wait(lambda: browser.error_at("Name"), "the server's refusal of the name")
        browser.fill("Name", "fresh")
        browser.fill("Extended public key", backends.XPUB[:-3])
        browser.press("Add wallet")
        browser.wait(lambda: browser.error_at("Extended public key"), "the server's refusal of the key")
        browser.fill("Extended public key", "xprv9s21ZrQH143K")
        browser.press("Add wallet")
        browser.wait_error("Extended public key", "private key")

    def test_add_and_remove(self):
        name = f"cold-{int(time.time() * 1000)}"
        self.log_in("/add")
        browser.fill("Name", name)
        browser.fill("Extended public key", backends.XPUB)
        browser.js("arguments[0].value = 'wpkh'", browser.field("Address type"))
        browser.fill("First used", "0")
        browser.fill("Gap limit", "25")
        browser.press("Add wallet")
        browser.wait(lambda: browser.find("h1").text == name, "the new wallet")
        browser.wait_text(name, "#rail")
        browser.press("Manage")
        browser.wait_text("25", ".facts")
        browser.press("Remove this wallet")
        browser.wait_text(f"Remove {name}?", "dialog")
        browser.click("//dialog//button[text()='Cancel']")
        browser.wait_gone("dialog")
        browser.press("Remove this wallet")
        browser.click("//dialog//button[text()='Remove']")
        browser.wait_text("Total balance")
        browser.wait(lambda: name not in browser.find("#rail").text, "the wallet's end")

    def test_descriptors_and_addresses_are_asked_for(self):
        self.log_in("/add")
        for kind, label in (("Descriptors", "Descriptors"), ("Addresses", "Addresses")):
            browser.click(f"//label[.='{kind}']")
            browser.fill("Name", "other")
            browser.press("Add wallet")
            browser.wait_error(label, "at least one")


class Labels(PageTest):
    def edit(self, row, text):
        browser.wait(lambda: browser.js("document.querySelector(arguments[0]).click(); return true",
            f"{row} .label-text"), "a label")
        # Not cleared by the driver, which would leave the field: leaving saves.
        browser.find(f"{row} .label-editor input").send_keys(Keys.CONTROL + "a" + Keys.NULL + text)

    def test_transaction_label_is_saved(self):
        self.open_wallet()
        txid = browser.wait(self.rows, "the history")[0]
        row = f"tr[data-txid='{txid}']"
        text = f"Invoice {time.time():.0f}"
        self.edit(row, text + Keys.ENTER)
        browser.wait_text(text, row)
        browser.driver.refresh()
        browser.wait_text(text, row)
        # Escape keeps what was.
        self.edit(row, "not this" + Keys.ESCAPE)
        browser.wait_text(text, row)
        # It can be searched, and is on the transaction too.
        browser.type(browser.find("input[type=search]"), text)
        browser.wait(lambda: self.rows() == [txid], "one row")
        browser.click(f"{row} td.when a")
        browser.wait_text(text, ".facts")

    def test_address_label_is_saved(self):
        self.open_wallet("/addresses")
        browser.find("tbody tr")
        text = f"Shop {time.time():.0f}"
        self.edit("tbody tr", text + Keys.ENTER)
        browser.wait_text(text, "tbody")
        browser.driver.refresh()
        browser.wait_text(text, "tbody")


class Transaction(PageTest):
    def test_what_it_shows(self):
        self.open_wallet()
        browser.wait(self.rows, "the history")
        browser.click("//tr[@data-txid][.//*[@title and contains(@title, 'confirmation')]]//a")
        browser.wait_text("Inputs (")
        browser.wait_text("Outputs (")
        browser.wait_text("Yours", ".ios")
        txid = browser.js("return location.hash").rsplit("/", 1)[1]
        browser.wait_text(txid)
        browser.press("Download proof")
        self.assertTrue(browser.downloaded(f"{txid}.proof"))
        browser.press("Copy id")
        browser.wait_text("Copied")

    def test_unknown_one(self):
        self.allowed = ("status of 401", "status of 404")
        self.log_in(f"/wallet/{backends.WALLET}/tx/{'ab' * 32}")
        browser.find(".notice.bad")

    def test_unknown_wallet(self):
        self.allowed = ("status of 401", "status of 404")
        self.log_in("/wallet/nobody")
        browser.wait_text("Wallet not found")


class Receive(PageTest):
    def test_new_address_and_its_qr_code(self):
        self.open_wallet("/addresses")
        browser.type(browser.find("[aria-label='Label of the new address']"), "from Ann")
        browser.press("New address")
        panel = browser.find(".receive")
        address = browser.find(".address-large").get_attribute("aria-label")
        self.assertTrue(address.startswith("bcrt1"))
        self.assertEqual(panel.find_element("css selector", "[data-uri]").text, f"bitcoin:{address}")
        self.assertEqual(read_qr(browser.picture_of(".receive .qr")), f"bitcoin:{address}")
        browser.fill("Amount to ask for", "0.015")
        browser.fill("Message for the payer", "Tea & cake")
        uri = f"bitcoin:{address}?amount=0.015&label=Tea%20%26%20cake"
        browser.wait(lambda: panel.find_element("css selector", "[data-uri]").text == uri, uri)
        self.assertEqual(read_qr(browser.picture_of(".receive .qr")), uri)
        browser.click("//label[.='Address only']")
        browser.wait(lambda: panel.find_element("css selector", "[data-uri]").text == address, address)
        self.assertEqual(read_qr(browser.picture_of(".receive .qr")), address)
        browser.wait_text("from Ann", "table")

    def test_two_new_addresses_differ(self):
        self.open_wallet("/addresses")
        browser.press("New address")
        first = browser.find(".address-large").get_attribute("aria-label")
        browser.press("New address")
        browser.wait(lambda: browser.find(".address-large").get_attribute("aria-label") != first, "another address")


class QrCode(PageTest):
    """Every version and both levels, drawn by the page's own encoder and read by another's decoder."""

    def draw(self, text, level, version):
        size = browser.js("""
          return import('/qr.js').then(qr => {
            const rows = qr.encode(arguments[0], {level: arguments[1], version: arguments[2]});
            document.getElementById('main').replaceChildren();
            if (!rows) return 0;
            const svg = qr.qrSvg(rows, 'test');
            svg.setAttribute('width', 4 * (rows.length + 8));
            svg.setAttribute('class', 'drawn');
            document.getElementById('main').append(svg);
            return rows.length;
          })""", text, level, version)
        return size

    def test_every_version(self):
        browser.resize(900, 900)
        for version in range(1, 41):
            level = "LM"[version % 2]
            text = f"spv {version}{level}"
            self.assertEqual(self.draw(text, level, version), 17 + 4 * version)
            self.assertEqual(read_qr(browser.picture_of(".drawn")), text, f"version {version}")

    def test_as_much_as_fits(self):
        browser.resize(900, 900)
        for level, most in (("L", 2953), ("M", 2331)):
            text = ("0123456789abcdef" * 200)[:most]
            self.assertEqual(self.draw(text, level, 1), 177)
            self.assertEqual(read_qr(browser.picture_of(".drawn")), text)
            self.assertEqual(self.draw(text + "x", level, 1), 0)


class Amounts(PageTest):
    """Money as text, both ways, by the page's own functions."""

    READ = [("1", "BTC", 100_000_000), ("0.00000001", "BTC", 1), (".5", "BTC", 50_000_000), ("1.", "BTC", 100_000_000),
            ("20999999.99999999", "BTC", 2_099_999_999_999_999), (" 0.1 ", "BTC", 10_000_000), ("0,5", "BTC", None),
            ("1,000", "BTC", None), ("0.000000001", "BTC", None), ("1e3", "BTC", None), ("-1", "BTC", None),
            ("21000001", "BTC", None), ("0", "BTC", None), ("", "BTC", None), ("0x10", "BTC", None), (".", "BTC", None),
            ("1234567", "sat", 1_234_567), ("1,234,567", "sat", 1_234_567), ("1 234 567", "sat", 1_234_567),
            ("1.5", "sat", None), ("12,34", "sat", None), ("1,5", "sat", None)]
    WRITE = [(1, "BTC", "0.00000001"), (123_456_789, "BTC", "1.23456789"),
        (2_100_000_000_000_000, "BTC", "21,000,000.00000000"),
             (-50_000, "BTC", "\u22120.00050000"), (1_234_567, "sat", "1,234,567"), (0, "BTC", "0.00000000")]

    def test_reading(self):
        for text, unit, sat in self.READ:
            got = browser.js("return import('/format.js').then(f => f.parseAmount(arguments[0], arguments[1]))", text,
                unit)
            self.assertEqual(got.get("sat"), sat, f"{text} {unit}")
            self.assertEqual("error" in got, sat is None, f"{text} {unit}")

    def test_writing(self):
        for sat, unit, text in self.WRITE:
            got = browser.js("return import('/format.js').then(f => f.amountText(arguments[0], {unit: arguments[1]}))",
                sat, unit)
            self.assertEqual(got, text)

    def test_what_is_written_into_a_field_can_be_read(self):
        for sat in (1, 99, 123_456_789_012, 2_100_000_000_000_000):
            for unit in ("BTC", "sat"):
                got = browser.js("""return import('/format.js').then(f =>
                    f.parseAmount(f.inputAmount(arguments[0], arguments[1]), arguments[1]))""", sat, unit)
                self.assertEqual(got.get("sat"), sat)


class Send(PageTest):
    allowed = ("status of 401", "status of 400", "status of 422")

    def fill_payment(self, amount):
        self.open_wallet("/send")
        browser.fill("Address", backend.foreign_address())
        browser.fill("Amount", amount)
        browser.wait(lambda: browser.field("Fee rate").get_attribute("value"), "a proposed fee rate")
        browser.fill("Fee rate", "2")

    def test_by_hand_from_form_to_block(self):
        self.fill_payment("0.01")
        browser.press("Create PSBT")
        browser.wait_text("Check the payment")
        for word in ("Pay", "Change", "Fee", "0.01000000", "sat/vB", "%"):
            browser.wait_text(word, ".steps")
        browser.press("Download .psbt")
        raw = browser.downloaded(f"{backends.WALLET}.psbt")
        self.assertTrue(raw.startswith(b"psbt\xff"))
        browser.click("//summary[.='Show as a QR code']")
        psbt = base64.b64encode(raw).decode()
        self.assertEqual(read_qr(browser.picture_of(".qr-details .qr")), psbt)

        browser.press("Broadcast")
        browser.wait_error("Signed PSBT or transaction", "Paste the signed PSBT")
        self.paste(psbt)
        browser.press("Broadcast")
        browser.wait_error("Signed PSBT or transaction", "without signatures")
        self.paste(backend.sign(psbt))
        browser.press("Broadcast")
        browser.wait_text("Payment sent")
        browser.wait_text("Unconfirmed", ".follow")
        backend.mine()
        browser.wait_text("Confirmed in block", ".follow")
        browser.press("Show transaction")
        browser.wait_text("Sent", "h1")
        (browser.downloads / f"{backends.WALLET}.psbt").unlink()

    def paste(self, text):
        browser.js("arguments[0].value = arguments[1]", browser.field("Signed PSBT or transaction"), text)

    def test_what_cannot_be_paid(self):
        self.fill_payment("20999999")
        browser.press("Create PSBT")
        browser.wait(lambda: browser.error_at("Amount"), "the server's refusal")
        browser.fill("Amount", "1.2.3")
        browser.press("Create PSBT")
        browser.wait_error("Amount", "Enter an amount")
        browser.fill("Amount", "0.01")
        browser.fill("Address", "nonsense")
        browser.press("Create PSBT")
        browser.wait(lambda: browser.error_at("Address"), "the server's refusal")

    def test_several_recipients_a_link_and_chosen_coins(self):
        self.open_wallet("/coins")
        browser.wait(lambda: browser.all("tbody input:enabled"), "coins")
        browser.click("tbody input:enabled")
        browser.wait_text("1 coin chosen")
        browser.press("Send these coins")
        browser.wait_text("Coins: 1 coin chosen")
        browser.wait(lambda: browser.field("Fee rate").get_attribute("value"), "a proposed fee rate")
        first, second = backend.foreign_address(), backend.foreign_address()
        browser.js("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))",
            browser.field("Address"),
                   f"bitcoin:{first}?amount=0.0002")
        browser.wait(lambda: browser.field("Amount").get_attribute("value") == "0.00020000", "the amount of the link")
        self.assertEqual(browser.field("Address").get_attribute("value"), first)
        browser.press("Add recipient")
        addresses = browser.wait(lambda: (found := browser.all(".recipient input.mono")) and len(found) == 2 and found,
            "two recipients")
        addresses[1].send_keys(second)
        browser.all(".recipient input[inputmode=decimal]")[1].send_keys("0.0003")
        browser.press("Create PSBT")
        browser.wait_text("1 coin to spend")
        self.assertEqual(browser.find(".steps table").text.count("Pay"), 2)
        browser.press("Discard")
        browser.wait_text("New payment")

    def test_send_all(self):
        self.fill_payment("1")
        browser.press("Send all")
        browser.wait(lambda: browser.field("Amount").get_attribute("value") != "1", "all coins")
        browser.press("Create PSBT")
        browser.wait_text("Check the payment")
        self.assertNotIn("Change\n", browser.find(".steps table").text)
        browser.press("Discard")


class Looks(PageTest):
    def test_no_view_scrolls_sideways(self):
        self.open_wallet("/addresses")
        browser.press("New address")
        browser.find(".receive")
        for width in (320, 375, 768, 1440, 1920):
            browser.resize(width)
            for route in ROUTES:
                self.show(route)
                self.assertLessEqual(browser.js("return document.documentElement.scrollWidth"), width,
                    f"{route} at {width} px")

    def test_dark_by_system_and_by_choice(self):
        background = """
          const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);
          return r + g + b"""
        self.log_in("/settings")
        self.assertGreater(browser.js(background), 600)
        browser.prefer("dark")
        browser.wait(lambda: browser.js(background) < 150, "a dark page")
        browser.click("//label[.='Light']")
        browser.wait(lambda: browser.js(background) > 600, "a light page")
        browser.prefer("light")
        browser.click("//label[.='Dark']")
        browser.driver.refresh()
        browser.wait(lambda: browser.js(background) < 150, "a dark page after a reload")

    def test_unit(self):
        self.log_in("/settings")
        browser.click("//label[.='sat']")
        browser.go("/")
        browser.wait(lambda: browser.find(".big").text.endswith("sat") and "." not in browser.find(".big").text,
            "satoshis")

    def test_contrast(self):
        """WCAG AA: 4.5 for text, 3 for large text, in both themes."""
        self.log_in()
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            for route in ROUTES:
                self.show(route)
                self.assertEqual(browser.js(CONTRAST), [], f"{route} in {scheme}")


CONTRAST = r"""
const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const rgba = text => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
                       return [...canvas.getImageData(0, 0, 1, 1).data].map((v, i) => i < 3 ? v : v / 255); };
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const light = ([r, g, b]) => { const f = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
                               return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
const behind = node => { const layers = []; for (let each = node; each; each = each.parentElement)
                           layers.push(rgba(getComputedStyle(each).backgroundColor));
                         return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]); };
const bad = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement;
  const text = walker.currentNode.data.trim();
  if (!text || !node.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
  if (node.closest('.hidden, .skip, noscript, svg, option, :disabled')) continue;
  const style = getComputedStyle(node), back = behind(node), size = parseFloat(style.fontSize);
  const [a, b] = [light(over(rgba(style.color), back)), light(back)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05), least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
  if (ratio < least) bad.push(`${text.slice(0, 30)} (${node.className}): ${ratio.toFixed(2)}`);
}
return [...new Set(bad)].slice(0, 10);
"""


class Access(PageTest):
    def test_everything_has_a_name(self):
        self.assertEqual(browser.unnamed_controls(), [])
        self.log_in()
        for route in ROUTES:
            self.show(route)
            self.assertEqual(browser.unnamed_controls(), [], route)
            problems = browser.js("""
              const out = [], count = (q) => document.querySelectorAll(q).length;
              if (count('main h1') !== 1) out.push('headings: ' + count('main h1'));
              if (count('main') !== 1 || count('header') < 1 || count('nav') < 1) out.push('landmarks');
              for (const table of document.querySelectorAll('table')) {
                if (!table.caption) out.push('a table without a caption');
                if ([...table.querySelectorAll('th')].some(th => !th.scope)) out.push('a heading without a scope');
              }
              // A placeholder goes away when one types.
              for (const input of document.querySelectorAll('input, select, textarea')) {
                const named = input.labels?.length || input.ariaLabel || input.hidden;
                if (!named) out.push('no label: ' + input.outerHTML);
              }
              const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
              if (new Set(ids).size !== ids.length) out.push('an id twice');
              return out;""")
            self.assertEqual(problems, [], route)

    def test_keyboard_reaches_everything_and_leaves(self):
        self.open_wallet()
        browser.wait(self.rows, "the history")
        for route in ROUTES:
            self.show(route)
            self.walk(route)

    def walk(self, route):
        """Tab from the first control to the last: each is reached once and shows that it has the focus."""
        browser.js("window.seen = []; document.getElementById('skip').focus()")
        browser.there_and_back()  # a focus is shown after keys only
        wanted = browser.js("""
          const q = 'a[href], button, input:not([type=radio]), select, textarea, summary, [tabindex="0"]';
          window.wanted = [...document.querySelectorAll(q)].filter(e => !e.disabled && e.checkVisibility());
          return wanted.length""")
        for _ in range(wanted + 20):
            state = browser.js("""
              const e = document.activeElement;
              if (e === document.body) return 'out';
              if (seen.includes(e)) return 'again';
              seen.push(e);
              const shown = e.matches('.segment input') ? e.nextElementSibling : e;
              const style = getComputedStyle(shown);
              const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
              return outlined ? 'ok' : 'unseen: ' + e.outerHTML.slice(0, 200)""")
            if state in ("out", "again"):
                break
            self.assertEqual(state, "ok", route)
            browser.keys(Keys.TAB)
        missed = browser.js("""
          return wanted.filter(e => !seen.includes(e) && e.isConnected).map(e => e.outerHTML.slice(0, 120))""")
        self.assertEqual(missed, [], f"{route}: not reached by Tab")

    def test_the_chart_by_keyboard(self):
        self.open_wallet()
        chart = browser.find("[role=slider]")
        browser.wait(lambda: chart.get_attribute("aria-valuetext"), "a value")
        last = chart.get_attribute("aria-valuetext")
        chart.send_keys(Keys.ARROW_LEFT)
        browser.wait(lambda: chart.get_attribute("aria-valuetext") != last, "the point before")
        self.assertRegex(chart.get_attribute("aria-valuetext"), r"balance \d")
        chart.send_keys(Keys.HOME)
        browser.wait(lambda: chart.get_attribute("aria-valuenow") == "0", "the first point")

    def test_skip_link(self):
        self.log_in()
        browser.js("document.getElementById('skip').focus()")
        browser.keys(Keys.ENTER)
        self.assertEqual(browser.js("return document.activeElement.id"), "main")


class Health(PageTest):
    def test_peers(self):
        self.log_in("/peers")
        browser.wait(lambda: browser.all("tbody tr"), "a peer")
        browser.wait_text("encrypted")

    def test_filter(self):
        self.log_in("/filter")
        browser.wait_text("What the filters reveal")
        for text in ("False positives, observed", "Bytes by cause", "Who has your filters", "Filters in use"):
            browser.wait_text(text)


@unittest.skipUnless("--mock" in sys.argv, "needs invented data")
class Invented(PageTest):
    """What a small regtest chain does not show."""

    def test_sync_progress(self):
        chain = backend.chain
        chain.sync = {"state": "scanning", "scan": {"from": 400_000, "height": 500_000, "target": 800_000},
                      "blocks_per_second": 1204.4, "seconds_left": 249}
        try:
            self.log_in()
            browser.wait_text("Scanning blocks", ".sync")
            for text in ("25%", "block 500,000 of 800,000", "1,204 blocks/s", "4 min left"):
                browser.wait_text(text, ".sync")
            chain.sync = {**chain.sync, "scan": {"from": 400_000, "height": 700_000, "target": 800_000}}
            browser.wait_text("75%", ".sync")
            chain.sync = {"state": "stopped", "message": "no peer serves filters"}
            browser.wait_text("no peer serves filters", ".sync")
        finally:
            chain.sync = None
        browser.wait_gone(".sync")

    def test_long_history_is_read_by_pages(self):
        wallet = backend.chain.add_wallet("long")
        mock_server.fill_history(backend.chain, wallet, 2_600, 2_000)
        self.log_in("/wallet/long")
        browser.wait_text("2,100 transactions so far")
        self.assertEqual(len(self.rows()), 100)
        browser.press("Show older")
        browser.wait(lambda: len(self.rows()) == 200, "200 rows")
        browser.type(browser.find("input[type=search]"), wallet.history[2_000]["txid"])
        browser.wait(lambda: self.rows() == [wallet.history[2_000]["txid"]], "the row that was searched")

    def test_a_burst_of_payments_is_one_message(self):
        self.open_wallet()
        for _ in range(30):
            backend.pay(1_000)
        browser.wait_text("transactions changed in savings", "#toasts")
        self.assertLessEqual(len(browser.all(".toast")), 4)

    def test_many_wallets(self):
        chain = backend.chain
        for i in range(1_500):
            chain.wallets[f"w{i:04}"] = type(chain.wallets["empty"])(f"w{i:04}", chain)
        try:
            self.log_in()
            browser.wait_text("All 1,50", "#rail")
            browser.type(browser.find("[aria-label='Find a wallet']"), "w1499")
            browser.wait(lambda: len(browser.all("tbody tr")) == 1, "one wallet")
        finally:
            for i in range(1_500):
                del chain.wallets[f"w{i:04}"]

    def test_a_psbt_too_large_for_a_qr_code(self):
        wallet = backend.wallet()
        for _ in range(40):
            backend.pay(100_000)
        backend.mine()
        self.open_wallet("/send")
        browser.fill("Address", backend.foreign_address())
        browser.press("Send all")
        browser.wait(lambda: browser.field("Amount").get_attribute("value"), "an amount")
        browser.press("Create PSBT")
        browser.wait_text("Check the payment")
        browser.click("//summary[.='Show as a QR code']")
        browser.wait_text("too large for one QR code")
        browser.press("Discard")
        self.assertGreater(len(wallet.coins), 40)

    def test_conflicted(self):
        self.log_in("/wallet/family-multisig")
        browser.wait_text("Conflicted", "table")
        browser.go("/wallet/family-multisig/manage")
        browser.wait_text("This wallet has keys")


def main():
    global backend, browser
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    mode = sys.argv[1]
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("no browser tests: no chromium (Debian's packages chromium and chromium-driver)", file=sys.stderr)
        sys.exit(77)
    bitcoind = mode != "--mock" and regtest.find_bitcoind()
    if mode != "--mock" and not bitcoind:
        print("no bitcoind: see scripts/get-bitcoind", file=sys.stderr)
        sys.exit(77)
    try:
        backend = backends.MockBackend() if mode == "--mock" else backends.RealBackend(mode, bitcoind)
        browser = Browser()
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
    finally:
        if browser:
            browser.quit()
        if backend:
            backend.close()


if __name__ == "__main__":
    main()
