#!/usr/bin/env python3
"""What counting events costs, as in the evaluation of Basso, Prokopec, Rosà and Binder, "Optimization-aware
compiler-level event profiling" (TOPLAS 2023, section 6): for the programs of bench/, the strategies count,
decode and direct, and some categories of events,

  time     processor time with counting over that without: whole processes in turns, the compiler's time
           and the writing of the report included; answers are checked
  compile  time in the compiler with counting over that without (--stats, and --jit-sync, so that both compile
           the same)
  code     bytes of machine code, likewise
  memory   bytes of counters and of tables that say what events a path has, beside the largest resident size
           of a process that counts nothing

The strategy `none` has markers alone, which are taken out after LLVM's passes: nothing is counted.

Each is the median of --runs processes (compile, code and memory: of half as many). Beside the geometric means and
ranges stands what the source measured, for all events. `noise` has --runs turns of three processes: one that counts
nothing, the same once more, and one with markers alone, whose times are divided by that of the first. Three more
parts time nothing: `markers`, which functions LLVM optimizes differently because of markers, and the pass after
which their code differs; `executed`, how many more instructions native code executes with them; `sampler`, the rank
correlation of samples and counted instructions. All takes hours; -k and --programs choose.

usage: events.py [--sourir PATH] [-k CATEGORY]... [--programs NAME,...] [--size SIZE] [--runs N] [--json FILE]
                 [--plots FOLDER]
"""
import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

import charts
import iterated
from event_checks import executed_table, markers_table, sampler_table
from iterated import ROOT, Failure, plot
from profiler import in_turns, run_command, suite

CATEGORIES = ("all", "arithmetic", "branches", "allocation")
STRATEGIES = ("count", "decode", "direct", "none")
WITHOUT = "without"
FACTORS = ("time", "compile", "code")
WIDTH = 30
# Of all events: geometric mean, least, greatest (time) or mean, least, greatest (compile, code).
SOURCE = {"time": {"count": (1.18, 1, 1.59), "decode": (2.11, 1.04, 3.86), "direct": (3.55, 1.35, 12.08)},
          "compile": {"count": (1.48, 1.29, 1.69), "decode": (3.06, 2.14, 6.46), "direct": (2.01, 1.51, 2.42)},
          "code": {"count": (1.49, 1.30, 1.80), "decode": (2.41, 1.71, 3.37), "direct": (2.29, 1.71, 2.92)}}
SOURCE_MEMORY = ("source, all events: count 47.3 MB (7.2 to 500), decode 44.6 MB (7.9 to 405), direct 344 bytes; "
                 "4 % of the heap")
DIFFERENT = """
Why ours differs: the source's times are of iterations in a steady state, ours of whole processes, in which
the interpreter counts as well. Its decoding tables have a word for each event of each path, ours only those
that a path has."""


def words(options, program, category, strategy):
    if strategy == WITHOUT:
        return [options.sourir, "run", str(program[1])]
    return [options.sourir, "profile", str(program[1]), f"--events={category}", f"--strategy={strategy}"]


def once(options, program, category, strategy, *flags):
    """(what it said, its struct rusage) of one process, whose answer is right."""
    name, _, given, answer = program
    printed, said, usage = run_command([*words(options, program, category, strategy), *flags], given)
    if printed.split()[-1:] != answer.split()[-1:]:
        raise Failure(f"{name} {category} {strategy}: {printed[-200:]!r} instead of {answer!r}")
    return said, usage


def processor_time(options, program, category, strategy):
    report = [] if strategy == WITHOUT else ["--output=/dev/null"]
    usage = once(options, program, category, strategy, *report)[1]
    return usage.ru_utime + usage.ru_stime


