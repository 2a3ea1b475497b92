"""Speed-up by iteration, with the profiler and without the pollution: figure 4 of Flückiger et al. 2020.

The programs of examples/profiler say a line after each iteration of what comes after the change; the
lines are timed as they come, on a terminal of their own, so that none waits in a buffer."""
import statistics
import tempfile
from pathlib import Path

import iterated

ROOT = Path(__file__).resolve().parents[1]
ITERATIONS = 20
SAY_SOME = """  i <- (i + 1)
  var m = (i % 20000000)
  branch (m == 0) $say $on
$say:
  drop m
  print i
  goto loop
$on:
  drop m
  goto loop
$end:
  print global[0]"""
SAY_EACH = f"""  var k = 0
  goto again
again:
  branch (k < {ITERATIONS}) $more $out
$more:
  call b = 'encrypt_all(key, 400000)
  print b
  drop b
  k <- (k + 1)
  goto again
$out:
  stop"""
# What makes them iterate, what takes the pollution away, flags, lines that come before the change.
PROGRAMS = {
    "microbenchmark": ([("var n = 300000", f"var n = {20000000 * ITERATIONS}"),
                        ("  i <- (i + 1)\n  goto loop\n$end:\n  print global[0]", SAY_SOME)],
                       [("[1.0]", "[1]")], [], 1),
    "rsa": ([("  call b = 'encrypt_all(key, 20000)\n  print b", SAY_EACH)],
            [("var n = (971.0 * 383.0)", "var n = (971 * 383)")], ["--tier=feedback-resets=0"], 1),
    "shared": ([("(i < 6)", f"(i < {ITERATIONS})"), ("(numbers, 50000)", "(numbers, 12000000)"),
                ("  drop t\n  i <- (i + 1)\n  goto loop\n$end:\n  print s\n",
                 "  drop t\n  print i\n  i <- (i + 1)\n  goto loop\n$end:\n  print s\n")],
               [("(i < 300)", "(i < 0)")], [], 0),
}


def replaced(text, changes):
    for old, new in changes:
        if text.count(old) != 1:
            raise RuntimeError(f"{old!r} is there {text.count(old)} times, not once")
        text = text.replace(old, new)
    return text


def iterations(command, before):
    """Seconds of each iteration: from one line to the next, those before the change left out."""
    times, words = iterated.timed_lines(command, range(64))
    times = times[before:before + ITERATIONS]
    if len(times) != ITERATIONS:
        raise iterated.Failure(f"{' '.join(command)}: {len(times)} iterations\n{words[:50]}")
    return times, words


def chart(curves):
    """Lines over iterations, as SVG; `curves` are {name: values}."""
    width, height, left, bottom = 640, 320, 50, 40
    top = max(max(values) for values in curves.values()) * 1.05
    colours = ["#357", "#c63", "#393", "#939", "#888"]
    x = lambda k: left + (width - left - 130) * k / (ITERATIONS - 1)
    y = lambda v: 10 + (height - bottom - 10) * (1 - v / top)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">',
             f'<text x="{left}" y="{height - 8}">iteration after the change; higher is faster</text>']
    for value in (0.5, 1, 1.5, 2, 3, 4, 6):
        if value <= top:
            parts.append(f'<text x="8" y="{y(value) + 4:.1f}">{value:g}x</text><line x1="{left}" '
                         f'x2="{width - 130}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>')
    for (name, values), colour, row in zip(curves.items(), colours, range(9)):
        points = " ".join(f"{x(k):.1f},{y(v):.1f}" for k, v in enumerate(values))
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>'
                     f'<text x="{width - 120}" y="{30 + 18 * row}" fill="{colour}">{name}</text>')
    return "\n".join(parts + ["</svg>\n"])


def curves(options, sampling, plot):
    """`sampling`: {name: flags}. Prints and draws, by program, the median of the runs' speed-ups."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (longer, clean, flags, before) in PROGRAMS.items():
            if options.programs and name not in options.programs:
                continue
            text = replaced((ROOT / f"examples/profiler/{name}.sou").read_text(), longer)
            path, cleaned = Path(folder) / f"{name}.sou", Path(folder) / f"{name}_clean.sou"
            path.write_text(text), cleaned.write_text(replaced(text, clean))
            command = [options.sourir, "run"]
            variants = {"without": [*command, str(path), *flags]}
            variants |= {key: [*command, str(path), *flags, *more] for key, more in sampling.items()}
            variants["no pollution"] = [*command, str(cleaned), *flags]
            seconds, answers = {key: [] for key in variants}, set()
            for _ in range(options.runs):
                for key, words in variants.items():
                    times, printed = iterations(words, before)
                    seconds[key].append(times)
                    if key != "no pollution":
                        answers.add(tuple(printed))
            if len(answers) != 1:
                raise RuntimeError(f"{name}: different answers")
            rows[name] = show(name, seconds)
            plot(options, f"curve_{name}", chart(
                {key: values["speedup"] for key, values in rows[name].items() if key != "without"}))
    return rows


def show(name, seconds):
    """By variant: seconds of each iteration (median of the runs) and how many times faster that is."""
    middle = {key: [statistics.median(times) for times in zip(*runs)] for key, runs in seconds.items()}
    plain = middle["without"]
    found = {key: {"seconds": times, "speedup": [a / b for a, b in zip(plain, times)]}
             for key, times in middle.items()}
    print(f"{name}: {1000 * statistics.median(plain):.0f} ms an iteration without")
    for key, row in found.items():
        if key != "without":
            marks = " ".join(f"{v:.2f}" for v in row["speedup"])
            print(f"  {key:<14} in all {sum(plain) / sum(row['seconds']):.2f}x; by iteration {marks}",
                  flush=True)
    return found
