#!/usr/bin/env python3
"""Whether a change made anything slower: the programs of bench/, the same in two builds of sourir that
share a processor (pairs.py), with answers checked. Prints the median seconds of the processor of each (or
bytes of machine code, or seconds of compiling: --what, in turn), the median of NEW / OLD with the geometric
mean, and the same ratio of the fastest runs.
With two programs of Google Benchmark or pass_times instead of sourir: the same of what they report.

usage: compare_builds.py OLD NEW [--size SIZE] [--runs N] [--engines NAMES] [--programs NAMES]
                         [--what seconds|code|compiling]
       compare_builds.py OLD NEW --parts [--runs N] [--filter REGEX]
Exits with 1 if an answer is wrong. Both builds should be release builds on an idle machine.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

from iterated import Failure
from pairs import sharing
from profiler import in_turns, run_command

BENCH = Path(__file__).resolve().parent
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}


STATISTICS = {"code": "machine_code_bytes", "compiling": "compile_seconds"}


def measure(sourir, engine, program, options):
    """One run: its seconds, or a statistic; raises Failure for a wrong answer."""
    row = program["sizes"][options.size]
    words = [] if options.what == "seconds" else ["--jit-sync", "--stats=json"]
    path = BENCH / "programs" / f"{program['name']}.sou"
    printed, said, usage = run_command([sourir, "run", f"--engine={engine}", *words, str(path)],
                                       f"{row['n']}\n")
    if printed.split() != row["answer"].split():
        raise Failure(f"{sourir} --engine={engine} {program['name']}: {printed[:200]!r} "
                      f"{said[:200]!r}, expected {row['answer']!r}")
    if options.what != "seconds":
        return json.loads(said)[STATISTICS[options.what]]
    return usage.ru_utime + usage.ru_stime


def program_rows(options):
    """(name, [seconds of OLD], [seconds of NEW]), run by run."""
    programs = json.loads((BENCH / "programs.json").read_text(encoding="utf-8"))["programs"]
    chosen = options.programs.split(",") if options.programs else None
    for program in programs:
        if chosen and program["name"] not in chosen:
            continue
        for engine in options.engines.split(","):
            old, new = (partial(measure, sourir, engine, program, options)
                        for sourir in (options.old, options.new))
            if options.what == "seconds":
                times = sharing(options.runs, old, new)
            else:
                times = in_turns(options.runs, {"old": old, "new": new}).values()
            yield (f"{program['name']} {engine}", *times)


def times_of_parts(binary, pattern):
    words = [binary, "--benchmark_format=json", "--benchmark_min_time=0.1"]
    if pattern:
        words.append(f"--benchmark_filter={pattern}")
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return {one["name"]: one["cpu_time"] * SECONDS[one["time_unit"]]
            for one in json.loads(done.stdout)["benchmarks"]}


def part_rows(options):
    """The same of what two programs of Google Benchmark time; what only one of them has is named."""
    times = [], []
    for _ in range(options.runs):
        for k, binary in enumerate((options.old, options.new)):
            times[k].append(times_of_parts(binary, options.filter))
    old, new = times[0][0], times[1][0]
    for name in sorted(set(old) ^ set(new)):
        print(f"only in {'OLD' if name in old else 'NEW'}: {name}")
    for name in old:
        if name in new:
            yield name, *([run[name] for run in runs] for runs in times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--parts", action="store_true", help="OLD and NEW are sourir_bench")
    parser.add_argument("--filter", default="", help="of the parts")
    parser.add_argument("--size", default="small", choices=["tiny", "small", "full", "long"])
    parser.add_argument("--what", default="seconds", choices=["seconds", *STATISTICS],
                        help="code: bytes of machine code; compiling: seconds of LLVM")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--engines", default="auto", help="names between commas")
    parser.add_argument("--programs", default="", help="names between commas")
    options = parser.parse_args()
    ratios = []
    try:
        for name, old, new in part_rows(options) if options.parts else program_rows(options):
            before, after = statistics.median(old), statistics.median(new)
            ratios.append(statistics.median(b / a for a, b in zip(old, new)))
            print(f"{name:44} {before:12.4g} {after:12.4g}  {ratios[-1]:5.2f}"
                  f"   fastest {min(new) / min(old):5.2f}", flush=True)
    except Failure as wrong:
        print(wrong, file=sys.stderr)
        return 1
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"{'geometric mean of ' + str(len(ratios)):44} {'':25}  {mean:5.3f}"
              f"   worst {max(ratios):.2f}, best {min(ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
