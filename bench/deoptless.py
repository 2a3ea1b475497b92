#!/usr/bin/env python3
"""What deoptless is worth: section 5.5 of the dissertation.

  failing   the programs of bench/ with guards failing at random, 1 of 10,000 and at other rates: the exit
            is taken, the guard holds, and counts as failed however often it does, as in the dissertation.
            Speed-ups by iteration, memory, time of compilation
  limited   the same with our limits: after 12 invalidations code is compiled without speculation
  harmless  the same, and exits whose guards hold invalidate nothing: our default
  phases    the dissertation's programs by iteration, over their phases (its figure 3.8, volcano of 5.5)
  lengths   ints and floats in four phases, by the length of the array that one call adds up
  sampling  against code that is compiled again because of samples: microbenchmark, rsa and shared; only
            rsa should gain, since in the others no guard fails

In turns: `--tier=deoptless=on`, exits that continue in native code by their position only (the default),
and what the dissertation compares with, exits to the interpreter that invalidate at once (`--no-osr-out
--tier=replace=first`). In `failing` and `limited` the program waits for the compiler (`--jit-sync`); in `failing`
code is never compiled without speculation (`--tier=invalidations`), and deoptless has a continuation compiled at
the first exit and keeps the code however often continuations take over. Times are by the clock, of iterations in one process (lengths: of the processor,
whole processes); answers are checked. Beside each part stands what the dissertation measured, and why ours
differs.

usage: deoptless.py [--sourir PATH] [-k PART]... [--programs NAME,...] [--size SIZE] [--rates P,...]
                    [--iterations N] [--runs N] [--json FILE] [--plots FOLDER]
"""
import functools
import json
import statistics
import sys
import tempfile
from pathlib import Path

import charts
import iterated
from dispatch import courses, medians_of_courses
from iterated import ROOT, Failure, plot, programs
from profiler import in_turns, run
from speedup_curves import ITERATIONS, PROGRAMS, replaced

MODES = {"deoptless": ("--tier=deoptless=on",), "positions": (),
         "deoptimization": ("--no-osr-out", "--tier=replace=first")}
OURS, PAPER = "positions", "deoptimization"  # what deoptless is compared with
NONE_FAILS, NEVER = "none fails", 1e-15  # guards ask the schedule, and hold: what asking costs


# --- Guards that fail at random

# What all modes are run with, and what deoptless has besides.
WITHOUT_LIMIT = 1_000_000_000
REGIMES = {
    "failing": (("--jit-sync", f"--tier=forced-exits=count,invalidations={WITHOUT_LIMIT}"),
                (f"--tier=continuations=1,taken-over={WITHOUT_LIMIT}",)),
    "limited": (("--jit-sync", "--tier=forced-exits=count"), ()),
    "harmless": ((), ())}


WHY = {"failing": """Each exit of `deoptimization` throws away the code that has the guard, as in Ř, and a function is compiled again
after 500 calls, a loop after 5,000 iterations, more after each invalidation: most of the time is the compiler's.
How much deoptless gains depends on how many guards a program executes in a millisecond;
where there are few (lcg, collatz, rsa, mandelbrot, gcd_sum) there is nothing to gain. The dissertation has
programs of R, whose compiler and interpreter are slower by other factors than ours.""",
       "limited": """After 12 invalidations code has no guards that could fail, which limits what `deoptimization` loses. Deoptless keeps
guards and continuations longer, and a continuation that is entered in the midst of an iteration has no place to
move anything out of its loop.""",
       "harmless": """Our default, `positions`, enters native code that is compiled for the target at the fifth exit to it, and no exit
whose guard holds invalidates. What deoptless adds is code for the types of the state, and no frames on the way.
It loses where an exit lies in a loop: the continuation is entered in the midst of an iteration, so nothing is
moved out of its loop. `deoptimization` loses little here, as the code stays and is entered again."""}


