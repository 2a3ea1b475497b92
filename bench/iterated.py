"""What the evaluations of chapter 5 of the dissertation share: programs that are executed several times
in one process by `sourir bench --iterations`, its linear model, statistics of a run, lines that are timed
as a program prints them, and the options of the commands.

Times are by the clock, unless --measure=cpu asks for those of the processors. Answers are checked, by
`sourir bench` and here."""
import argparse
import json
import math
import os
import pty
import re
import statistics
import subprocess
import tempfile
import time
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# 30 iterations in a process, the first 5 set aside, 3 processes (dissertation 5.5).
ITERATIONS, SET_ASIDE, RUNS = 30, 5, 3
Program = namedtuple("Program", "name path n answer")
# processes: seconds of each iteration; memory: the most that was resident, bytes
Measured = namedtuple("Measured", "processes memory")
Estimate = namedtuple("Estimate", "mean low high")


class Failure(Exception):
    """The tool did not do what it was asked, or an answer is wrong."""


# --- Programs

def programs(options, folder="bench"):
    """Of bench/ or bench/dissertation, at the size of the options."""
    for row in json.loads((ROOT / folder / "programs.json").read_text())["programs"]:
        if options.programs and row["name"] not in options.programs:
            continue
        size = row["sizes"][options.size]
        yield Program(row["name"], ROOT / f"{folder}/programs/{row['name']}.sou", size["n"],
                      size["answer"])


def all_programs(options):
    """Those of bench/, then those of the dissertation under names of their own."""
    found = list(programs(options))
    names = {p.name for p in found} | {"map_reduce", "volcano"}
    return found + [p._replace(name=f"{p.name}_phases" if p.name in names else p.name)
                    for p in programs(options, "bench/dissertation")]


def repeated(program, times):
    """The text of the program with a main that executes it so often."""
    text = program.path.read_text()
    again = (r"  var k = 0\n  goto again\nagain:\n  branch (k < %d) $more $over\n$more:\n"
             r"  call \1 = \2\n  print \1\n  drop \1\n  k <- (k + 1)\n  goto again\n$over:\n  stop\n"
             % times)
    text, found = re.subn(r"  call (\w+) = ('\w+\(n\))\n  print \1\n  stop\n", again, text, count=1)
    if found != 1:
        raise Failure(f"{program.path}: its main is not one call")
    return text


def same(printed, answer):
    if printed == answer:
        return True
    try:
        return "." in answer and float(printed) == float(answer)
    except ValueError:
        return False


# --- Measuring

def measure(options, chosen, variants):
    """{program: {variant: Measured}} of {variant: flags}; a program without one of them took longer
    than --timeout there."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "programs").mkdir()
        rows = []
        for program in chosen:
            (Path(folder) / f"programs/{program.name}.sou").symlink_to(program.path)
            rows.append({"name": program.name,
                         "sizes": {"full": {"n": program.n, "answer": program.answer}}})
        (Path(folder) / "programs.json").write_text(json.dumps({"programs": rows}))
        words = [options.sourir, "bench", f"--dir={folder}", "--engines=none", "--size=full", "--json",
                 f"--iterations={options.iterations}", f"--warmup={options.set_aside}",
                 f"--runs={options.runs}", f"--timeout={options.timeout}",
                 *(f"--set={name}=auto {' '.join(flags)}" for name, flags in variants.items())]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise Failure(f"{' '.join(words)}: {done.returncode}\n{done.stderr[:2000]}")
    found = {}
    for row in json.loads(done.stdout)["programs"]:
        found[row["name"]] = of_program = {}
        for cell in row["results"]:
            if cell["outcome"] == "out of time":
                continue
            if cell["outcome"] != "fine":
                raise Failure(f"{row['name']}, {cell['competitor']}: {cell['outcome']}: "
                              f"{cell.get('detail')}")
            # Answers that arrive together have no time between them.
            of_program[cell["competitor"]] = Measured(
                [[max(t, 1e-6) for t in p[options.measure]] for p in cell["processes"]], cell["memory"])
    return found


def counted(options, measured):
    """All times that count, of all processes."""
    return [t for process in measured.processes for t in process[options.set_aside:]]


def run_statistics(options, program, *flags):
    """`--stats=json` of one process that executes the program as often as --iterations says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{program.name}.sou"
        path.write_text(repeated(program, options.iterations))
        done = subprocess.run([options.sourir, "run", str(path), *flags, "--stats=json"],
                              input=f"{program.n}\n", capture_output=True, text=True, check=False)
    lines = done.stdout.split("\n")[:-1]
    if done.returncode != 0 or not lines or not all(same(line, program.answer) for line in lines):
        raise Failure(f"{program.name} {flags}: {done.returncode}, {lines[-1:]} instead of "
                      f"{program.answer}\n{done.stderr[:2000]}")
    return json.loads(done.stderr)


def timed_lines(command, statuses=(0,)):
    """(seconds until each line that a command prints, since the one before; its words). On a
    terminal of its own, so that none waits in a buffer; lines that arrive together share the time."""
    mine, its = pty.openpty()
    last = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=its, stderr=subprocess.PIPE)
    os.close(its)
    times, text = [], b""
    while True:
        try:
            data = os.read(mine, 4096)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        if lines := data.count(b"\n"):
            now = time.monotonic()
            times += [(now - last) / lines] * lines
            last = now
        text += data
    os.close(mine)
    said = process.communicate()[1].decode("utf-8", "replace")
    if process.returncode not in statuses:
        raise Failure(f"{' '.join(map(str, command))}: {process.returncode}\n{said[:2000]}")
    return times, text.decode().split()


