#!/usr/bin/env python3
"""The handler of the profiler allocates nothing and takes no lock: with a library preloaded that ends
the process where a signal handler does (handler_guard.cpp).

usage: guard_test.py --sourir PATH --guard PATH
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [["--profile=timer", "--profile-period=100000", "--profile-limit=50"],
         ["--profile=auto", "--profile-period=100000", "--profile-limit=50", "--record-samples=/dev/null"],
         ["--profile=timer", "--profile-period=100000", "--profile-limit=50", "--profile-adaptive"],
         ["--profile=timer", "--profile-period=100000", "--profile-limit=50", "--profile-burst=3"]]


def run(options, program, flags, **environment):
    return subprocess.run([options.sourir, "run", str(program), *flags], capture_output=True,
                          timeout=300, env=dict(os.environ, **environment))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", required=True)
    parser.add_argument("--guard", required=True)
    options = parser.parse_args()
    programs = sorted((ROOT / "examples/profiler").glob("*.sou"))
    wrong = 0
    for program in programs:
        plain = run(options, program, [])
        for flags in FLAGS:
            done = run(options, program, flags, LD_PRELOAD=options.guard)
            if (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
                wrong += 1
                print(f"{program.name} {flags}: {done.returncode}\n{done.stderr.decode()}")
    done = run(options, programs[0], FLAGS[0], LD_PRELOAD=options.guard, HANDLER_GUARD_MISBEHAVE="1")
    if b"a signal handler called malloc" not in done.stderr:
        wrong += 1
        print(f"a handler that allocates was not noticed: {done.returncode} {done.stderr.decode()}")
    print(f"handler_guard: {len(programs) * len(FLAGS) + 1} runs, {wrong} wrong")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
