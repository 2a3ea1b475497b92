#!/usr/bin/env python3
"""What deoptless is worth (dissertation 5.5): the programs of bench/ with guards failing at random,
1 of 10,000 and at other rates, and a program whose data changes its type in phases. Each in turns:
`--tier=deoptless=on`, exits that continue in native code but by their position only
(the default), and what the dissertation compares with, exits to the interpreter that
invalidate at once (`--no-osr-out --tier=replace=first`). Times are of the processor, whole processes;
ratios are of medians of one run; answers are checked.

usage: deoptless.py [--sourir PATH] [-k PROGRAM]... [--size SIZE] [--rates P,...] [--runs N] [--json FILE]
"""
import argparse
import json
import statistics
from pathlib import Path

from profiler import ROOT, Failure, checked, in_turns, run, suite

MODES = {"deoptless": ("--tier=deoptless=on",), "positions": (),
         "deoptimization": ("--no-osr-out", "--tier=replace=first")}
PHASES = "function main()\n{data}  var phase = 0\nphases:\n  branch (phase < {phases}) $go $done\n" \
    "$go:\n  var round = 0\n  var odd = (phase % 2)\n  var total = 0\nrounds:\n" \
    "  branch (round < {rounds}) $more $next\n$more:\n  branch (odd == 0) $i $f\n" \
    "$i:\n  call x = 'sum(ints)\n  total <- (total + x)\n  drop x\n  goto added\n" \
    "$f:\n  call y = 'sum(floats)\n  total <- (total + y)\n  drop y\nadded:\n" \
    "  round <- (round + 1)\n  goto rounds\n$next:\n  print total\n  drop total\n  drop odd\n" \
    "  drop round\n  phase <- (phase + 1)\n  goto phases\n$done:\n  stop\n" \
    "function sum(var a)\n  var s = 0\n  var i = 0\n  var n = length(a)\nloop:\n" \
    "  branch (i < n) $body $end\n$body:\n  var x = a[i]\n  s <- (s + x)\n  drop x\n" \
    "  i <- (i + 1)\n  goto loop\n$end:\n  return s\n"


def row(seconds):
    middle = {name: statistics.median(times) for name, times in seconds.items()}
    return {"seconds": middle, "over_positions": middle["positions"] / middle["deoptless"],
            "over_deoptimization": middle["deoptimization"] / middle["deoptless"]}


def show(name, found):
    s = found["seconds"]
    print(f"{name:<34} {s['deoptless']:>9.3f} {s['positions']:>10.3f} {s['deoptimization']:>15.3f}"
          f" {found['over_positions']:>10.2f} {found['over_deoptimization']:>15.2f}", flush=True)


def failing(options, rate):
    """Guards of the programs fail at random: the exit is taken, the guard holds."""
    forced = ("--jit-sync",) if rate == 0 else ("--jit-sync", f"--deopt=p:{rate}:1")
    for program in suite(options):
        once = {name: lambda words=words: checked(options, program, *forced, *words)[1]
                for name, words in MODES.items()}
        yield f"{program[0]}, {rate:g} of guards", row(in_turns(options.runs, once))


def phases(options, elements):
    """Four phases of ints and floats in turn, by the length of the array."""
    data = "".join(f"  array {name} = [{', '.join([value] * elements)}]\n"
                   for name, value in (("ints", "1"), ("floats", "0.5")))
    path = Path("deoptless_phases.sou")
    path.write_text(PHASES.format(data=data, phases=4, rounds=40_000_000 // (4 * elements)))
    try:
        expected = run(options.sourir, path, "--engine=baseline")[0]
        def once(words):
            printed, _, seconds = run(options.sourir, path, "--jit-sync", "--no-inlining", *words)
            if printed != expected:
                raise Failure(f"phases {words}: {printed!r} instead of {expected!r}")
            return seconds
        return row(in_turns(options.runs, {name: lambda words=words: once(words)
                                           for name, words in MODES.items()}))
    finally:
        path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sourir", default=str(ROOT / "build-release/bin/sourir"))
    parser.add_argument("-k", dest="programs", action="append", help="only this program")
    parser.add_argument("--size", default="small", choices=("tiny", "small", "full"))
    parser.add_argument("--rates", default="0.0001", help="of guards that fail, with commas")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    print(f"{'seconds (medians of ' + str(options.runs) + ')':<34} deoptless  positions  deoptimization"
          "  positions/  deoptimization/")
    found = {}
    for rate in map(float, options.rates.split(",")):
        of_rate = {}
        for name, one in failing(options, rate):
            of_rate[name] = one
            show(name, one)
        for key in ("over_positions", "over_deoptimization"):
            ratios = [one[key] for one in of_rate.values()]
            print(f"  {rate:g}: {key.replace('_', ' ')}, geometric mean "
                  f"{statistics.geometric_mean(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")
        found.update(of_rate)
    for elements in (4, 100) if not options.programs else ():
        name = f"phases, arrays of {elements}"
        found[name] = phases(options, elements)
        show(name, found[name])
    if options.json:
        Path(options.json).write_text(json.dumps({"format": "bench-deoptless", "version": 1,
                                                  "runs": options.runs, "size": options.size,
                                                  "rows": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