def line_times(options, path, *flags):
    return timed_lines([options.sourir, "run", str(path), *flags])


# --- The linear model

def t_quantile(degrees):
    """The 0.975 quantile of Student's distribution, by its expansion in the normal one."""
    z = statistics.NormalDist().inv_cdf(0.975)
    d = max(degrees, 1)
    return (z + (z ** 3 + z) / (4 * d) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * d ** 2)
            + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * d ** 3))


def linear_model(groups):
    """Speed-up as a linear function of the variant (a factor), as in section 5.4: the prediction for
    each variant with its 95 % confidence interval. One variance is estimated for all groups, and
    iterations count as independent, which those of one process are not."""
    degrees = sum(len(values) - 1 for values in groups.values())
    means = {name: statistics.fmean(values) for name, values in groups.items()}
    squares = sum((v - means[name]) ** 2 for name, values in groups.items() for v in values)
    deviation = math.sqrt(squares / max(degrees, 1))
    half = {name: t_quantile(degrees) * deviation / math.sqrt(len(values))
            for name, values in groups.items()}
    return {name: Estimate(mean, mean - half[name], mean + half[name]) for name, mean in means.items()}


def speedups(options, by_variant, base):
    """{variant: Estimate} of one program; base is the variant whose mean speed-up is one. (The dissertation
    divides by its median; where some iterations are slow, the mean of the base itself is then not one.)"""
    times = {name: counted(options, measured) for name, measured in by_variant.items()}
    one = statistics.harmonic_mean(times[base])
    return linear_model({name: [one / t for t in values] for name, values in times.items()})


def mean_ratio(ratios):
    """Their geometric mean, with a 95 % interval in which they count as independent."""
    logarithms = [math.log(r) for r in ratios]
    mean = statistics.fmean(logarithms)
    half = 0 if len(ratios) < 2 else \
        t_quantile(len(ratios) - 1) * statistics.stdev(logarithms) / math.sqrt(len(ratios))
    return Estimate(math.exp(mean), math.exp(mean - half), math.exp(mean + half))


def process_range(options, by_variant, base, variant):
    """(least, greatest) speed-up of the medians of one process over one of the base."""
    medians = {name: [statistics.median(p[options.set_aside:]) for p in by_variant[name].processes]
               for name in (base, variant)}
    return min(medians[base]) / max(medians[variant]), max(medians[base]) / min(medians[variant])


def geometric_means(estimates):
    """{variant: geometric mean} of the programs that have all variants."""
    names = list(dict.fromkeys(name for of in estimates.values() for name in of))
    whole = [of for of in estimates.values() if all(name in of for name in names)]
    return {name: statistics.geometric_mean(of[name].mean for of in whole) for name in names} \
        if whole else {}


def significant(estimates, variant, thresholds=(-5, 0, 2, 5, 10, 20)):
    """Table 5.6: how many programs the lower end of the interval puts above each threshold."""
    lows = [of[variant].low for of in estimates.values() if variant in of]
    return {percent: sum(low > 1 + percent / 100 for low in lows) for percent in thresholds}


# --- Commands

def parser(doc):
    found = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--sourir", default=str(ROOT / "build-release/bin/sourir"))
    found.add_argument("--programs", type=lambda text: text.split(","), help="only these, with commas")
    found.add_argument("--size", default="iteration", choices=("tiny", "iteration", "small", "full"),
                       help="iteration: about 10 ms in native code")
    found.add_argument("--iterations", type=int, default=ITERATIONS)
    found.add_argument("--set-aside", type=int, default=SET_ASIDE, help="of the iterations, the first")
    found.add_argument("--runs", type=int, default=RUNS)
    found.add_argument("--measure", default="wall", choices=("wall", "cpu"),
                       help="of the iterations: by the clock, or of the processors (compiler included)")
    found.add_argument("--timeout", type=int, default=60, help="seconds for a process")
    found.add_argument("--json", metavar="FILE")
    found.add_argument("--plots", metavar="FOLDER", help="charts as SVG")
    return found


def plot(options, name, svg):
    if options.plots:
        Path(options.plots).mkdir(parents=True, exist_ok=True)
        (Path(options.plots) / f"{name}.svg").write_text(svg)


def machine():
    """What the numbers depend on, beside the options."""
    return {"date": time.strftime("%Y-%m-%d"), "processors": os.cpu_count(), "load": os.getloadavg()[0]}


def machine_text(found):
    return f"{found['date']}, {found['processors']} processors, load {found['load']:.1f}"


def conditions(options):
    found = machine()
    print(f"{machine_text(found)}; size {options.size}, "
          f"{options.runs} processes of {options.iterations} iterations, the first {options.set_aside} "
          f"set aside; {'the clock' if options.measure == 'wall' else 'processor time'}")
    return {**found, "size": options.size, "runs": options.runs, "iterations": options.iterations,
            "set_aside": options.set_aside}
