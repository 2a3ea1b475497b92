#!/usr/bin/env python3
"""What versions for the contexts of calls are worth: sections 5.3 and 5.4 of the dissertation.

  levels       the programs of bench/ and of bench/dissertation by cumulative level of contexts: L0
               nothing, L1 types, L2 elements, L3 distinct arrays, L4 constants, L5 functions; those of
               the dissertation without inlining, too. Speed-ups over L0 by its linear model, with 95 %
               intervals; how many programs gain (its table 5.6); memory and time of compilation
  speculation  the same programs with one kind of speculation switched off, and all (its table 5.5)
  statistics   versions, dispatched and sub-optimal calls of each program, and its table 5.7
  phases       the dissertation's programs by iteration, over their phases (its figures 3.5 and 3.8)
  turns        a function called with arrays of three types in turn, against the three apart

Times are by the clock, of iterations in one process (turns: of the processor); answers are checked. Beside each part stands what
the dissertation measured, and why ours differs.

usage: dispatch.py [--sourir PATH] [-k PART]... [--programs NAME,...] [--size SIZE] [--iterations N]
                   [--runs N] [--json FILE] [--plots FOLDER]
"""
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import charts
import iterated
from iterated import Failure, all_programs, counted, plot, programs
from profiler import run

LEVELS = {f"L{n}": (f"--tier=contexts={n}",) for n in range(6)}
MEANING = ("nothing", "types", "elements", "distinct arrays", "constants", "functions")
KINDS = ("arguments", "results", "loads", "branches", "targets", "storage", "unreached")
BASE, FULL = "L0", "L5"

CANNOT = """\
Not in sourir, so not here, from the dissertation's suite: fasta, fastaredux, knucleotide, regexdna and
reversecomplement (they are about strings, which sourir can only compare), pidigits (integers of any size),
flexclust (generic methods and reflection of R), and what contexts are mostly about in R: arguments that are
evaluated late, left out, named or reordered. Bounce and Storage are not written; the other programs are those
of bench/."""


# --- Levels

def level_rows(options, chosen, flags, suffix):
    variants = {name: (*words, *flags) for name, words in LEVELS.items()}
    measured = iterated.measure(options, chosen, variants)
    for name, by_level in measured.items():
        if len(by_level) < len(LEVELS):
            print(f"{name + suffix:<34} took more than {options.timeout} s")
            continue
        found = iterated.speedups(options, by_level, BASE)
        low, high = iterated.process_range(options, by_level, BASE, FULL)
        middle = statistics.median(counted(options, by_level[BASE]))
        print(f"{name + suffix:<34} {1000 * middle:8.2f}" + "".join(
            f"{found[level].mean:7.2f}" for level in LEVELS)
            + f"   {found[FULL].low:5.2f} to {found[FULL].high:4.2f}   {low:5.2f} to {high:4.2f}"
            + f" {by_level[BASE].memory / 2 ** 20:6.0f} {by_level[FULL].memory / 2 ** 20:5.0f}", flush=True)
        yield name + suffix, found, {level: m._asdict() for level, m in by_level.items()}


