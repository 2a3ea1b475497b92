#!/usr/bin/env python3
"""What sampling costs and what it gives, as in the evaluation of Flückiger et al. 2020 (section 5).

  overhead    the programs of bench/ and the three of the paper with samples of which nothing comes,
              at the default settings and at three periods without a limit, against runs without;
              beside the same signals where they do nothing (empty_signals.c); as a table and a box
              plot (its figure 2). At the default settings both share a processor
  outliers    the same with new code made of samples, by T1: the share of runs that take more than a
              tenth longer than one of which nothing comes, both on one processor (figure 3)
  speedup     examples/profiler, long: without samples, with, and without what pollutes the feedback
              at all, which is the limit
  seconds     its three programs, made to run for seconds, at the default settings; two of them
              share a processor
  gains       the programs of bench/ at the default settings, against runs without samples; two of
              them share a processor
  curves      three of them by iteration (figure 4)
  detection   the same: time from the change until there is new code
  opportunities
              the kinds that native code meets against those it was made for, of every value that it
              keeps a kind for (figure 5)

All others are times of the processor, of whole processes, in turns; answers are checked. pairs.py says
how two share a processor. With --noise
overhead also compares runs without samples with each other. A period that the trigger does not reach
(less than four fifths of the samples) is said to be not measurable.

usage: profiler.py [--sourir PATH] [-k PART] [--runs N] [--programs NAME,...] [--noise] [--json FILE]
                   [--plots FOLDER]
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from iterated import Failure, plot
from opportunities import opportunities
from pairs import middle_of, percents, sharing, until_narrow, upper_end
from speedup_curves import curves

ROOT = Path(__file__).resolve().parents[1]
PERIODS = {100_000: 75, 500_000: 20, 1_000_000: 20}  # with their T1
PAPER_OVERHEAD = {100_000: (2.7, 12.7), 500_000: (0.3, 9.1), 1_000_000: (0.6, 9.9)}
THRESHOLDS = (10, 20, 50, 75, 100)
REACHED = 0.8
DEFAULT = "default"
OUTLIER = 10  # percent longer than the run of which nothing comes that it is a pair with
NANOSECONDS = 0.5  # for an instruction, as --profile-period has it

# Of examples/profiler: flags, what makes it long, what takes the pollution away.
CHANGES = {
    "microbenchmark": ([], ("var n = 300000", "var n = 60000000"), [("[1.0]", "[1]")]),
    "rsa": (["--tier=feedback-resets=0"], ("key, 20000)", "key, 4000000)"),
            [("var n = (971.0 * 383.0)", "var n = (971 * 383)")]),
    "shared": ([], ("(i < 6)", "(i < 2000)"), [("(i < 300)", "(i < 0)")]),
    "counter": ([], ("(i < 300000)", "(i < 60000000)"), [(", 1]", ", 1.0]")]),
    "lcg": (["--tier=feedback-resets=0"], ("'generate(1, 300000)", "'generate(1, 60000000)"),
            [("'generate(three, 3000)", "'generate(1, 3)"), ("'generate(six, 3000)", "'generate(1, 3)")]),
}

# The three programs of the paper: what makes them long, and how often each iterates to run for seconds, without
# pollution for at least one. Recompiled microbenchmark is 20 times as fast: more often there.
LONG = {"microbenchmark": ("var n = 300000", "var n = {}", 14_000_000_000),
        "rsa": ("key, 20000)", "key, {})", 70_000_000),
        "shared": ("(i < 6)", "(i < {})", 200_000)}
LONGER = {"microbenchmark": 40_000_000_000}


def run(sourir, path, *flags, stdin=""):
    """(what it printed, what it said, seconds of the processor)"""
    printed, said, usage = run_command([sourir, "run", str(path), *flags], stdin)
    return printed, said, usage.ru_utime + usage.ru_stime


def run_command(words, stdin=""):
    """(what it printed, what it said, its struct rusage) of `sourir run` or `profile`"""
    with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as output, \
            tempfile.TemporaryFile("w+") as errors:
        given.write(stdin), given.seek(0)
        process = subprocess.Popen(words, stdin=given, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0), errors.seek(0)
        printed, said = output.read(), errors.read()
    if process.returncode not in range(0, 64):
        raise Failure(f"{' '.join(words)}: {process.returncode}\n{said[:2000]}")
    return printed, said, usage


def in_turns(runs, variants):
    """{name: seconds of each run} of {name: what runs it}."""
    seconds = {name: [] for name in variants}
    for _ in range(runs):
        for name, once in variants.items():
            seconds[name].append(once())
    return seconds


def suite(options):
    """(name, path, input, answer) of the programs of bench/."""
    for row in json.loads((ROOT / "bench/programs.json").read_text())["programs"]:
        if options.programs and row["name"] not in options.programs:
            continue
        size = row["sizes"][options.size]
        yield (row["name"], ROOT / f"bench/programs/{row['name']}.sou", f"{size['n']}\n",
               size["answer"])


def checked(options, program, *flags):
    name, path, given, answer = program
    printed, said, seconds = run(options.sourir, path, *flags, stdin=given)
    if printed.split()[-1:] != answer.split()[-1:]:
        raise Failure(f"{name} {flags}: {printed[-200:]!r} instead of {answer!r}")
    return said, seconds


def sampling_flags(period, enough=None):
    return ["--profile", f"--profile-period={period}", "--profile-limit=50",
            f"--profile-min-samples={enough or PERIODS[period]}"]


def reached(said, period, seconds):
    """The share of the samples that there should have been."""
    counts = re.search(r"samples +(\d+) native, (\d+) baseline, (\d+) elsewhere", said)
    return sum(map(int, counts.groups())) * period * NANOSECONDS * 1e-9 / max(seconds, 1e-9)


def empty_signals(periods):
    """{period: percent that signals cost which do nothing}."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "empty_signals"
        subprocess.run(["cc", "-O2", str(ROOT / "bench/empty_signals.c"), "-o", str(program)],
                       check=True)
        cost = {}
        for period in periods:
            done = subprocess.run([str(program), str(int(period * NANOSECONDS))],
                                  stdout=subprocess.PIPE, text=True)
            if done.returncode != 0:
                raise Failure("no signals of the clock: perf_event_open is not permitted")
            cost[period] = 100 * (float(done.stdout.split()[0]) - 1)
    return cost