def statistics_of(options, program, category, strategy):
    """{compile, code, memory}: seconds, bytes, bytes. Memory: without counting that of the process."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        flags = [] if strategy == WITHOUT else ["--json", f"--output={report}"]
        said, usage = once(options, program, category, strategy, "--stats=json", "--jit-sync", *flags)
        stats = json.loads(said)
        memory = usage.ru_maxrss * 1024
        if strategy != WITHOUT:
            tables = json.loads(report.read_text())["tables"]
            memory = tables["counter_bytes"] + tables["decoding_bytes"]
    if stats["compiled"] == 0:
        raise Failure(f"{program[0]}: nothing was compiled: it needs a larger --size")
    return {"compile": stats["compile_seconds"], "code": stats["machine_code_bytes"], "memory": memory}


def measure(options, program, category):
    """({quantity: {strategy: median}}, of time, compile, code and memory; {strategy: seconds of each run})"""
    strategies = (WITHOUT, *STRATEGIES)
    seconds = in_turns(options.runs, {s: lambda s=s: processor_time(options, program, category, s)
                                      for s in strategies})
    found = in_turns(max(1, options.runs // 2), {s: lambda s=s: statistics_of(options, program, category, s)
                                    for s in strategies})
    medians = {"time": {s: statistics.median(of) for s, of in seconds.items()}}
    for quantity in ("compile", "code", "memory"):
        medians[quantity] = {s: statistics.median(one[quantity] for one in of) for s, of in found.items()}
    return medians, seconds


def single_ratios(seconds, strategy):
    """(least, greatest) of runs over those in the same turn that counted nothing."""
    ratios = [a / b for a, b in zip(seconds[strategy], seconds[WITHOUT])]
    return min(ratios), max(ratios)


def factors(medians):
    return {quantity: {s: medians[quantity][s] / medians[quantity][WITHOUT] for s in STRATEGIES}
            for quantity in FACTORS}


def show(name, cells):
    print(f"{name:<{WIDTH}}" + "".join(f"{cell:>9}" for cell in cells), flush=True)


def show_factors(name, by_quantity, without=""):
    show(name, [without] + [f"{by_quantity[q][s]:.2f}" if s in by_quantity[q] else "-" for q in FACTORS
                            for s in STRATEGIES])


def summary(rows):
    """{geometric mean, least, greatest: {quantity: {strategy: of the programs}}}"""
    of = {"geometric mean": statistics.geometric_mean, "least": min, "greatest": max}
    return {name: {q: {s: function([row[q][s] for row in rows]) for s in STRATEGIES} for q in FACTORS}
            for name, function in of.items()}


def category_table(options, category):
    print(f"\n--- {category}\n\n{'':<{WIDTH}}{'without':>9}" + "".join(f"{q:>9}{'':>27}" for q in FACTORS))
    show("", ["", *STRATEGIES * len(FACTORS)])
    medians, rows, seconds = {}, {}, {}
    for program in suite(options):
        name = program[0]
        medians[name], seconds[name] = measure(options, program, category)
        rows[name] = factors(medians[name])
        show_factors(name, rows[name], f"{medians[name]['time'][WITHOUT]:.2f} s")
    means = summary(list(rows.values()))
    for name, of in means.items():
        show_factors(f"{name} of {len(rows)}", of)
    if category == "all":
        for i, name in enumerate(("mean", "least", "greatest")):
            show_factors(f"source, {name}", {q: {s: values[i] for s, values in SOURCE[q].items()} for q in FACTORS})
    memory_table(medians, category)
    picture = {name: {s: (row["time"][s], *single_ratios(seconds[name], s)) for s in STRATEGIES}
               for name, row in rows.items()}
    picture["geometric mean"] = {s: (means["geometric mean"]["time"][s], None, None) for s in STRATEGIES}
    plot(options, f"events_{category}", charts.dots(
        f"Counting {category} events: processor time", "over that of a process that counts nothing; right is slower; "
        "bars: single runs in turn", picture))
    return {"medians": medians, "seconds": seconds, "factors": rows, "summary": means}


def noise_table(options):
    """{program: {again, none: {ratio, low, high}}}; where the interval is above 1, time has grown beyond noise."""
    print(f"\n--- noise: time over that of a process that counts nothing, geometric mean and 95 % interval\n\n"
          f"{'':<{WIDTH}}{'the same again':>20}{'markers alone':>20}")
    results = {}
    for program in suite(options):
        seconds = in_turns(options.runs, {name: lambda s=strategy: processor_time(options, program, "all", s)
                                          for name, strategy in (("first", WITHOUT), ("again", WITHOUT),
                                                                 ("none", "none"))})
        ratios = {name: iterated.mean_ratio([t / first for t, first in zip(seconds[name], seconds["first"])])
                  for name in ("again", "none")}
        results[program[0]] = {name: {"ratio": r.mean, "low": r.low, "high": r.high} for name, r in ratios.items()}
        print(f"{program[0]:<{WIDTH}}" + "".join(f"{f'{r.mean:.2f} ({r.low:.2f} to {r.high:.2f})':>20}"
                                                 for r in ratios.values()), flush=True)
    for name, title in (("again", "the same again"), ("none", "markers alone")):
        rows = {program: row[name] for program, row in results.items()}
        mean = statistics.geometric_mean(row["ratio"] for row in rows.values())
        slower = [program for program, row in rows.items() if row["low"] > 1]
        faster = [program for program, row in rows.items() if row["high"] < 1]
        print(f"{title}: geometric mean {mean:.3f}; slower: {', '.join(slower) or 'none'}; faster: "
              f"{', '.join(faster) or 'none'}")
    return results


def memory_table(medians, category):
    print(f"\n{'KiB of counters and tables':<{WIDTH}}" + "".join(f"{s:>9}" for s in STRATEGIES)
          + "  resident, counting nothing")
    for name, of in medians.items():
        memory = of["memory"]
        show(name, [f"{memory[s] / 1024:.1f}" for s in STRATEGIES] + [f"{memory[WITHOUT] / 1024:14.0f}"])
    shares = [statistics.mean(of["memory"][s] / of["memory"][WITHOUT] for of in medians.values()) for s in STRATEGIES]
    show("mean share of the resident", [f"{100 * share:.2f} %" for share in shares])
    if category == "all":
        print(SOURCE_MEMORY)


OTHERS = {"noise": noise_table, "markers": markers_table, "executed": executed_table, "sampler": sampler_table}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", default=str(ROOT / "build-release/bin/sourir"))
    parser.add_argument("-k", dest="categories", action="append", choices=(*CATEGORIES, *OTHERS),
                        help="only this category of events, or this part")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", default="full", help="of the programs of bench/")
    parser.add_argument("--programs", type=lambda text: text.split(","))
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--plots", metavar="FOLDER", help="charts as SVG")
    options = parser.parse_args()
    conditions = {**iterated.machine(), "size": options.size, "runs": options.runs}
    print(f"{iterated.machine_text(conditions)}; size {options.size}, {options.runs} processes of each")
    results = {"format": "bench-events", "version": 1, "conditions": conditions}
    try:
        for category in CATEGORIES:
            if options.categories is None or category in options.categories:
                results[category] = category_table(options, category)
        for name, table in OTHERS.items():
            if options.categories is None or name in options.categories:
                results[name] = table(options)
    except Failure as failure:
        sys.exit(f"events.py: {failure}")
    print(DIFFERENT)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
