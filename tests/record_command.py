#!/usr/bin/env python3
"""Runs PROGRAM with the arguments, passes its output on, and writes what came of it as JSON to a new
file of the folder LOG, but for calls by such a program (`reduce --check`): tests put this in the place of `sourir`, and so see each command of a pipeline.

usage: record_command.py LOG PROGRAM ARGUMENT..."""
import json
import os
import subprocess
import sys
import tempfile

NESTED = "SOURIR_CALL_IS_RECORDED"


def passed_on(stream, data):
    try:
        stream.buffer.write(data)
        stream.flush()
    except BrokenPipeError:  # `| head` has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def main():
    log, program, *arguments = sys.argv[1:]
    if NESTED in os.environ:
        os.execv(program, [program, *arguments])
    os.environ[NESTED] = "1"
    out, err = os.fstat(1), os.fstat(2)
    # With `2>&1` lines keep their order.
    joined = (out.st_dev, out.st_ino) == (err.st_dev, err.st_ino)
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT if joined else subprocess.PIPE)
    text = (done.stdout + (done.stderr or b"")).decode("utf-8", "replace")
    with tempfile.NamedTemporaryFile("w", dir=log, suffix=".json", delete=False) as file:
        json.dump({"arguments": arguments, "status": done.returncode, "text": text,
                   "folder": os.getcwd()}, file)
    passed_on(sys.stdout, done.stdout)
    passed_on(sys.stderr, done.stderr or b"")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