def overhead(options):
    empty = empty_signals(options.periods)
    rows = {}
    show_row("", ["   without", f"{DEFAULT:>10}  at most",
                  *(["     noise  at most"] if options.noise else []),
                  *(f"{period:>10,}" for period in options.periods)])
    with tempfile.TemporaryDirectory() as folder:
        for program in [*suite(options), *three(options, Path(folder))]:
            rows[program[0]] = overhead_of(options, program)
    pairs = [row["pairs"] for row in rows.values()]
    print(f"default: mean {middle_of(pairs):+.1f} %, at most {upper_end(pairs):+.1f} % (95 %), "
          f"worst program at most {max(row['upper'] for row in rows.values()):+.1f} %")
    if options.noise:
        noise = [row["noise"] for row in rows.values()]
        print(f"noise: mean {middle_of(noise):+.1f} %, at most {upper_end(noise):+.1f} %")
    medians = {DEFAULT: [statistics.median(of) for of in pairs]}
    for period in options.periods:
        medians[f"{period:,}"] = found = [row["percent"][period] for row in rows.values()]
        mean, worst = PAPER_OVERHEAD[period]
        at = statistics.median(row["reached"][period] for row in rows.values())
        print(f"period {period:>9,}: mean {statistics.mean(found):+.1f} % (paper {mean} %), "
              f"worst {max(found):+.1f} % (paper {worst} %), empty signals "
              f"{empty[period]:+.1f} %; {100 * at:.0f} % of the samples"
              f"{'' if at >= REACHED else ': not measurable'}")
    plot(options, "overhead", box_plot(medians, "% slower"))
    return {"programs": rows, "empty": empty}


