"""Pages opened in a real browser, and what they did meanwhile.

Needs Chromium, by TROENPY_CHROMIUM or on the PATH, and for `violations` axe-core, by TROENPY_AXE (the path of its
axe.min.js). Where one of them is "required" or names a file, as in .ci/run, none is a failure; TROENPY_CHROMIUM=off
does without, in environments that differ in nothing that a browser sees.
"""

import os
import shutil
from pathlib import Path

import pytest


def chromium():
    """Return the path of a browser, or skip."""
    given = os.environ.get("TROENPY_CHROMIUM", "")
    if given == "off":
        pytest.skip("TROENPY_CHROMIUM is off")
    names = [given] if given not in ("", "required") else ["chromium", "chromium-browser", "google-chrome"]
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None and given:
        pytest.fail(f"TROENPY_CHROMIUM is {given!r}, and there is no such browser: apt-get install chromium")
    if found is None:
        pytest.skip("no Chromium here: install it, or name it in TROENPY_CHROMIUM")
    return found


def axe():
    """Return axe-core's script, or skip."""
    given = os.environ.get("TROENPY_AXE", "")
    if given and not Path(given).is_file():
        pytest.fail(f"TROENPY_AXE is {given!r}, and there is no such file: npm install axe-core")
    if not given:
        pytest.skip("no axe-core here: npm install axe-core, and name its axe.min.js in TROENPY_AXE")
    return Path(given).read_text(encoding="utf-8")


class Visit:
    """A page that was opened."""

    def __init__(self, browser, path, *, address="", **options):
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.context.set_default_timeout(300_000)
        self.page = self.context.new_page()
        self.messages, self.requests, self.dialogs = [], [], []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.goto(Path(path).as_uri() + address)

    def is_quiet(self):
        """Whether nothing was logged, asked or fetched."""
        return self.messages == [] and self.dialogs == [] and len(self.requests) == 1

    def fits(self):
        """Whether the page needs no sideways scrolling."""
        return self.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")

    def eventually(self, condition):
        """Wait until something holds, however busy the machine is."""
        for _ in range(3000):
            if condition():
                return True
            self.page.wait_for_timeout(100)
        return False

    def violations(self):
        """Return what axe-core finds, a line per violation."""
        self.page.evaluate(axe())
        found = self.page.evaluate("axe.run()")["violations"]
        return [f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']][:5]}" for one in found]