def modes_of(regime):
    of_all, of_deoptless = REGIMES[regime]
    return {mode: (*flags, *of_all, *(of_deoptless if mode == "deoptless" else ()))
            for mode, flags in MODES.items()}


def by_iteration(options, of, base):
    """The speed-up of each iteration over the same one of `base`, by the medians of the processes; those
    set aside are left out."""
    middle = {mode: [statistics.median(times) for times in zip(*of[mode].processes)]
              for mode in ("deoptless", base)}
    return [b / a for a, b in zip(middle["deoptless"], middle[base])][options.set_aside:]


def failing_at(options, regime, rate):
    forced = (f"--deopt=p:{rate:g}:1",) if rate else ()
    chosen = list(programs(options))
    variants = {NONE_FAILS: (*REGIMES[regime][0], f"--deopt=p:{NEVER:.15f}:1")}
    variants |= {m: (*flags, *forced) for m, flags in modes_of(regime).items()}
    measured = iterated.measure(options, chosen, variants)
    print(f"\n{f'{rate:g}, {regime}':<20}{'ms an iteration':>57}{'deoptless is faster':>40}"
          f"{'MiB':>14}\n{'':<20}" + "".join(f"{m:>15}" for m in variants)
          + f"{'than positions':>20}{'than deoptimization':>26}{'':>6}" + "   with, deopt.")
    found = {}
    for program in chosen:
        of = measured[program.name]
        if len(of) < len(variants):
            late = ", ".join(m for m in variants if m not in of)
            print(f"{program.name:<20} more than {options.timeout} s: {late}")
            continue
        row = {"ms": {m: 1000 * statistics.median(iterated.counted(options, of[m])) for m in variants},
               "memory": {m: of[m].memory for m in MODES}, "times": {m: of[m].processes for m in MODES}}
        for base in (OURS, PAPER):
            values = by_iteration(options, of, base)
            row[f"over_{base}"] = {"iterations": values, **iterated.mean_ratio(values)._asdict()}
        found[program.name] = row
        print(f"{program.name:<20}" + "".join(f"{ms:>15.2f}" for ms in row["ms"].values())
              + "".join(f"{row[k]['mean']:>12.2f} ({row[k]['low']:.2f} to {row[k]['high']:.2f})"
                        for k in (f"over_{OURS}", f"over_{PAPER}"))
              + f"{row['memory']['deoptless'] / 2 ** 20:>8.0f}{row['memory'][PAPER] / 2 ** 20:>6.0f}", flush=True)
    return found


def summary(regime, found):
    for mode in MODES:
        slower = [row["ms"][mode] / row["ms"][NONE_FAILS] for row in found.values()]
        print(f"{mode}: {statistics.geometric_mean(slower):.2f} times as long as where none fails, "
              f"{min(slower):.2f} to {max(slower):.2f}")
    paper = "dissertation: 1 to 9.1, most more than 1.9" if regime == "failing" else "ours alone"
    for base, paper in ((OURS, "ours alone"), (PAPER, paper)):
        means = [row[f"over_{base}"]["mean"] for row in found.values()]
        print(f"over {base}: geometric mean {statistics.geometric_mean(means):.2f}, "
              f"{min(means):.2f} to {max(means):.2f}, median {statistics.median(means):.2f}; at least 1.9 in "
              f"{sum(m >= 1.9 for m in means)} of {len(means)}, below 0.98 in {sum(m < 0.98 for m in means)} "
              f"({paper})")
    memory = [row["memory"]["deoptless"] / row["memory"][PAPER] for row in found.values()]
    print(f"memory over {PAPER}: median {statistics.median(memory):.3f}, {min(memory):.2f} to {max(memory):.2f} "
          "(dissertation: median 0.96, 0.78 to 1.45)")