def made_long(name, iterations):
    """Its text."""
    short, long, _ = LONG[name]
    text = (ROOT / f"examples/profiler/{name}.sou").read_text()
    return variant(text, [(short, long.format(iterations))])


def three(options, folder):
    """As suite(): the programs of the paper, made long."""
    for name, (_, _, iterations) in LONG.items():
        if options.programs and name not in options.programs:
            continue
        path = folder / f"{name}_long.sou"
        path.write_text(made_long(name, iterations))
        yield f"{name}, long", path, "", run(options.sourir, path)[0]


def overhead_of(options, program):
    only = ["--profile-only", "--stats"]

    def plain():
        return checked(options, program)[1]

    without, with_samples = until_narrow(
        options.runs, plain, lambda: checked(options, program, "--profile", *only)[1])
    row = {"seconds": {"0": without, DEFAULT: with_samples}, "pairs": percents(without, with_samples),
           "percent": {}, "reached": {}}
    row["upper"] = upper_end([row["pairs"]])
    cells = [f"{statistics.median(without):8.2f} s",
             f"{statistics.median(row['pairs']):+8.1f} %  {row['upper']:+5.1f} %"]
    if options.noise:
        row["noise"] = percents(*until_narrow(options.runs, plain, plain))
        cells.append(f"{statistics.median(row['noise']):+8.1f} %  {upper_end([row['noise']]):+5.1f} %")
    share = {period: [] for period in options.periods}

    def sampled(period):
        said, seconds = checked(options, program, *sampling_flags(period), *only)
        share[period].append(reached(said, period, seconds))
        return seconds

    variants = {0: plain} if options.periods else {}
    variants |= {period: lambda period=period: sampled(period) for period in options.periods}
    seconds = in_turns(options.runs, variants)
    for period, found in share.items():
        row["seconds"][str(period)] = seconds[period]
        row["percent"][period] = 100 * (
            statistics.median(seconds[period]) / statistics.median(seconds[0]) - 1)
        row["reached"][period] = statistics.median(found)
        cells.append(f"{row['percent'][period]:+8.1f} %"
                     + ("" if row["reached"][period] >= REACHED else " *"))
    show_row(program[0], cells)
    return row


