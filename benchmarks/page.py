"""The page of results in Chromium: seconds until it is painted, and its size.

    python benchmarks/page.py
    python benchmarks/page.py --rows FOLDER --repeats 5

The page is built from rows (by default those of seven corpora in experiments/results), with the terms and t-SNE of R8
if the folder TROENPY_DATA has it. Each repetition opens the file in a new context of a browser that is running, so that
nothing is cached; "first paint" is the browser's first contentful paint, "interactive" when its script has run.
Needs Chromium, by TROENPY_CHROMIUM or on the PATH.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from text import describe_machine

from troenpy.experiments.journal import read_rows
from troenpy.report.reproduction import rebuild

ROWS = Path(__file__).parent.parent / "experiments/results/all/rows.jsonl"
TIMES = """() => {
  const [navigation] = performance.getEntriesByType("navigation");
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [paint.startTime, navigation.domContentLoadedEventEnd, document.querySelectorAll("*").length];
}"""
SCREENS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 3},
}


def measure(browser: Browser, path: Path, screen: dict[str, Any]) -> list[float]:
    """Return milliseconds until the first paint and until the script has run, and the number of elements."""
    context = browser.new_context(**screen)
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    times: list[float] = page.evaluate(TIMES)
    context.close()
    return times


def main() -> None:
    """Build the page, open it, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, default=ROWS, help="file of rows")
    parser.add_argument("--repeats", type=int, default=9)
    options = parser.parse_args()
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("TROENPY_CHROMIUM") or next(filter(None, map(shutil.which, names)))
    describe_machine()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        result = rebuild(options.rows, out=folder).with_projection()
        start = time.perf_counter()
        page = result.write()[0]
        written = time.perf_counter() - start
        rows = read_rows(options.rows)
        n_methods, n_corpora = len({row.method for row in rows}), len({row.corpus for row in rows})
        terms = 0 if result.terms is None else len(result.terms["terms"])
        print(f"{n_methods} methods, {n_corpora} corpora, {terms:,} terms: {page.stat().st_size / 1e6:.2f} MB")
        print(f"in {written:.2f} s\n\n| screen | first paint, ms | interactive, ms | elements |\n|---|---:|---:|---:|")
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, screen in SCREENS.items():
            measure(browser, page, screen)  # the first page of a browser also starts its processes
            found = [measure(browser, page, screen) for _ in range(options.repeats)]
            paint, ready, elements = (statistics.median(column) for column in zip(*found, strict=True))
            print(f"| {name} | {paint:.0f} | {ready:.0f} | {elements:,.0f} |")
        browser.close()


if __name__ == "__main__":
    main()
