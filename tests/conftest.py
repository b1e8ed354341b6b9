"""What all tests need."""

import signal

# A shell's background job begins with SIGINT ignored, and so do the processes it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
