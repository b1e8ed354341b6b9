"""What all tests need."""

import signal

from hypothesis import settings

# How long an example takes says more about what else the machine does than about the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

# A shell's background job begins with SIGINT ignored, and so do the processes it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
