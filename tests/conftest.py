"""What all tests need."""

import os
import signal
import tracemalloc

import pytest
from hypothesis import settings
from kernel_switch import kernel_off
from visits import Visit, chromium

from troenpy import _kernel, kernel_available

# How long an example takes says more about what else the machine does than about the code. Where CI is set, the same
# examples are drawn each time, so that a commit is not refused for what it did not change.
settings.register_profile("troenpy", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("troenpy")

# Without a compiler the suite runs on the twins, knowingly: here and in the processes it starts.
if _kernel.should_warn:
    _kernel.should_warn = False
    os.environ["TROENPY_KERNEL"] = "0"

# A shell's background job begins with SIGINT ignored, and so do the processes it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def peak_bytes():
    """Return a function that calls another and returns the peak of the memory that Python and NumPy took."""

    def measure(call):
        tracemalloc.start()
        try:
            call()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return measure


@pytest.fixture
def without_kernel():
    """Run a test on the twins in Python."""
    with kernel_off():
        yield


@pytest.fixture(params=["kernel", "twin"])
def kernel_or_twin(request):
    """Run a test twice: on the kernel, and on the twins in Python."""
    if request.param == "twin":
        request.getfixturevalue("without_kernel")
    elif not kernel_available():
        pytest.skip("no kernel")
    return request.param


@pytest.fixture(scope="session")
def browser():
    """A real browser, or skip."""
    api = pytest.importorskip("playwright.sync_api")
    path = chromium()
    with api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Open pages in the browser; see `visits`."""
    opened = []

    def open_page(path, **options):
        opened.append(Visit(browser, path, **options))
        return opened[-1]

    yield open_page
    for one in opened:
        one.context.close()
