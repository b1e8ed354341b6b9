"""Write the pictures of gallery.md: the page of results for R8 and for seven corpora, as a reader sees it.

    python docs/write_gallery.py

The pages are built from the rows in experiments/results, with the terms and t-SNE of R8 from the folder TROENPY_DATA;
without it, those pictures are left as they are. Needs Chromium, by TROENPY_CHROMIUM or on the PATH. Pillow reduces the
pictures to 128 colours: a third of the bytes, and no difference to the eye.
"""

import io
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from troenpy.report.reproduction import Reproduction, rebuild

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs/gallery"
R8, SEVEN = ROOT / "experiments/results/r8", ROOT / "experiments/results/all"
DESK, PHONE = {"width": 1120, "height": 800}, {"width": 390, "height": 844}
N_COLOURS = 128


class Picture(NamedTuple):
    """A picture: its file name, the rows it shows, the part of the page (all that fits, if none), and how."""

    name: str
    rows: Path
    part: str = ""
    address: str = ""
    size: dict[str, int] = DESK
    colours: str = "light"
    needs_corpus: bool = False


PICTURES = (
    Picture("r8", R8),
    Picture("seven", SEVEN),
    Picture("phone", R8, size=PHONE),
    Picture("dark", SEVEN, colours="dark"),
    Picture("claims", SEVEN, "#claims"),
    Picture("cost", R8, "#cost"),
    Picture("ranks", SEVEN, "#ranks"),
    Picture("table", SEVEN, "#errors"),
    Picture("terms", R8, "#terms", address="#term=oil", needs_corpus=True),
    Picture("map", R8, ".map-views", needs_corpus=True),
)


def build(rows: Path, folder: Path) -> Reproduction:
    """Build the page from rows, with what the corpus adds if it is here."""
    folder.mkdir()
    result = rebuild(rows, out=folder, command="troenpy reproduce").with_projection()
    result.write()
    return result


def photograph(browser: Browser, picture: Picture, page_path: Path) -> bytes:
    """Return a part of the page, or its first screen, as PNG."""
    options: dict[str, Any] = {"viewport": picture.size, "color_scheme": picture.colours, "reduced_motion": "reduce"}
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(page_path.as_uri() + picture.address)
    page.evaluate("document.activeElement.blur()")
    page.add_style_tag(content="#term-contexts { display: none }")  # text of a corpus is not ours to publish
    if picture.part:
        page.add_style_tag(content=".choices { position: static !important; }")  # or it lies over the part
        part = page.locator(picture.part)
        part.scroll_into_view_if_needed()
        page.wait_for_timeout(500)  # maps are drawn when they come into view
        taken = part.screenshot()
    else:
        taken = page.screenshot()
    context.close()
    return taken


def reduce(png: bytes) -> bytes:
    """Return a picture with few colours."""
    small = io.BytesIO()
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(N_COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
    return small.getvalue()


def main() -> None:
    """Build both pages and write the pictures."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("TROENPY_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if path is None:
        sys.exit("the gallery needs Chromium: apt-get install chromium, or set TROENPY_CHROMIUM to its path")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        built = {rows: build(rows, Path(folder) / rows.name) for rows in (R8, SEVEN)}
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for picture in PICTURES:
            result = built[picture.rows]
            if picture.needs_corpus and result.terms is None:
                sys.stderr.write(f"{picture.name}: left as it is, because r8 was not found: set TROENPY_DATA\n")
                continue
            taken = photograph(browser, picture, result.folder / "report.html")
            (FOLDER / f"{picture.name}.png").write_bytes(reduce(taken))
        browser.close()


if __name__ == "__main__":
    main()