def seconds(options):
    """Of the paper's programs, made long: times of two that share a processor, divided by each other."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for title, path, _, answer in three(options, Path(folder)):
            name = title.split(",")[0]
            texts = {"": path.read_text(), "longer": made_long(name, LONGER.get(name, LONG[name][2]))}
            paths, answers = {}, {path.read_text(): answer}
            for length, text in texts.items():
                for limit, changes in (("", []), ("limit", CHANGES[name][2])):
                    paths[limit, length] = Path(folder) / f"{name}{limit}{length}.sou"
                    paths[limit, length].write_text(variant(text, changes))

            def once(who, length):
                of, flags = "limit" if who == "limit" else "", variants[who]
                printed, _, taken = run(options.sourir, paths[of, length], *flags)
                # Where no answer is known, all runs must print the same.
                expected = answers.setdefault(paths[of, length].read_text(), printed)
                if printed != expected:
                    raise Failure(f"{name} {flags}: {printed!r} instead of {expected!r}")
                return taken

            variants = {"without": (), "--profile": ("--profile",),
                        "--profile-only": ("--profile", "--profile-only"), "limit": ()}
            rows[name], cells = {}, []
            for one, other, length in (("without", "--profile", ""), ("without", "--profile-only", ""),
                                       ("without", "limit", ""), ("--profile", "limit", "longer")):
                taken = sharing(options.runs, lambda: once(one, length), lambda: once(other, length))
                ratios = [1 + percent / 100 for percent in percents(*taken)]
                rows[name][f"{other}/{one}"] = {one: taken[0], other: taken[1]}
                cells.append(f"{other}/{one} {statistics.median(ratios):.3f} "
                             f"({min(ratios):.2f} to {max(ratios):.2f})")
            show_row(name, cells)
    return rows


def gains(options):
    """Speed with samples, divided by that without; two runs share a processor."""
    rows = {}
    show_row("", ["    speed", "    least", "  recompiled"])
    for program in suite(options):
        recompiled = []

        def sampled():
            said, taken = checked(options, program, "--profile", "--stats")
            recompiled.append(int(re.search(r"recompiled +(\d+)", said)[1]))
            return taken

        times = until_narrow(options.runs, lambda: checked(options, program)[1], sampled, most=24)
        pairs = percents(*times)
        rows[program[0]] = {"pairs": pairs, "recompiled": recompiled}
        show_row(program[0], [f"{1 / (1 + statistics.median(pairs) / 100):9.3f}",
                              f"{1 / (1 + upper_end([pairs]) / 100):9.3f}",
                              f"{statistics.median(recompiled):12.0f}"])
    return rows


def outliers(options):
    """Each run shares a processor with one of which nothing comes. Pairs of two of these show what is
    the machine."""
    found = {}
    for period in options.periods:
        nothing = [*sampling_flags(period), "--profile-only"]
        rows = {f"T1 = {n}": sampling_flags(period, n) for n in THRESHOLDS} | {"nothing": nothing}
        for name, flags in rows.items():
            slow, runs = {}, 0
            for program in suite(options):
                pairs = percents(*sharing(options.runs,
                                          lambda: checked(options, program, *nothing)[1],
                                          lambda: checked(options, program, *flags)[1]))
                runs += len(pairs)
                slow[program[0]] = sum(percent > OUTLIER for percent in pairs)
            count = sum(slow.values())
            found[f"{period}/{name}"] = slow | {"runs": runs}
            whose = " ".join(f"{program} {n}" for program, n in slow.items() if n > 0)
            show_row(f"period {period:,}", [f"{name:<8}", f"{100 * count / runs:5.1f} %",
                                            f"({count} of {runs})", whose])
    return found


def variant(text, changes):
    for old, new in changes:
        if old not in text:
            raise Failure(f"there is no {old!r} in the program")
        text = text.replace(old, new)
    return text


def speedup(options):
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (flags, longer, clean) in CHANGES.items():
            if options.programs and name not in options.programs:
                continue
            text = variant((ROOT / f"examples/profiler/{name}.sou").read_text(), [longer])
            path, cleaned = Path(folder) / f"{name}.sou", Path(folder) / f"{name}_clean.sou"
            path.write_text(text), cleaned.write_text(variant(text, clean))
            answer = run(options.sourir, path, *flags)[0]

            def once(*more, of=path):
                printed, _, seconds = run(options.sourir, of, *flags, *more)
                if of is path and printed != answer:
                    raise Failure(f"{name} {more}: {printed!r} instead of {answer!r}")
                return seconds

            variants = {"without": once, "limit": lambda: once(of=cleaned)}
            variants |= {period: lambda period=period: once(*sampling_flags(period))
                         for period in options.periods}
            seconds = in_turns(options.runs, variants)
            middle = {key: statistics.median(times) for key, times in seconds.items()}
            gain = max(middle["without"] - middle["limit"], 1e-9)
            rows[name] = {"seconds": {str(key): times for key, times in seconds.items()}}
            show_row(name, [f"without {middle['without']:6.2f} s",
                            f"limit {middle['without'] / middle['limit']:5.2f}x"] + [
                f"{period:,}: {middle['without'] / middle[period]:5.2f}x "
                f"({100 * (middle['without'] - middle[period]) / gain:.0f} %)"
                for period in options.periods])
            plot(options, f"speedup_{name}", box_plot(
                {str(key): times for key, times in seconds.items()}, "seconds"))
    return rows


def detection(options):
    """From the line that the program prints before the change to the one that says `because of
    samples`: seconds."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (flags, longer, _) in CHANGES.items():
            text = variant((ROOT / f"examples/profiler/{name}.sou").read_text(), [longer])
            path = Path(folder) / f"{name}.sou"
            path.write_text(text)
            for period in options.periods:
                found = [first_new_code(options, path, flags + sampling_flags(period))
                         for _ in range(options.runs)]
                found = [seconds for seconds in found if seconds is not None]
                rows[f"{name}/{period}"] = found
                show_row(name, [f"period {period:>9,}",
                                f"{1000 * statistics.median(found):7.1f} ms" if found else "never"])
    return rows


