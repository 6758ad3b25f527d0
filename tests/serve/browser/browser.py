"""Debian's chromium, headless, and what the tests of the page ask of it. Everything waits for facts."""
import base64
import json
import pathlib
import shutil
import tempfile
import time

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]
# Generous: two cores may run five tests.
PATIENCE = 90


class Browser:
    """One tab. Texts are what a person sees; a selector is CSS, or XPath if it starts with a slash."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="spv-browser-")
        self.downloads = pathlib.Path(self.folder) / "downloads"
        self.downloads.mkdir()
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in [*FLAGS, f"--user-data-dir={self.folder}/profile"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def quit(self):
        self.driver.quit()
        shutil.rmtree(self.folder, ignore_errors=True)

    def cdp(self, method, **parameters):
        return self.driver.execute_cdp_cmd(method, parameters)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def resize(self, width, height=900):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        # Without motion a screenshot is the same each time.
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                         {"name": "prefers-reduced-motion", "value": "reduce"}])

    def wait(self, fact, what, patience=PATIENCE):
        """Until fact() is true; its value."""
        end = time.monotonic() + patience
        while True:
            try:
                value = fact()
                if value:
                    return value
            except (StaleElementReferenceException, WebDriverException) as error:
                value = error
            if time.monotonic() > end:
                raise AssertionError(f"waited {patience} s for {what}; the page shows:\n{self.text()[:2000]}")
            time.sleep(0.02)

    def text(self):
        return self.js("return document.body.innerText")

    def all(self, selector):
        return self.driver.find_elements(By.XPATH if selector.startswith("/") else By.CSS_SELECTOR, selector)

    def find(self, selector):
        """The first that is visible, once there is one."""
        return self.wait(lambda: next((each for each in self.all(selector) if each.is_displayed()), None), selector)

    def wait_text(self, text, within="body"):
        self.wait(lambda: any(text in (each.text or "") for each in self.all(within)), f"{text!r} in {within}")

    def wait_gone(self, selector):
        self.wait(lambda: not any(each.is_displayed() for each in self.all(selector)), f"no {selector}")

    def click(self, selector):
        self.wait(lambda: self.find(selector).click() or True, f"a click on {selector}")

    def button(self, text):
        return f"//*[self::button or self::a][normalize-space()='{text}']"

    def press(self, text):
        self.click(self.button(text))

    def field(self, label):
        """The control that a label names."""
        return self.find(f"//*[@id=//label[normalize-space()='{label}' and not(ancestor::*[@hidden])]/@for]")

    def type(self, element, text):
        element.clear()
        element.send_keys(text)

    def fill(self, label, text):
        self.type(self.field(label), text)

    def error_at(self, label):
        """The error that a screen reader reads with the field."""
        ids = (self.field(label).get_attribute("aria-describedby") or "").split()
        return " ".join(self.js("return document.getElementById(arguments[0]).textContent", each) for each in ids
                        if each.endswith("-error"))

    def wait_error(self, label, text):
        self.wait(lambda: text in self.error_at(label), f"{text!r} at {label}")

    def go(self, route):
        self.js("location.hash = arguments[0]", "#" + route)

    def keys(self, *keys):
        chain = ActionChains(self.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def there_and_back(self):
        chain = ActionChains(self.driver).send_keys(Keys.TAB)
        chain.key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()

    def downloaded(self, name):
        return self.wait(lambda: (self.downloads / name).exists() and (self.downloads / name).read_bytes(), name)

    def picture(self, path=None):
        data = base64.b64decode(self.cdp("Page.captureScreenshot", format="png")["data"])
        if path:
            pathlib.Path(path).write_bytes(data)
        return data

    def picture_of(self, selector):
        """One element, enlarged: for reading QR codes."""
        element = self.find(selector)
        box = self.js("const b = arguments[0].getBoundingClientRect();"
                      "return {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}", element)
        return base64.b64decode(self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                         clip={**box, "scale": 2})["data"])

    def complaints(self, allowed=()):
        """Errors and warnings of the console (CSP violations are among them), but those with an allowed text."""
        entries = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return [entry["message"] for entry in entries if not any(text in entry["message"] for text in allowed)]

    def unnamed_controls(self):
        """Controls that a screen reader would have no name for."""
        roles = {"button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "slider", "progressbar",
                 "spinbutton", "dialog", "table", "image", "navigation"}
        nodes = self.cdp("Accessibility.getFullAXTree")["nodes"]
        return [json.dumps(node)[:300] for node in nodes
                if not node.get("ignored") and node.get("role", {}).get("value") in roles
                and not node.get("name", {}).get("value", "").strip()]


__all__ = ["Browser", "By", "Keys"]
