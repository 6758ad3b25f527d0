#!/usr/bin/python3
"""Makes the pictures of the page in docs/page/ from invented data.

usage: pictures.py FOLDER        with pngquant, if there is one, they are small
"""
import pathlib
import shutil
import subprocess
import sys

import backends
from browser import Browser, Keys

PICTURES = [("overview", "/", 1440, 900, "light"), ("wallet-dark", f"/wallet/{backends.WALLET}", 1440, 900, "dark"),
            ("filter", "/filter", 1440, 1330, "light"), ("phone", f"/wallet/{backends.WALLET}", 320, 720, "light"),
            ("phone-receive", f"/wallet/{backends.WALLET}/addresses", 320, 720, "dark")]
READY = {"overview": ".events li", "filter": ".reveals", "phone-receive": ".receive"}


def take(browser, folder, name, route, width, height, scheme):
    browser.resize(width, height)
    browser.prefer(scheme)
    browser.go(route)
    if name == "phone-receive":
        browser.press("New address")
    browser.find(READY.get(name, ".plot svg"))
    browser.js("document.activeElement.blur(); scrollTo(0, 0)")
    path = folder / f"{name}.png"
    browser.picture(path)
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--ext", ".png", "--speed", "1", "64", str(path)], check=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    backend = backends.MockBackend()
    browser = Browser()
    try:
        browser.resize(1440)
        browser.driver.get(backend.url)
        browser.fill("Access token", backend.token + Keys.ENTER)
        browser.find("#rail")
        for picture in PICTURES:
            take(browser, folder, *picture)
    finally:
        browser.quit()
        backend.close()


if __name__ == "__main__":
    main()
