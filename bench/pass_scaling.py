#!/usr/bin/env python3
"""How the time of each pass grows with the program: four shapes of programs with at most 32
variables in scope. Compared are one program of 100,000 instructions and ten of 10,000, all in
memory: so both touch as much of it, and what is left is what the pass does. A pass is near-linear
if one large program costs at most 1.3 times the ten smaller ones, that is at most 13 times one of
them; `alone` shows that one by itself, which the caches favour. Also: O2 in all, and its memory.
Times are of the processor, the best of RUNS in turns. They still depend on what else the machine
does: other processes take the caches away, which costs the large programs more. The load is shown.

A pass passes if the geometric mean of its ratios over the shapes is at most RATIO (13). Single rows
above it are marked: a program of 100,000 instructions does not fit into a second-level cache, and one
of 10,000 does, which alone is worth up to 4 in this ratio for what does little but copy.

usage: pass_scaling.py [--sourir PATH] [--times PATH] [-k PASS] [--shapes A,B] [--above RATIO]
                       [--runs N]
Exits with 1 if a pass is above RATIO.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

VARIABLES = 24
SMALL, LARGE = 10000, 100000  # instructions
JUDGED_FROM = 5  # ms that the large program must take for its ratio to say something
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
    """Loops after each other, each with a branch and a variable of its own."""
    lines, count, k = ["  var sum = 0", "  var one = 1"], 2, 0
    while count < size - 1:
        lines += [f"  var i{k} = 0", f"  goto H{k}", f"H{k}:", f"  branch (i{k} < 10) $B{k} $E{k}",
                  f"$B{k}:", f"  var t{k} = (i{k} * one)", f"  guard_hint (t{k} is int)",
                  f"  branch (t{k} == 3) $T{k} $F{k}", f"$T{k}:", f"  sum <- (sum + t{k})",
                  f"  goto J{k}", f"$F{k}:", "  sum <- (sum + 1)", f"  goto J{k}", f"J{k}:",
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


class Row:
    """One pass on one shape: milliseconds."""

    def __init__(self, shape, before, line):
        self.shape, self.speculating = shape, bool(before)
        self.name, *numbers = line.split()
        self.alone, self.ten, self.large = map(float, numbers[:3])
        self.ratio = LARGE / SMALL * self.large / self.ten if self.ten else 0.0
        self.judged = self.large >= JUDGED_FROM

    def verdict(self, above):
        return "too short" if not self.judged else "HIGH" if self.ratio > above else "ok"


def measured(options, passes, shape, before, small, large):
    command = [options.times, ",".join(before), ",".join(passes), str(options.runs), small,
               str(LARGE // SMALL), large]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: {done.returncode}\n{done.stderr[:2000]}")
    return [Row(shape, before, line) for line in done.stdout.splitlines()]


def rows(options, passes, folder):
    """All of them; each pass alone and after speculation."""
    speculation = [p for p in SPECULATION if p.split(":")[0] in options.known]
    for shape in options.shapes:
        small, large = (str(Path(folder) / f"{shape}_{size}.sou") for size in (SMALL, LARGE))
        Path(small).write_text(SHAPES[shape](SMALL))
        Path(large).write_text(SHAPES[shape](LARGE))
        for before in ([], speculation):
            yield from measured(options, passes, shape, before, small, large)
        for path, size in ((small, SMALL), (large, LARGE)):
            _, seconds, peak = optimize(options, path, "O2")
            print(f"{shape:10} O2 on {size:>7} instructions: {seconds:8.2f} s, {peak:7.0f} MiB",
                  flush=True)


def summary(options, found):
    """A table for a page: the ratio by pass and shape, plain / after speculation."""
    cells = {}
    for row in found:
        text = f"{row.ratio:.1f}" if row.judged else "-"
        cells.setdefault(row.name, {}).setdefault(row.shape, []).append(text)
    print("\n| pass | " + " | ".join(options.shapes) + " |\n|" + "---|" * (1 + len(options.shapes)))
    for name, by_shape in cells.items():
        print(f"| {name} | " + " | ".join(" / ".join(by_shape[s]) for s in options.shapes) + " |")


def by_pass(options, judged):
    """(pass, geometric mean of its ratios) of those above."""
    ratios = {}
    for row in judged:
        ratios.setdefault(row.name, []).append(row.ratio)
    means = sorted(((statistics.geometric_mean(r), name) for name, r in ratios.items()), reverse=True)
    print("over all shapes: " + ", ".join(f"{name} {mean:.1f}" for mean, name in means))
    return [name for mean, name in means if mean > options.above]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", default="build/bin/sourir")
    parser.add_argument("--times", default="build/tests/pass_times")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("-k", default="", help="only passes whose name contains it")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--above", type=float, default=13)
    options = parser.parse_args()
    options.shapes = options.shapes.split(",")
    listed = subprocess.run([options.sourir, "opt", "--list-passes", "--json"],
                            stdout=subprocess.PIPE, check=True).stdout
    options.known = [p["name"] for p in json.loads(listed)["passes"]]
    return options


def main():
    options = parse_arguments()
    passes = [name for name in options.known if options.k in name]
    print(f"{'shape':10} {'pass':24}{'alone':>11}{'ten':>11}{'large':>11}{'ratio':>9}  verdict"
          f"   (ms; ... after speculation; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors)")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for row in rows(options, passes, folder):
            found.append(row)
            what = "... " + row.name if row.speculating else row.name
            print(f"{row.shape:10} {what:24}{row.alone:11.3f}{row.ten:11.3f}{row.large:11.3f}"
                  f"{row.ratio:9.1f}  {row.verdict(options.above)}", flush=True)
    summary(options, found)
    judged = [row for row in found if row.judged]
    high = [row for row in judged if row.ratio > options.above]
    passes_above = by_pass(options, judged)
    print(f"scaling: {len(passes_above)} passes and {len(high)} of {len(judged)} rows above "
          f"{options.above:g}; load {os.getloadavg()[0]:.1f}")
    return 1 if passes_above else 0


if __name__ == "__main__":
    sys.exit(main())
