#!/usr/bin/env python3
"""What deoptimization costs, on programs that are made here: an idle guard in a hot loop, a guard
on an element of an array that is tested or has a watchpoint, an exit that is taken (by the values that it
takes along, the frames that it makes, and where it leads), calls that choose a version by its context,
code that is replaced when an exit has been taken, compiling by the size of a version, and code without exits. Times are of the processor; those of things
inside a program are differences between a longer and a shorter run, so that starting and compiling
fall out; the best of RUNS in turns. They still depend on what else the machine does.
Each program is checked: at a small size with the reference, at full size against its twin.

usage: osr_costs.py [--sourir PATH] [-k PART] [--runs N] [--json FILE]
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path


class Failure(Exception):
    """The tool did not do what it was asked, or an answer is wrong."""


class Tool:
    """Runs programs, and checks what they print."""

    def __init__(self, options, folder):
        self.path, self.runs, self.folder, self.count = options.sourir, options.runs, folder, 0

    def write(self, text):
        self.count += 1
        path = Path(self.folder) / f"p{self.count}.sou"
        path.write_text(text)
        return str(path)

    def run(self, path, *words, engine="native"):
        """(what it printed, its statistics, seconds of the processor)"""
        sync = ["--jit-sync"] if engine == "auto" else []
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen([self.path, "run", path, f"--engine={engine}", *sync,
                                        "--stats=json", *words], stdout=output, stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0), errors.seek(0)
            printed, said = output.read(), errors.read()
        if process.returncode != 0:
            raise Failure(f"{path} {words}: {process.returncode}\n{said[:2000]}")
        return printed, json.loads(said), usage.ru_utime

    def check(self, program, size, *words, engine="native"):
        """At this size it prints what it does in the reference."""
        path = self.write(program(size))
        expected = self.run(path, engine="reference")[0]
        found = self.run(path, *words, engine=engine)[0]
        if found != expected:
            raise Failure(f"{path} {words}: {found!r} instead of {expected!r}")

    def per_iteration(self, variants, size):
        """{name: ns an iteration} of {name: (program of its size, engine, words)}; all print the same."""
        best = {}
        for name, (program, engine, words) in variants.items():
            self.check(program, 50, *words, engine=engine)
        paths = {(name, n): self.write(variants[name][0](n)) for name in variants
                 for n in (size, 3 * size)}
        outputs = {}
        for _ in range(self.runs):
            for (name, n), path in paths.items():
                output, _, seconds = self.run(path, *variants[name][2], engine=variants[name][1])
                outputs.setdefault(n, {})[name] = output
                best[name, n] = min(best.get((name, n), seconds), seconds)
        for n, found in outputs.items():
            if len(set(found.values())) != 1:
                raise Failure(f"the variants print different things: {found}")
        return {name: (best[name, 3 * size] - best[name, size]) / (2 * size) * 1e9
                for name in variants}


def idle_loop(guard, live):
    """A dependent chain of operations, with `guard` in each round; its exit keeps `live` values."""
    names = [f"v{k}" for k in range(live)]
    def program(size):
        more = "".join(f", var {v} = {v}" for v in names)
        assume = ("" if guard is None else
                  f"  assume [{guard}] else (work, base, at) [var n = n, var k = k, var s = s, "
                  f"var i = i{more}]\n")
        declared = "".join(f"  var {v} = (n + {j})\n" for j, v in enumerate(names))
        used = "".join(f"  s <- (s + {v})\n" for v in names)
        body = lambda label, assume: (
            f"{declared}  var s = 1\n  var i = 0\n  goto loop\nloop:\n"
            f"  branch (i < n) $body $done\n$body:\n{label}{assume}  s <- (s * 25214903917)\n"
            f"  s <- (s + i)\n  i <- (i + 1)\n  goto loop\n$done:\n{used}  return s\n")
        return (f"function main()\n  call s = 'work({size}, -1)\n  print s\n"
                f"function work(var n, var k)\nversion fast\n{body('', assume)}"
                f"version base\n{body('>at:' + chr(10), '')}")
    return program


def idle(tool):
    """An idle guard: ns an iteration of a loop that takes a multiplication and two additions."""
    size = 30_000_000
    variants = {"no assume": (idle_loop(None, 0), "native", ())}
    for name, guard in (("a comparison", "(i != k)"), ("two", "(i != k), (s != k)"),
                        ("does not change", "(k == -1)"), ("of a kind", "(s is int)")):
        variants[name] = (idle_loop(guard, 0), "native", ())
    found = tool.per_iteration(variants, size)
    twins = {"no assume, 16 values": (idle_loop(None, 16), "native", ()),
             "a comparison, 16 values": (idle_loop("(i != k)", 16), "native", ())}
    found.update(tool.per_iteration(twins, size))
    return found


def exits(guard, live, frames):
    """A function with one guard at its beginning is called in a loop. Behind it, and where its exit
    leads, the same is done: `live` values are added up, in as many frames as are asked for."""
    names = [f"v{k}" for k in range(live)]
    varmap = ", ".join(f"var {v} = {v}" for v in names)
    declared = "".join(f"  var {v} = {j + 1}\n" for j, v in enumerate(names))
    total = "".join(f"  r <- (r + {v})\n" for v in names)
    outer = "".join(f" (f{k}, base, back) r [var d = d]" for k in range(1, frames))
    def program(size):
        # The frames of f1, f2 were inlined into the version: they add 1 each.
        result = "  var r = 0\n" + total + "".join("  r <- (r + 1)\n" for _ in range(1, frames))
        text = (f"function main()\n  var i = 0\n  var s = 0\n  goto loop\nloop:\n"
                f"  branch (i < {size}) $body $done\n$body:\n  call r = 'f0()\n  s <- (s + r)\n"
                f"  drop r\n  i <- (i + 1)\n  goto loop\n$done:\n  print s\n"
                f"function f0()\nversion fast\n  var d = 1\n{declared}"
                f"  assume [{guard}] else (f0, base, at) [{varmap}]{outer}\n{result}  return r\n"
                f"version base\n{declared}>at:\n  var r = 0\n{total}  return r\n")
        for k in range(1, frames):
            text += (f"function f{k}(var d)\nversion base\n  call r = 'f0()\n>back:\n"
                     f"  return (r + d)\n")
        return text
    return program


SHAPES = [(0, 1), (4, 1), (16, 1), (0, 3), (4, 3), (16, 3)]


def fired(tool):
    """A taken exit: ns more than passing the guard, by live values and frames."""
    found = {}
    for live, frames in SHAPES:
        times = tool.per_iteration({
            "passed": (exits("true", live, frames), "native", ()),
            "to the baseline": (exits("false", live, frames), "native", ("--no-osr-out",)),
            "to native code": (exits("false", live, frames), "native", ())}, 1_000_000)
        for where in ("to the baseline", "to native code"):
            found[f"{live} values, {frames} frame{'s'[:frames - 1]}, {where}"] = (
                times[where] - times["passed"])
    return found


def arguments(tool):
    """A call between native functions, by its arguments: what passing values in registers and on
    the stack would cost an exit instead of frames in memory."""
    found = {}
    for count in (0, 4, 12):
        names = [f"v{k}" for k in range(count)]
        total = "".join(f"  r <- (r + {v})\n" for v in names)
        def program(size):
            given = ", ".join(["i"] * count)
            return (f"function main()\n  var i = 0\n  var s = 0\n  goto loop\nloop:\n"
                    f"  branch (i < {size}) $body $done\n$body:\n  call r = 'f({given})\n"
                    f"  s <- (s + r)\n  drop r\n  i <- (i + 1)\n  goto loop\n$done:\n  print s\n"
                    f"function f({', '.join('var ' + v for v in names)})\n  var r = 0\n{total}"
                    f"  return r\n")
        found.update(tool.per_iteration({f"{count} arguments": (program, "native", ())}, 5_000_000))
    return found


def watchpoints(tool):
    """A guard on an element of an array, after a call that could change it: ns an iteration."""
    def program(size, guard=True):
        assume = ("  assume [flags[0]] else (work, base, test) [var flags = flags, var n = n, "
                  "var s = s, var i = i, var x = x]\n" if guard else "")
        body = lambda label, assume, rest: (
            f"  var s = 0\n  var i = 0\n  goto loop\nloop:\n  branch (i < n) $body $done\n$body:\n"
            f"  call x = 'step(flags, i)\n{label}{assume}{rest}  s <- (s + x)\n  drop x\n"
            f"  i <- (i + 1)\n  goto loop\n$done:\n  return s\n")
        look = ("  branch flags[0] $quiet $loud\n$loud:\n  print x\n  goto quiet_too\n$quiet:\n"
                "  goto quiet_too\nquiet_too:\n")
        return (f"function main()\n  array flags = [true, \"any\"]\n"
                f"  call s = 'work(flags, {size})\n  print s\n"
                f"function work(var flags, var n)\nversion quiet\n{body('', assume, '')}"
                f"version base\n{body('>test:' + chr(10), '', look)}"
                f"function step(var flags, var i)\n  branch (i == -1) $now $not\n$now:\n"
                f"  flags[0] <- false\n  return 100\n$not:\n  return i\n")
    return tool.per_iteration({
        "no guard": (lambda size: program(size, guard=False), "native", ()),
        "tested": (program, "native", ("--no-watchpoints",)),
        "watchpoint": (program, "native", ())}, 10_000_000)


CONTEXTS = {"one version": "  return (x + 1)\n",
            "three by type": "version ints when [(x is int)]\n  return (x + 1)\n"
                             "version floats when [(x is float)]\n  return (x + 1)\n"
                             "version base\n  return (x + 1)\n",
            # The runtime tests contexts with a guard that may fail with an error.
            "the last of three by the runtime": "version odd when [(x < 0)]\n  return (x + 1)\n"
                                                "version ints when [(x is int)]\n  return (x + 1)\n"
                                                "version base\n  return (x + 1)\n"}


def contexts(tool):
    """A call in a loop of a function whose versions have contexts: ns an iteration, by what native
    code knows of the argument. The calls are counted for --stats."""
    def program(size, versions, known):
        argument = ("  var x = (i * 1)\n" if known else
                    "  var k = (i % 2)\n  var x = all[k]\n  drop k\n")
        return (f"function main()\n  array all = [1, 2.5]\n  var i = 0\n  var s = 0\n  goto loop\n"
                f"loop:\n  branch (i < {size}) $body $done\n$body:\n{argument}  call r = 'f(x)\n"
                f"  s <- (s + r)\n  drop r\n  drop x\n  i <- (i + 1)\n  goto loop\n$done:\n"
                f"  print s\nfunction f(var x)\n{versions}")
    found = {}
    for known, what in ((True, "an int"), (False, "unknown")):
        times = tool.per_iteration(
            {name: (lambda size, v=v, known=known: program(size, v, known), "native", ())
             for name, v in CONTEXTS.items()}, 5_000_000)
        found.update({f"{what}, {name}": time for name, time in times.items()})
    return found


def replacing(tool):
    """Calls of a function whose exit is taken each time, by when its code is replaced: ns a call.
    (RJIT OSR, 5.2.2: 40 % slower where it is not.)"""
    def program(size):
        return (f"function main()\n  var i = 0\n  var s = 0\n  goto loop\nloop:\n"
                f"  branch (i < {size}) $body $done\n$body:\n  branch (i < 2000) $warm $cold\n"
                f"$warm:\n  call r = 'g(i, 1)\n  s <- (s + r)\n  drop r\n  goto next\n"
                f"$cold:\n  call r = 'g(i, 0.5)\n  s <- (s + i)\n  drop r\n  goto next\nnext:\n"
                f"  i <- (i + 1)\n  goto loop\n$done:\n  print s\n"
                f"function g(var x, var k)\n  var s = x\n  var j = 0\n  goto loop\nloop:\n"
                f"  branch (j < 10) $body $done\n$body:\n  s <- (s + k)\n  j <- (j + 1)\n"
                f"  goto loop\n$done:\n  return s\n")
    words = {"never": ("--tier=exits=1000000000", "--no-osr-out"),
             "never, but exits go to native code": ("--tier=exits=1000000000",),
             "after 20 exits": ("--no-osr-out",), "at the first": ("--tier=replace=first",)}
    return tool.per_iteration({name: (program, "auto", ("--no-osr-in", "--no-inlining") + w)
                           for name, w in words.items()}, 300_000)


def compiling(tool):
    """Native code of a version: µs for an instruction more than in one of a tenth of the size."""
    found, before = {}, {0: None, 2: None}
    for count in (200, 2000, 20000):
        lines = [f"  v{k % 8} <- (v{(k * 5 + 1) % 8} {'+-*'[k % 3]} v{(k * 3 + 2) % 8})"
                 if k % 10 else f"  print v{k % 8}" for k in range(count - 9)]
        declared = [f"  var v{k} = {k}" for k in range(8)]
        path = tool.write("function main()\n" + "\n".join(declared + lines) + "\n  stop\n")
        expected = tool.run(path, engine="reference")[0]
        for level in (0, 2):
            best = None
            for _ in range(tool.runs):
                output, statistics, _ = tool.run(path, f"--jit-level={level}")
                if output != expected:
                    raise Failure(f"{path} at level {level}: another output")
                seconds = statistics["compile_seconds"]
                best = seconds if best is None else min(best, seconds)
            if before[level] is not None:
                found[f"{count} instructions, level {level}"] = (
                    (best - before[level]) / (count * 0.9) * 1e6)
            before[level] = best
    return found


def dropped(tool):
    """The programs of bench/ without the code of their exits and bailouts, which is unsound
    (dissertation 4.7), for each with them: seconds of the processor, bytes, seconds of compiling.
    Programs that need an exit end there and do not count."""
    bench = Path(__file__).parent
    found, needed = {}, []
    for program in json.loads((bench / "programs.json").read_text())["programs"]:
        size = str(program["sizes"]["full"]["n"])
        path = tool.write((bench / "programs" / f"{program['name']}.sou").read_text())
        # Otherwise the end of each loop is an exit: it has not been reached before.
        words = [f"--input={tool.write(size + chr(10))}", "--tier=speculate=-unreached,-branches"]
        best = {}
        try:
            for _ in range(tool.runs):
                for kept in ("keep", "drop"):
                    printed, statistics, seconds = tool.run(
                        path, f"--tier=exit-code={kept}", *words, engine="auto")
                    if printed.split() != program["sizes"]["full"]["answer"].split():
                        raise Failure(f"{path}: {printed!r}")
                    now = (seconds, statistics["machine_code_bytes"], statistics["compile_seconds"])
                    best[kept] = tuple(map(min, now, best.get(kept, now)))
        except Failure as failure:
            if "has left out" not in str(failure):
                raise
            needed.append(program["name"])
            continue
        for k, what in enumerate(("seconds", "code", "compiling")):
            found.setdefault(what, []).append(best["drop"][k] / best["keep"][k])
    print(f"{len(needed)} programs need an exit: {', '.join(needed)}")
    return {f"{what}, geometric mean of {len(ratios)}":
            math.exp(sum(map(math.log, ratios)) / len(ratios)) for what, ratios in found.items()}


def inside_calls(tool):
    """A guard that fails in each call of f, which has g and h inlined: ns more than where it holds, by
    what goes on. Deoptless enters the rest of all three frames, of which none is made."""
    def program(size, later):
        return (f"function main()\n  array a = [1, nil]\n  var i = 0\n  var s = 0\n  goto loop\n"
                f"loop:\n  branch (i < {size}) $body $done\n$body:\n"
                f"  branch (i == 3000) $change $same\n"
                f"$change:\n  a[0] <- {later}\n  goto next\n$same:\n  goto next\nnext:\n"
                f"  call r = 'f(i, a)\n  drop r\n  s <- (s + i)\n  i <- (i + 1)\n  goto loop\n"
                f"$done:\n  print s\n"
                f"function f(var x, var a)\n  call r = 'g(x, a)\n  r <- (r + x)\n  return r\n"
                f"function g(var x, var a)\n  call r = 'h(x, a)\n  r <- (r * x)\n  return r\n"
                f"function h(var x, var a)\n  var k = a[0]\n  var r = (k + x)\n  r <- (r * k)\n"
                f"  return r\n")
    kept = ("--no-osr-in", "--tier=exits=1000000000,taken-over=1000000000")
    variants = {"passed": ("2", ()), "deoptless": ("0.5", ("--tier=deoptless=on",)),
                "three frames, the innermost in native code": ("0.5", ()),
                "three frames of the interpreter": ("0.5", ("--no-osr-out",))}
    times = tool.per_iteration(
        {name: (lambda size, cold=cold: program(size, cold), "auto", kept + words)
         for name, (cold, words) in variants.items()}, 300_000)
    return {name: times[name] - times["passed"] for name in variants if name != "passed"}


PARTS = {"idle guard": (idle, "ns an iteration"), "exit taken": (fired, "ns more"),
         "arguments": (arguments, "ns a call"), "element": (watchpoints, "ns an iteration"),
         "contexts": (contexts, "ns an iteration"), "replaced": (replacing, "ns a call"),
         "inside calls": (inside_calls, "ns more"),
         "compiling": (compiling, "µs an instruction more"),
         "dropped": (dropped, "without exits / with")}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", default="build/bin/sourir")
    parser.add_argument("-k", default="", help="only parts whose name contains it")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", help="a file for the results")
    options = parser.parse_args()
    results = {"format": "osr-costs", "version": 1, "load": os.getloadavg()[0], "parts": []}
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(options, folder)
        for name, (part, unit) in PARTS.items():
            if options.k not in name:
                continue
            found = part(tool)
            results["parts"].append({"part": name, "unit": unit, "values": found})
            print(f"\n| {name} | {unit} |\n|---|---:|")
            for what, value in found.items():
                print(f"| {what} | {value:.2f} |", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"osr_costs: {failure}")