def compilation(options, regime, rate):
    """Code and time of compilation, of one process for each program and mode."""
    forced = (f"--deopt=p:{rate:g}:1",) if rate else ()
    total, found = {mode: [0, 0.0, 0, 0] for mode in MODES}, {}
    for program in programs(options):
        found[program.name] = {}
        for mode, flags in modes_of(regime).items():
            counts = iterated.run_statistics(options, program, *flags, *forced)
            found[program.name][mode] = {key: counts[key] for key in (
                "compiled", "compile_seconds", "machine_code_bytes", "deoptimizations", "forced", "to_native",
                "deoptless", "deoptless_misses", "deoptless_continuations", "code_invalidated")}
            for k, key in enumerate(("compiled", "compile_seconds", "machine_code_bytes", "deoptimizations")):
                total[mode][k] += counts[key]
    print(f"\n{f'all programs once, {rate:g}':<24}{'code objects':>14}{'s compiling':>14}{'KiB of code':>14}"
          f"{'exits':>14}")
    for mode, (objects, seconds, size, exits) in total.items():
        print(f"{mode:<24}{objects:>14}{seconds:>14.2f}{size / 1024:>14.1f}{exits:>14}")
    return found


def failing(options, regime):
    results, rows = {}, {}
    for rate in options.rates:
        found = failing_at(options, regime, rate)
        if not found:
            continue
        summary(regime, found)
        results[f"{rate:g}"] = {"programs": found, "compilation": compilation(options, regime, rate)}
        for name, row in found.items():
            rows.setdefault(name, {}).update({
                f"{rate:g}, {base}": (row[f"over_{base}"]["mean"], row[f"over_{base}"]["low"],
                                      row[f"over_{base}"]["high"]) for base in (PAPER, OURS)})
    print("""
""" + WHY[regime] + """
Guards count down to the next one that may be forced, in all columns (`none fails`).""")
    plot(options, f"deoptless_{regime}", charts.dots(
        "Guards that fail at random: speed-up of deoptless", "over deoptimization, and over exits by position (our "
        "default), by rate; right is faster; bars: 95 % intervals", rows)) if rows else None
    return results


# --- Phases

def phases(options):
    found = {}
    for name, times in courses(options, "deoptless", MODES):
        found[name] = times
        total = {mode: sum(of_mode) for mode, of_mode in times.items()}
        print("  all iterations: " + ", ".join(f"{total[base] / total['deoptless']:.2f} times as fast as {base}"
                                              for base in (OURS, PAPER)), flush=True)
    print("""
The dissertation's figure 3.8: after a change of type deoptless has one slow iteration, in which the
continuation is compiled, and the first type's code is as fast as before when that type comes back; without it
the code that is compiled for both types is slow for good. Volcano computes up to twice as fast, its second
part 2.5 times. Why ours differs: code here keeps type and value in registers, so code for several types
is slower by a factor of two to three and not by boxing; and invalidated code forgets its feedback three times, so it
is compiled for the new type alone.""")
    return found


# --- Lengths of arrays

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


