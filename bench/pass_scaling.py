#!/usr/bin/env python3
"""How the time of each pass grows with the program: four shapes of programs of 1,000, 10,000 and
100,000 instructions with at most 32 variables in scope. A pass is near-linear if ten times the
program costs it at most 13 times the time. Times are the best of several runs; ratios of times
below half a millisecond say nothing and are not judged. Also: O2 in all, and its peak memory.

usage: pass_scaling.py [--sourir PATH] [--sizes N,N,N] [-k PASS] [--shapes A,B] [--above RATIO]
Exits with 1 if a ratio is above RATIO (default 13).
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

VARIABLES = 24
JUDGED_FROM = 0.5  # ms at the smaller size
SPECULATION = ["fresh-version", "checkpoints:as=assume", "speculate"]


def straight_line(size):
    """One block of assignments; a print now and then keeps values alive."""
    lines = [f"  var v{k} = {k}" for k in range(VARIABLES)]
    while len(lines) < size - 1:
        n = len(lines)
        a, b, c = n % VARIABLES, (n * 7 + 3) % VARIABLES, (n * 5 + 1) % VARIABLES
        lines.append(f"  print v{a}" if n % 10 == 0 else f"  v{a} <- (v{b} {'+-*'[n % 3]} v{c})")
    return "function main()\n" + "\n".join(lines) + "\n  stop\n"


def loops(size):
    """Loops behind each other, each with a branch and a variable of its own."""
    lines, count, k = ["  var sum = 0", "  var one = 1"], 2, 0
    while count < size - 1:
        lines += [f"  var i{k} = 0", f"  goto H{k}", f"H{k}:", f"  branch (i{k} < 10) $B{k} $E{k}",
                  f"$B{k}:", f"  var t{k} = (i{k} * one)", f"  guard_hint (t{k} is int)",
                  f"  branch (t{k} == 3) $T{k} $F{k}", f"$T{k}:", f"  sum <- (sum + t{k})",
                  f"  goto J{k}", f"$F{k}:", f"  sum <- (sum + 1)", f"  goto J{k}", f"J{k}:",
                  f"  drop t{k}", f"  i{k} <- (i{k} + 1)", f"  goto H{k}", f"$E{k}:",
                  f"  drop i{k}", "  print sum"]
        count, k = count + 15, k + 1
    return "function main()\n" + "\n".join(lines) + "\n  stop\n"


def functions(size):
    """Many small functions; main calls each."""
    count = max(1, size // 12)
    calls = "\n".join(f"  call r = 'f{k}({k}, 2)\n  print r\n  drop r" for k in range(count))
    text = f"function main()\n{calls}\n  stop\n"
    for k in range(count):
        text += (f"function f{k}(var x, var y)\n  guard_hint (y == 2)\n  var a = (x + y)\n"
                 f"  branch (a < 100) $S $L\n$S:\n  var b = (a * 2)\n  print b\n  return b\n$L:\n"
                 f"  array t = [a, y]\n  t[0] <- (a - 1)\n  return t[0]\n")
    return text


def chain(size):
    """Each function calls the next one."""
    count = max(1, size // 8)
    text = "function main()\n  call r = 'f0(1)\n  print r\n  stop\n"
    for k in range(count):
        call = f"  call r = 'f{k + 1}(a)" if k + 1 < count else "  var r = a"
        text += (f"function f{k}(var x)\n  var y = 2\n  var a = (x + y)\n  guard_hint (x == 1)\n"
                 f"  branch (a == 0) $Z $N\n$Z:\n  return 0\n$N:\n{call}\n  print r\n"
                 f"  return (r + 1)\n")
    return text


SHAPES = {"straight": straight_line, "loops": loops, "functions": functions, "chain": chain}


class Failure(Exception):
    """The tool did not do what it was asked."""


def optimize(options, path, pipeline):
    """(statistics, seconds of the processor, peak memory in MiB)"""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([options.sourir, "opt", path, f"--pass={pipeline}",
                                    "--stats=json", "-o", os.devnull], stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode("utf-8", "replace")
    if process.returncode != 0:
        raise Failure(f"sourir opt {path} --pass={pipeline}: {process.returncode}\n{text[:2000]}")
    return json.loads(text), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def milliseconds(options, path, before, name):
    """The best of several runs of the pass, behind the passes in `before`."""
    best, runs = None, 0
    while runs < options.runs:
        report, _, _ = optimize(options, path, ",".join([*before, name]))
        time = report["passes"][-1]["milliseconds"]
        best, runs = (time if best is None else min(best, time)), runs + 1
        if time > 2000:
            break
    return best


def rows(options, passes, folder):
    """(shape, what, times by size) for every pass, alone and behind speculation."""
    for shape in options.shapes:
        paths = []
        for size in options.sizes:
            path = Path(folder) / f"{shape}_{size}.sou"
            path.write_text(SHAPES[shape](size))
            paths.append(str(path))
        for name in passes:
            for before in ([], [p for p in SPECULATION if p.split(":")[0] in options.known]):
                what = name if not before else "... " + name
                yield shape, what, [milliseconds(options, p, before, name) for p in paths]
        for path, size in zip(paths, options.sizes):
            _, seconds, peak = optimize(options, path, "O2")
            print(f"{shape:10} O2 on {size:>7} instructions: {seconds:8.2f} s, {peak:7.0f} MiB",
                  flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", default="build/bin/sourir")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("-k", default="", help="only passes whose name contains it")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--above", type=float, default=13)
    options = parser.parse_args()
    options.sizes = [int(size) for size in options.sizes.split(",")]
    options.shapes = options.shapes.split(",")
    listed = subprocess.run([options.sourir, "opt", "--list-passes", "--json"],
                            stdout=subprocess.PIPE, check=True).stdout
    options.known = [p["name"] for p in json.loads(listed)["passes"]]
    return options


def main():
    options = parse_arguments()
    passes = [name for name in options.known if options.k in name]
    high = []
    sizes = "".join(f"{size:>11}" for size in options.sizes)
    print(f"{'shape':10} {'pass':24}{sizes}      ratio   (ms; ... behind speculation)")
    with tempfile.TemporaryDirectory() as folder:
        for shape, what, times in rows(options, passes, folder):
            judged = len(times) > 1 and times[-2] >= JUDGED_FROM
            ratio = times[-1] / times[-2] if judged else None
            shown = "".join(f"{time:11.3f}" for time in times)
            mark = "  <-- HIGH" if ratio and ratio > options.above else ""
            print(f"{shape:10} {what:24}{shown} {ratio or 0:10.1f}{mark}", flush=True)
            if mark:
                high.append((shape, what, ratio))
    print(f"scaling: {len(high)} above {options.above:g}")
    return 1 if high else 0


if __name__ == "__main__":
    sys.exit(main())
