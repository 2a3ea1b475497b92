"""Runs a program that may be built with sanitizers."""
import subprocess

# Of LeakSanitizer's own search at the end of a process, which now and then crashes
# (google/sanitizers issue 1353): it says nothing of the program, neither good nor bad.
COULD_NOT_LOOK = b"LeakSanitizer has encountered a fatal error"


def run(command, **options):
    """subprocess.run with captured output; a second time where LeakSanitizer could not look."""
    done = subprocess.run(command, capture_output=True, **options)
    if COULD_NOT_LOOK in done.stderr:
        done = subprocess.run(command, capture_output=True, **options)
    return done