def first_new_code(options, path, flags):
    """Seconds from when code that turns out stale was there until there was better code."""
    process = subprocess.Popen([options.sourir, "run", str(path), *flags, "--tiers"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    made, found = {}, None
    for line in process.stderr:
        words = line.split()
        if words[:1] == ["compiled"] and "because of samples" in line and found is None:
            found = time.monotonic() - made.get(words[1].rstrip(","), time.monotonic())
        elif words[:1] == ["compiled"]:
            made[words[1].rstrip(",")] = time.monotonic()
    process.wait()
    return found


def show_row(name, cells):
    print(f"{name:<20}" + "  ".join(cells), flush=True)


def box_plot(groups, unit):
    """Median, quartiles, extremes and each value, as SVG."""
    width, height, left, top = 120 * len(groups) + 80, 320, 60, 20
    low = min(min(values) for values in groups.values())
    high = max(max(values) for values in groups.values())
    low, high = min(low, 0), max(high, low + 1e-9)

    def y(value):
        return top + (height - 2 * top - 30) * (1 - (value - low) / (high - low))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             f'<text x="4" y="14">{unit}</text>']
    for value in (low, (low + high) / 2, high):
        parts.append(f'<text x="4" y="{y(value) + 4:.1f}">{value:.1f}</text><line x1="{left}" '
                     f'x2="{width}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>')
    for i, (name, values) in enumerate(groups.items()):
        x = left + 60 + 120 * i
        quarter = statistics.quantiles(values, n=4) if len(values) > 1 else [values[0]] * 3
        parts.append(f'<rect x="{x - 25}" width="50" y="{y(quarter[2]):.1f}" '
                     f'height="{max(y(quarter[0]) - y(quarter[2]), 1):.1f}" fill="#cde" '
                     f'stroke="#357"/><line x1="{x - 25}" x2="{x + 25}" y1="{y(quarter[1]):.1f}" '
                     f'y2="{y(quarter[1]):.1f}" stroke="#357" stroke-width="2"/>')
        parts += [f'<circle cx="{x + 35}" cy="{y(value):.1f}" r="2" fill="#357"/>'
                  for value in values]
        parts.append(f'<text x="{x}" y="{height - 12}" text-anchor="middle">{name}</text>')
    return "\n".join(parts + ["</svg>\n"])


def main():
    parts = {"overhead": overhead, "seconds": seconds, "gains": gains, "outliers": outliers,
             "speedup": speedup,
             "curves": lambda o: curves(o, {f"{p:,}": sampling_flags(p) for p in o.periods}, plot),
             "detection": detection, "opportunities": opportunities}
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", default=str(ROOT / "build/bin/sourir"))
    parser.add_argument("-k", dest="part", choices=list(parts))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", default="small", help="of the programs of bench/")
    parser.add_argument("--programs", type=lambda text: text.split(","))
    parser.add_argument("--noise", action="store_true",
                        help="overhead: also of runs without samples, which have none")
    parser.add_argument("--periods", type=int, nargs="*", default=list(PERIODS),
                        choices=list(PERIODS), help="of the samples, in instructions")
    parser.add_argument("--json")
    parser.add_argument("--plots")
    options = parser.parse_args()
    found = {}
    try:
        for name, part in parts.items():
            if options.part in (None, name):
                print(f"\n{name}")
                found[name] = part(options)
    except (Failure, RuntimeError) as failure:
        sys.exit(f"profiler.py: {failure}")
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
