"""Pages of ours in a real Chromium, and what became of them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.support.wait import WebDriverWait

PAGE_CHECKS = Path(__file__).with_name("page_checks.js").read_text(encoding="utf-8")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
REQUIRED = "KATA_BROWSER_REQUIRED"
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # pages may name places elsewhere, and that is seen; no test goes there
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
KEYS = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), "Space": (" ", 32, " ")}
"""What a key is called, its code and what it types."""
SCRIPT_SECONDS = 60


class Browser:
    """Shows pages of ours in a real Chromium and tells what became of them."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self._driver = driver

    def show(self, page: Path | str, *, width: int, height: int, scheme: str = "light") -> None:
        """Load a file or an address in a window of this size; what was logged before is forgotten."""
        self.tell(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.requests(), self.complaints()
        self._driver.get(page if isinstance(page, str) else page.as_uri())

    def run(self, script: str, *arguments: object) -> Any:
        """What a script, as the body of a function, returns."""
        return self._driver.execute_script(script, *arguments)

    def until(self, script: str, *arguments: object, seconds: float = 60) -> Any:
        """What a script returns, once that is something."""
        return WebDriverWait(self._driver, seconds, poll_frequency=0.1).until(
            lambda _: self.run(script, *arguments), message=script
        )

    def click(self, selector: str) -> None:
        """Press the mouse on an element, which fails where something covers it."""
        self._driver.find_element("css selector", selector).click()

    def tell(self, command: str, **parameters: object) -> Any:
        """A command of the DevTools protocol."""
        return self._driver.execute_cdp_cmd(command, parameters)

    def press(self, key: str) -> None:
        """A key, as from a keyboard."""
        name, number, text = KEYS[key]
        named = {"key": name, "code": key, "windowsVirtualKeyCode": number}
        self.tell("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        self.tell("Input.dispatchKeyEvent", type="keyUp", **named)

    def problems(self) -> list[str]:
        """What is wrong with the page, all of it opened, for those who read it or listen, and what it asked for."""
        self.run("document.querySelectorAll('details').forEach(each => each.open = true)")
        found = self.run(f"{PAGE_CHECKS}\nreturn problems()")
        asked = [address for address in self.requests() if address != self._driver.current_url]
        return [*found, *asked, *self.complaints()]

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self._driver.get_log("performance")]
        sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent]

    def complaints(self) -> list[str]:
        """What stood in the console since the last call."""
        return [entry["message"] for entry in self._driver.get_log("browser")]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium without a window; the test is skipped where there is none, unless KATA_BROWSER_REQUIRED is set."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver_program = shutil.which("chromedriver")
    if program is None or driver_program is None:
        lacking = "chromium" if program is None else "chromedriver"
        reason = f"no {lacking} here; on Debian: apt-get install chromium chromium-driver"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, but there is {reason}")
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = program
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    for argument in QUIET:
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver_program))
    driver.set_script_timeout(SCRIPT_SECONDS)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
