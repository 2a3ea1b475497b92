#!/usr/bin/env python3
"""Runs every `# test: run` of the file tests with each engine or mode (MODES below): output, exit
status and messages must be those of the reference. A test that says `# engines: reference (WHY)` is
left out.

usage: run_engines.py --sourir PROGRAM --engines baseline,native [PATH...]
The last line is `engines: N runs agree, N differ, N tests left out`; under signal stress, with the
number of samples that they were: none is a failure.
"""
import argparse
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filetest import FileTest
from run_filetests import Bench, Failure, environment, difference, find_tests
from tool import Tool

# What belongs to the reference (a trace, counts of steps), or ends before anything runs.
OF_THE_REFERENCE = ("--trace", "--trace-file", "--help", "--engine", "--watch")
# Besides the engines that `run` knows.
MODES = {
    "stress-osr": ["--engine=auto", "--stress-osr", "--jit-level=0"],
    # A continuation at the first exit of each context.
    "deoptless": ["--engine=auto", "--jit-sync", "--tier=calls=2", "--tier=iterations=2",
                  "--tier=continuations=1", "--tier=deoptless=on", "--jit-level=0"],
    "background": ["--engine=auto", "--tier=calls=2", "--tier=iterations=2", "--tier=exits=2",
                   "--tier=delay=0"],
    # Code that samples find stale, all the time; ten thousand signals a second.
    "sampled": ["--engine=auto", "--jit-sync", "--tier=calls=2", "--tier=iterations=2",
                "--profile=loop", "--profile-period=3", "--profile-min-samples=2",
                "--profile-max-samples=20"],
    "signal-stress": ["--engine=auto", "--tier=calls=2", "--tier=iterations=2", "--tier=delay=0",
              "--profile=timer", "--profile-period=200000", "--profile-limit=50",
              "--profile-min-samples=2", "--profile-max-samples=20", "--profile-hits=1"],
}
# Versions for the contexts of all calls.
MODES["contexts"] = ["--engine=auto", "--jit-sync", "--tier=calls=1", "--tier=iterations=2",
                     "--tier=contexts=5", "--tier=context-samples=1", "--jit-level=0"]
# With code for samples besides the code for speed.
MODES["instrumented"] = [*MODES["sampled"], "--profile-hits=1"]
SIGNAL_STRESS_REPORT = "signal-stress-samples.txt"
COUNTS = ("--stats", "--stats=text", "--stats=json")
SCHEDULES = ("--deopt=always", "--deopt=p:0.1:7")
# What unit_tests (Baseline) and native_tests (NativeEngine, AutoEngine) do on the same programs, each
# with more schedules.
DONE_ELSEWHERE = {("baseline", "--deopt=always"), ("baseline", "--deopt=p:0.1:7"),
                  ("native", "--deopt=p:0.1:7"), ("auto", "--deopt=p:0.1:7"),
                  ("stress-osr", "--deopt=always")}


def comparable(command):
    words = command.arguments
    return words[0] == "run" and not any(
        word == flag or word.startswith(flag + "=") or "watch:" in word
        for word in words for flag in OF_THE_REFERENCE)


def variants(command):
    """The command as it is, and with exits forced where it does not say which to take: its words, and
    the flag that was added or None."""
    words = [word for word in command.arguments if word not in COUNTS]
    yield words, None
    if not any(word.startswith("--deopt") for word in words):
        for schedule in SCHEDULES:
            yield words + [schedule], schedule


ADVICE = "sourir: nothing was compiled before the program ended"


def with_engine(words, engine):
    flags = MODES.get(engine, [f"--engine={engine}"])
    if engine == "signal-stress":
        flags = flags + [f"--profile-report={SIGNAL_STRESS_REPORT}"]
    if any(word.startswith("--max-depth") for word in words):
        flags = flags + ["--no-inlining"] # calls that are inlined do not count
    return ["run", *flags] + words[1:]


def without_values(result):
    """Native code keeps no values for frames that wait after a call, nor what an exit drops."""
    head, mark, frames = result.stderr.partition("frames, innermost first:\n")
    lines = [re.sub(r"^(  \S+) +(.*?:\d+)(  .*)?$", r"\1 \2", line) for line in frames.split("\n")]
    return result._replace(stderr=head + mark + "\n".join(lines))


def without_advice(result):
    """That for a profile of a program too short to be compiled."""
    lines = [line for line in result.stderr.split("\n") if not line.startswith(ADVICE)]
    return result._replace(stderr="\n".join(lines))


def shown(result):
    return (result.stdout.split("\n") + [f"exit: {result.status}"]
            + [f"! {line}" for line in result.stderr.split("\n")])


def count_samples(options, folder):
    text = (Path(folder) / SIGNAL_STRESS_REPORT).read_text()
    found = re.search(r"samples: (\d+) in native.*, (\d+) in the baseline, (\d+) elsewhere", text)
    options.samples.append(sum(map(int, found.groups())))


def compare(options, test, words, forced):
    """The differences of all engines, as texts."""
    with tempfile.TemporaryDirectory(prefix="engines-") as folder:
        bench = Bench(options, test, folder)
        engines = [e for e in options.engines if (e, forced) not in DONE_ELSEWHERE]
        reference = bench.run(with_engine(words, "reference")) if engines else None
        for engine in engines:
            try:
                result = without_advice(bench.run(with_engine(words, engine)))
            except Failure as failure:
                yield str(failure)
                continue
            if engine == "signal-stress" and (Path(folder) / SIGNAL_STRESS_REPORT).exists():
                count_samples(options, folder)
            expected = reference
            if engine != "baseline":
                expected, result = without_values(reference), without_values(result)
            if result != expected:
                yield (f"sourir {' '.join(with_engine(words, engine))}:\n"
                       + difference(shown(expected), shown(result)))
            else:
                yield None


def run_test(options, path):
    """(the reason why it is left out or None, a text for each difference and None for the rest)."""
    test = FileTest(path)
    commands = [command for command in test.commands if command.arguments and comparable(command)]
    if test.only_reference:
        return test.only_reference, []
    return None, [found for command in commands for words, forced in variants(command)
                  for found in compare(options, test, words, forced)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", default=["tests/filetests", "examples", "bench"])
    parser.add_argument("--sourir", default="build/bin/sourir", help="the program to test")
    parser.add_argument("--server", help="tests/command_server, which then runs the commands")
    parser.add_argument("--engines", default="baseline,native", help="separated by commas")
    parser.add_argument("-k", default="", metavar="SUBSTR", help="only paths that contain it")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="tests at a time")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each run")
    options = parser.parse_args()
    options.tool = Tool(Path(options.sourir).resolve(), options.server, environment())
    options.engines = options.engines.split(",")
    options.samples = [] # of each run under signal stress
    return options


def main():
    options = parse_arguments()
    tests = find_tests(options.paths, options.k)
    agree = differ = left_out = 0
    with ThreadPoolExecutor(max_workers=options.j) as pool:
        for path, (why, results) in zip(tests, pool.map(lambda p: run_test(options, p), tests)):
            left_out += why is not None
            agree += results.count(None)
            for text in filter(None, results):
                differ += 1
                print(f"DIFFERS {path}\n" + "\n".join("  " + line for line in text.split("\n")))
    samples = sum(options.samples)
    stress = f", {samples} samples" if "signal-stress" in options.engines else ""
    print(f"engines: {agree} runs agree, {differ} differ, {left_out} tests left out{stress}")
    return 1 if differ or not agree or (stress and not samples) else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main())