def levels(options):
    print("levels: " + ", ".join(f"L{n} {what}" for n, what in enumerate(MEANING)) + "; each with those "
          "before it\n")
    print(f"{'speed-up over L0':<34} {'ms at L0':>8}" + "".join(f"{level:>7}" for level in LEVELS)
          + f"   {'L5, 95 % interval':<14}   {'processes':<13}  MiB L0   L5")
    estimates, raw = {}, {}
    own = list(programs(options, "bench/dissertation"))
    for chosen, flags, suffix in ((list(all_programs(options)), (), ""),
                                  (own, ("--no-inlining",), ", not inlined")):
        for name, found, times in level_rows(options, chosen, flags, suffix) if chosen else ():
            estimates[name], raw[name] = found, times
    in_mean = {name: of for name, of in estimates.items() if ", not" not in name}
    for what, of in (("geometric mean", in_mean),
                     ("... not inlined", {n: e for n, e in estimates.items() if n not in in_mean})):
        means = iterated.geometric_means(of)
        if means:
            print(f"{what + f' of {len(of)}':<43}" + "".join(f"{means[level]:7.2f}" for level in LEVELS))
            estimates[what] = {level: iterated.Estimate(mean, None, None) for level, mean in means.items()}
    table = iterated.significant(in_mean, FULL)
    print(f"\nlower end of the interval at L5 above, programs of {len(in_mean)} (dissertation, table 5.6, of 46 "
          "and of 13 microbenchmarks):")
    paper = {-5: (44, 11), 0: (18, 10), 2: (11, 8), 5: (6, 8), 10: (4, 7), 20: (1, 7)}
    for percent, count in table.items():
        print(f"  {percent:+4d} %  {count:3d}   ({paper[percent][0]}, {paper[percent][1]})")
    memory = [raw[name][FULL]["memory"] / raw[name][BASE]["memory"] for name in in_mean if name in raw]
    if memory:
        print(f"\nmemory at L5 over L0: median {statistics.median(memory):.3f}, {min(memory):.2f} to "
              f"{max(memory):.2f}")
    print("""
Why ours differs. In Ř most calls are not inlined, as a call can redefine its callee, and a version for a
context takes away what each call costs there: promises, environments, the matching of arguments. Here
calls have none of that, small callees of hot loops are inlined, and their callers' facts hold in them
anyway. What contexts take away is guards, boxed values, and recompilation where types change. Intervals take
the iterations of a process for independent; `processes` has the least and the greatest ratio of the medians
of single processes, which do not depend on that.""")
    plot(options, "dispatch_levels", charts.dots(
        "Contexts of calls: speed-up over none", "by cumulative level; right is faster; bars: 95 % intervals of the "
        "linear model", {name: {f"{level} {MEANING[int(level[1])]}": tuple(e) for level, e in of.items()
                                if level != BASE} for name, of in estimates.items()}))
    return {"estimates": {n: {v: tuple(e) for v, e in of.items()} for n, of in estimates.items()},
            "times": raw, "significant": table}


# --- Speculation

def speculation(options):
    variants = {"all": ()} | {f"-{kind}": (f"--tier=speculate=-{kind}",) for kind in KINDS}
    variants["none"] = ("--tier=speculate=none",)
    print(f"{'speed-up over all speculation':<24}" + "".join(f"{name:>11}" for name in variants if name != "all"))
    estimates = {}
    for name, of in iterated.measure(options, list(all_programs(options)), variants).items():
        if "all" not in of:
            continue
        estimates[name] = iterated.speedups(options, of, "all")
        print(f"{name:<24}" + "".join(f"{estimates[name][v].mean:>11.2f}" if v in estimates[name]
                                      else f"{'timeout':>11}" for v in variants if v != "all"), flush=True)
    means = iterated.geometric_means(estimates)
    if means:
        print(f"{'geometric mean':<24}" + "".join(f"{means[v]:>11.2f}" for v in variants if v != "all"))
        estimates["geometric mean"] = {v: iterated.Estimate(mean, None, None) for v, mean in means.items()}
    print("""
The dissertation (table 5.5) has 0.27 to 0.56 without any speculation, 0.016 for the worst program and
1.19 for the best, and most of it from types. Why ours differs: its native code unboxes a value only if its
type is proved or speculated on; ours keeps type and value in two registers and tests where it must. Most
calls here name their callee, so speculation on targets is about function values only.""")
    plot(options, "speculation_off", charts.dots(
        "Speculation off, by kind", "speed-up over all speculation; left is slower; bars: 95 % intervals",
        {name: {v: tuple(e) for v, e in of.items() if v != "all"} for name, of in estimates.items()}))
    return {n: {v: tuple(e) for v, e in of.items()} for n, of in estimates.items()}


# --- Statistics of dispatch

def parameters(text, function):
    found = re.search(rf"^function {function}\((.*)\)$", text, re.MULTILINE)
    return [word.split()[-1] for word in found[1].split(",")]


def numbered(context, names):
    """The guards with #1, #2 for the parameters, so that contexts of several functions are comparable."""
    return tuple(re.sub(r"(?<!['\w])\w+", lambda m: f"#{names.index(m[0]) + 1}" if m[0] in names else m[0],
                        guard) for guard in context)


def with_versions(text, versions):
    """The program with versions for the contexts, in the order in which calls test them: copies of the
    function, `{function: [context, ...]}`."""
    for function, contexts in versions.items():
        found = re.search(rf"^function {function}\([^\n]*\)\n(.*?)(?=^function |^# ---|\Z)", text,
                          re.MULTILINE | re.DOTALL)
        body = found[1]
        copies = "".join(f"version for_{k}" + (f" when [{', '.join(context)}]" if context else "")
                         + "\n" + body for k, context in enumerate(contexts))
        text = text[:found.start(1)] + copies + text[found.end(1):]
    return text