def of_length(options, folder, elements):
    """Seconds by mode, of four phases of ints and floats in turn."""
    data = "".join(f"  array {name} = [{', '.join([value] * elements)}]\n"
                   for name, value in (("ints", "1"), ("floats", "0.5")))
    path = Path(folder) / "phases.sou"
    work = 40_000_000 if options.size != "tiny" else 400_000
    path.write_text(PHASES.format(data=data, phases=4, rounds=work // (4 * elements)))
    expected = run(options.sourir, path, "--engine=baseline")[0]

    def once(words):
        printed, _, seconds = run(options.sourir, path, "--jit-sync", "--no-inlining", *words)
        if printed != expected:
            raise Failure(f"phases {words}: {printed!r} instead of {expected!r}")
        return seconds

    taken = in_turns(options.runs, {mode: lambda words=words: once(words) for mode, words in MODES.items()})
    return {mode: statistics.median(times) for mode, times in taken.items()}


def lengths(options):
    found = {}
    print(f"{'seconds':<24}" + "".join(f"{mode:>16}" for mode in MODES))
    with tempfile.TemporaryDirectory() as folder:
        for elements in (4, 20, 100):
            found[elements] = of_length(options, folder, elements)
            print(f"{f'arrays of {elements}':<24}" + "".join(f"{s:>16.3f}" for s in found[elements].values()),
                  flush=True)
    print("\nA continuation for the rest of a call pays where the rest is short against the time of an exit.")
    return found


# --- Against sampling

# The best speed-ups of recompilation because of samples, as section 5.5 cites them.
SAMPLED = {"microbenchmark": 1.2, "rsa": 1.4, "shared": 1.5}
SMALLER = {"microbenchmark": ("20000000", "200000"), "rsa": ("400000)", "4000)"),
           "shared": ("(numbers, 12000000)", "(numbers, 120000)")}


def sampling(options):
    modes = {"without": (), "deoptless": MODES["deoptless"], "sampling": ("--profile",)}
    found = {}
    print(f"{'speed-up over without':<24}{'':>8}" + "".join(f"{m:>28}" for m in list(modes)[1:])
          + "   dissertation: deoptless, sampling at best")
    with tempfile.TemporaryDirectory() as folder:
        for name, (longer, _, flags, before) in PROGRAMS.items():
            if options.programs and name not in options.programs:
                continue
            text = replaced((ROOT / f"examples/profiler/{name}.sou").read_text(), longer)
            if options.size == "tiny":
                text = text.replace(*SMALLER[name])
                text = text.replace(str(20000000 * ITERATIONS), str(200000 * ITERATIONS))
            path = Path(folder) / f"{name}.sou"
            path.write_text(text)
            times = medians_of_courses(options, path, {m: (*flags, *f) for m, f in modes.items()})
            times = {m: seconds[before:before + ITERATIONS] for m, seconds in times.items()}
            ratios = {m: [a / b for a, b in zip(times["without"], times[m])] for m in list(modes)[1:]}
            late = {m: statistics.geometric_mean(r[options.set_aside:]) for m, r in ratios.items()}
            found[name] = {"seconds": times, "speedup": ratios, "late": late}
            paper = "about 1.4" if name == "rsa" else "1"
            print(f"{name:<24}{1000 * statistics.median(times['without']):>5.0f} ms" + "".join(
                f"{f'{late[m]:.2f} ({min(r):.2f} to {max(r):.2f})':>28}" for m, r in ratios.items())
                + f"   {paper}, {SAMPLED[name]}", flush=True)
            plot(options, f"deoptless_sampling_{name}", charts.course(
                f"{name}: deoptless and sampling", "speed-up over neither, by iteration after the change",
                ratios, [("", len(next(iter(ratios.values()))))], "up is faster"))
    print("""
Geometric means of the iterations that are not set aside, the least and the greatest of all in parentheses. No
guard fails in microbenchmark and shared, so deoptless cannot help. Why ours differs in rsa: in the
dissertation the key changes its type while the code runs, an exit is taken, and the code that comes after it
is compiled for both types; here feedback is reset at that point, which --tier=feedback-resets=0 switches off.""")
    return found


PARTS = {regime: functools.partial(failing, regime=regime) for regime in REGIMES} | {
    "phases": phases, "lengths": lengths, "sampling": sampling}


def main():
    parser = iterated.parser(__doc__)
    parser.add_argument("-k", dest="parts", action="append", choices=list(PARTS), help="only this part")
    parser.add_argument("--rates", type=lambda text: [float(p) for p in text.split(",")], default=[0.0001],
                        help="of guards that fail, with commas (default 0.0001)")
    options = parser.parse_args()
    results = {"format": "bench-deoptless", "version": 2, "conditions": iterated.conditions(options)}
    try:
        for name, part in PARTS.items():
            if options.parts is None or name in options.parts:
                print(f"\n--- {name}\n")
                results[name] = part(options)
    except (Failure, RuntimeError) as failure:
        sys.exit(f"deoptless.py: {failure}")
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