def call_sites(options, program, versions):
    """{(place of a call, callee): {version: calls}}, of a run of the reference at the size tiny, in which
    calls choose among these contexts."""
    rows = json.loads((program.path.parents[1] / "programs.json").read_text())["programs"]
    tiny = next(row for row in rows if row["name"] == program.path.stem)["sizes"]["tiny"]
    sites = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.sou"
        path.write_text(with_versions(program.path.read_text(), versions))
        words = [options.sourir, "run", str(path), "--engine=reference", "--trace-file=/dev/stdout", "--trace"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdin.write(f"{tiny['n']}\n".encode()), process.stdin.close()
        call = re.compile(rb"^ *\d+  Call +(\S+)\.(?:\w+)(\S*) .*  enter (\w+)\.(\w+)")
        for line in process.stdout:
            if b"  Call " not in line:
                continue
            found = call.match(line)
            if found is None:
                raise Failure(f"{program.name}: a line of the trace that is not understood: {line[:200]!r}")
            caller, place, callee, version = (part.decode() for part in found.groups())
            of_site = sites.setdefault((caller, place, callee), Counter())
            of_site[version] += 1
        process.wait()
    if not sites or process.returncode != 0:
        raise Failure(f"{program.name}: {process.stderr.read().decode()[:500]}")
    return sites


class Table57:
    """Contexts and call sites of functions that have contexts, and of all functions."""
    PAPER = {"contexts per call site": "1 to 4, 1.00003", "call sites per version": "1 to 88, 1.89",
             "versions per callee": "1 to 38, 1.58", "occurrence per context": "1 to 1131, 31.37"}

    def __init__(self):
        self.values = {(what, everywhere): [] for what in self.PAPER for everywhere in (False, True)}
        self.occurrences = Counter()

    def add(self, what, chosen, value):
        """chosen: it is about a function with contexts."""
        self.values[what, True].append(value)
        if chosen:
            self.values[what, False].append(value)

    def add_program(self, sites, versions, contexts):
        callers = {}
        for (caller, place, callee), by_version in sites.items():
            self.add("contexts per call site", callee in versions, len(by_version))
            for version in by_version:
                callers.setdefault((callee, version), set()).add((caller, place))
        for (callee, _), places in callers.items():
            self.add("call sites per version", callee in versions, len(places))
        for callee in {callee for callee, _ in callers} | set(versions):
            self.add("versions per callee", callee in versions, len(versions.get(callee, [()])))
        self.occurrences.update(contexts)

    def show(self):
        for context, count in self.occurrences.items():
            self.add("occurrence per context", context != (), count)
        found = {}
        print(f"\n{'table 5.7':<28}{'functions with contexts':>26}{'all functions':>26}   dissertation")
        for what, paper in self.PAPER.items():
            cells = []
            for everywhere in (False, True):
                values = self.values[what, everywhere]
                found[f"{what}{', all' if everywhere else ''}"] = values and (
                    min(values), max(values), statistics.fmean(values))
                cells.append(f"{min(values)} to {max(values)}, {statistics.fmean(values):.2f}" if values else "-")
            print(f"{what:<28}{cells[0]:>26}{cells[1]:>26}   {paper}")
        print(f"distinct contexts: {len(self.occurrences)} (dissertation: 199)")
        return found


def statistics_of_dispatch(options):
    print(f"{'at L5':<22} {'functions':>9} {'versions':>8} {'calls':>12} {'direct':>9} {'sub-opt.':>9} "
          f"{'code objects':>14} {'ms compiling':>14} {'KiB of code':>13}   L0, L5")
    rows, table = {}, Table57()
    for program in all_programs(options):
        before, after = (iterated.run_statistics(options, program, *LEVELS[level]) for level in (BASE, FULL))
        text = program.path.read_text()
        found, versions, contexts = after["dispatched"], {}, []
        for version in found["versions"]:
            versions.setdefault(version["function"], []).append(tuple(version["context"]))
            if version["calls"] > 0:
                contexts.append(numbered(version["context"], parameters(text, version["function"])))
        table.add_program(call_sites(options, program, versions), versions, contexts)
        share = f"{100 * found['suboptimal'] / found['calls']:.1f} %" if found["calls"] else "-"
        rows[program.name] = {"dispatched": found, "L0": cost(before), "L5": cost(after)}
        print(f"{program.name:<22} {len(versions):>9} {sum(map(len, versions.values())):>8} {found['calls']:>12} "
              f"{found['direct']:>9} {share:>9} {before['compiled']:>8},{after['compiled']:>5} "
              f"{1000 * before['compile_seconds']:>8.0f},{1000 * after['compile_seconds']:>5.0f} "
              f"{before['machine_code_bytes'] / 1024:>7.1f},{after['machine_code_bytes'] / 1024:>5.1f}", flush=True)
    total = {level: [sum(row[level][key] for row in rows.values()) for key in
                     ("compiled", "compile_seconds", "machine_code_bytes")] for level in ("L0", "L5")}
    print(f"{'all':<74} {total['L0'][0]:>8},{total['L5'][0]:>5} {1000 * total['L0'][1]:>8.0f},"
          f"{1000 * total['L5'][1]:>5.0f} {total['L0'][2] / 1024:>7.1f},{total['L5'][2] / 1024:>5.1f}")
    found = table.show()
    print("""
Versions are those that the tiers made, with the one for all other calls. Call sites are counted at the size
tiny, in the reference, where no call is inlined: each context is the context of a version of the program
there. Sub-optimal: no context held, so the call entered the version for all others; such calls are what the
tiers make versions for, so many of them stand before the versions do. Why ours differs: in Ř every version has a
context, if only that arguments are in order, and a call site shows one of them as most facts are about how
it is written; here contexts are about values, and only functions whose calls differ have any
(docs/contexts.md).""")
    return {"programs": rows, "table": found,
            "contexts": {" ".join(c) or "always": n for c, n in table.occurrences.items()}}


def cost(counts):
    return {key: counts[key] for key in ("compiled", "compile_seconds", "machine_code_bytes", "code_invalidated",
                                         "deoptimizations")}


# --- Phases

COURSES = {"sum": (("ints", "floats", "both", "ints again"), 3000),
           "map_reduce": (("ints", "tuples", "ints again"), 300),
           "volcano": (("nearest", "linear", "smooth", "nearest", "linear", "smooth"), 3000),
           "convolution": (("floats", "ints", "both", "floats again"), 3000)}
PER_PHASE = 10
MODES = {"inlining": ("--tier=contexts=0",),
         "no inlining": ("--tier=contexts=0", "--no-inlining"),
         "contexts": ("--tier=contexts=5", "--no-inlining"),
         "contexts, inlining": ("--tier=contexts=5",)}


def course_of(path, phases, rounds):
    """The program with a main that prints a line for each iteration of each phase."""
    text = path.read_text()
    lines = [f"  call x = 'phase({which}, {rounds})\n  print x\n  drop x\n"
             for which in range(phases) for _ in range(PER_PHASE)]
    start, end = text.index("function main"), text.index("\n# n ")
    return text[:start] + "function main()\n" + "".join(lines) + "  stop\n" + text[end:]


def medians_of_courses(options, path, modes):
    """{mode: median seconds of each iteration}; modes in turn. They must print the same."""
    seconds, printed = {name: [] for name in modes}, set()
    for _ in range(options.runs):
        for name, flags in modes.items():
            times, lines = iterated.line_times(options, path, *flags)
            seconds[name].append(times)
            printed.add(tuple(lines))
    if len(printed) != 1:
        raise Failure(f"{path}: different answers")
    return {name: [statistics.median(times) for times in zip(*runs)] for name, runs in seconds.items()}


def show_course(name, found, phases):
    print(f"\n{name}, ms an iteration: the last of each phase (the first in parentheses)")
    print(f"  {'':<20}" + "".join(f"{phase:>20}" for phase in phases))
    for mode, times in found.items():
        cells = (f"{1000 * times[(k + 1) * PER_PHASE - 1]:.2f} ({1000 * times[k * PER_PHASE]:.1f})"
                 for k in range(len(phases)))
        print(f"  {mode:<20}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


def draw_course(options, kind, name, found, phases):
    plot(options, f"{kind}_{name}", charts.course(
        f"{name} over its phases", f"median of {options.runs} runs, by the clock; down is faster",
        {mode: [1000 * t for t in times] for mode, times in found.items()},
        [(phase, PER_PHASE) for phase in phases], "ms each"))


def rounds_at(options, rounds):
    return rounds if options.size != "tiny" else 20


def courses(options, kind, modes):
    """(name, {mode: seconds of each iteration}) of the dissertation's programs, shown and drawn."""
    with tempfile.TemporaryDirectory() as folder:
        for program in programs(options, "bench/dissertation"):
            names, rounds = COURSES[program.name]
            path = Path(folder) / f"{program.name}.sou"
            path.write_text(course_of(program.path, len(names), rounds_at(options, rounds)))
            found = medians_of_courses(options, path, modes)
            show_course(program.name, found, names)
            draw_course(options, kind, program.name, found, names)
            yield program.name, found


def phases(options):
    found = dict(courses(options, "phases", MODES))
    print("""
The dissertation's figure 3.5: inlined code is fastest in the first phase and does not come back to that
after the tuples; without inlining the same, slower; with contexts and without inlining the third phase is as
fast as the first at once, and a first iteration is fast because `map` has its version early. Figure 3.8 (sum)
is about deoptless: `./dev bench deoptless`. Why ours differs: type feedback is reset when code is invalidated
(docs/runtime.md), so code for the third phase is compiled for its types alone, in some iterations, also
without contexts; and a call costs 1 to 2 ns here, so that a dispatch, which tests the arguments, costs more
than the guards of a small callee that it saves.""")
    return found


# --- In turn

SUM = re.compile(r"^function sum\(.*?(?=^# ---)", re.MULTILINE | re.DOTALL)


def turn_program(sum_text, which, rounds):
    """Sums of the arrays `which` in turn, 3 * rounds in all; the answer is that of all orders."""
    calls = "".join(f"  call r = 'sum({name})\n  total <- (total + r)\n  drop r\n" for name in which)
    return (f"function main()\n  array ints[100]\n  array floats[100]\n  array both[100]\n  var i = 0\n"
            f"  goto fill\nfill:\n  branch (i < 100) $put $filled\n$put:\n  ints[i] <- i\n"
            f"  floats[i] <- (i * 0.5)\n  both[i] <- i\n  i <- (i + 1)\n  goto fill\n$filled:\n"
            f"  both[50] <- 0.5\n  var total = 0\n  var k = 0\n  goto again\nagain:\n"
            f"  branch (k < {3 * rounds // len(which)}) $more $over\n$more:\n{calls}  k <- (k + 1)\n"
            f"  goto again\n$over:\n  print total\n  stop\n\n{sum_text}")


def turns(options):
    """Processor time of two sizes, so that what comes before the steady state cancels out."""
    sum_text = SUM.search((iterated.ROOT / "bench/dissertation/programs/sum.sou").read_text())[0]
    size = 100_000 if options.size != "tiny" else 2_000
    kinds = {"ints": ["ints"], "floats": ["floats"], "both": ["both"], "in turn": ["ints", "floats", "both"]}
    modes = {"L0": ("--tier=contexts=0",), "L5": ("--tier=contexts=5",)}
    modes = {f"{level}{what}": flags + more for level, flags in modes.items()
             for what, more in (("", ()), (", not inlined", ("--no-inlining",)))}
    found = {}
    print(f"{'ns a call of sum, 100 elements':<30}" + "".join(f"{kind:>9}" for kind in kinds)
          + "   in turn / mean of the three")
    with tempfile.TemporaryDirectory() as folder:
        for mode, flags in modes.items():
            least = {}
            for _ in range(options.runs):
                for kind, which in kinds.items():
                    for rounds in (size, 3 * size):
                        path = Path(folder) / "turns.sou"
                        path.write_text(turn_program(sum_text, which, rounds))
                        seconds = run(options.sourir, path, *flags)[2]
                        least[kind, rounds] = min(seconds, least.get((kind, rounds), 1e9))
            one = {kind: (least[kind, 3 * size] - least[kind, size]) / (6 * size) * 1e9 for kind in kinds}
            apart = statistics.fmean(one[kind] for kind in ("ints", "floats", "both"))
            found[mode] = {"ns": one, "ratio": one["in turn"] / apart}
            print(f"{mode:<30}" + "".join(f"{ns:>9.1f}" for ns in one.values())
                  + f"   {found[mode]['ratio']:.2f}", flush=True)
    return found


PARTS = {"levels": levels, "speculation": speculation, "statistics": statistics_of_dispatch,
         "phases": phases, "turns": turns}


def main():
    parser = iterated.parser(__doc__)
    parser.add_argument("-k", dest="parts", action="append", choices=list(PARTS), help="only this part")
    options = parser.parse_args()
    results = {"format": "bench-dispatch", "version": 1, "conditions": iterated.conditions(options)}
    try:
        for name, part in PARTS.items():
            if options.parts is None or name in options.parts:
                print(f"\n--- {name}\n")
                results[name] = part(options)
    except Failure as failure:
        sys.exit(f"dispatch.py: {failure}")
    print("\n" + CANNOT)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
