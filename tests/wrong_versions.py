#!/usr/bin/env python3
"""Can `run --verify` be fooled? Each program of bench/ runs with a pass that makes a mistake in about half of the
optimized versions: another operator, number or variable, exchanged arms of a branch, an assignment without
effect. Whatever the check says of such a version, the program must print the right answer. The last lines count
the runs by what became of them.

usage: wrong_versions.py [--sourir PATH] [--runs N] [--first SEED] [--size SIZE] [-k PART] [--jobs N] [--verbose]
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FINE, UNDECIDED, WRONG = 0, 2, 70
OPERATORS = [["+", "-", "*"], ["/", "%", "*"], ["<", "<=", ">", ">="], ["==", "!="], ["&&", "||"]]


# --- The pass ---

def others(operator):
    return [o for row in OPERATORS if operator in row for o in row if o != operator]


def changes_of_value(value, variables):
    """Functions that change the expression, or a part of it, each with its name."""
    if not isinstance(value, dict):
        return
    if "binary" in value:
        for operator in others(value["binary"]):
            yield f"{operator} for {value['binary']}", lambda o=operator: value.update(binary=o)
    if set(value) == {"int"}:
        for n in (1, -1):
            yield f"{value['int']} + {n}", lambda n=n: value.update(int=str(int(value["int"]) + n))
    if set(value) == {"bool"}:
        yield "not", lambda: value.update(bool=not value["bool"])
    if set(value) == {"var"}:
        for name in sorted(variables - {value["var"]}):
            yield f"{name} for {value['var']}", lambda name=name: value.update(var=name)
    for part in value.values():
        yield from changes_of_value(part, variables)


def changes_of(function, version):
    variables = set(function["params"])  # they are in scope everywhere, if none is dropped
    for instr in (stmt["instr"] for stmt in version["body"]):
        if instr["op"] == "branch":
            yield "arms", lambda i=instr: i.update(if_true=i["if_false"], if_false=i["if_true"])
        if instr["op"] == "assign":
            yield "no assignment", lambda i=instr: i.update(value={"var": i["name"]})
        for part in ("condition", "value", "index", "callee") if instr["op"] != "assume" else ():
            yield from changes_of_value(instr.get(part), variables)
        for part in instr.get("arguments", []) + instr.get("elements", []):
            yield from changes_of_value(part, variables)


def make_a_mistake(text, seed, log):
    program = json.loads(text)
    draw = random.Random(seed + zlib.crc32(text.encode()))
    changes = [(f"{f['name']}.{v['name']}: {name}", change) for f in program["functions"]
               for v in f["versions"] if v["name"].startswith("opt") for name, change in changes_of(f, v)]
    if changes and draw.random() < 0.5:
        name, change = draw.choice(changes)
        change()
        with open(log, "a", encoding="utf-8") as made:
            made.write(name + "\n")
    return json.dumps({"program": program})


# --- The runs ---

def run(options, program, seed):
    """What became of a run, and the mistakes made in it."""
    size = program["sizes"][options.size]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "mistakes"
        command = f"exec:{sys.executable} {Path(__file__).resolve()} --pass {seed} {log}"
        try:
            done = subprocess.run(
                [options.sourir, "run", "--engine=auto", "--jit-sync", "--verify", "--tier=calls=2,iterations=30",
                 f"--tier=passes=O2,{command}", str(ROOT / f"bench/programs/{program['name']}.sou")],
                input=f"{size['n']}\n", capture_output=True, text=True, timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return "no end", "", []
        mistakes = log.read_text().splitlines() if log.exists() else []
    if done.stdout != size["answer"] + "\n":
        return "fooled", f"exit {done.returncode}\n{done.stdout[:200]}{done.stderr[:1000]}", mistakes
    if "its output is not well-formed" in done.stderr:
        return "not well-formed", "", mistakes
    if not mistakes:
        return "no mistake", "", mistakes
    known = {FINE: "accepted, the answer is right", UNDECIDED: "not decided", WRONG: "found wrong"}
    return known.get(done.returncode, "fooled"), f"exit {done.returncode}\n{done.stderr[:1000]}", mistakes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", default="build/bin/sourir")
    parser.add_argument("--runs", type=int, default=1, help="runs of each program")
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--size", default="tiny", choices=["tiny", "small", "full"])
    parser.add_argument("--timeout", type=float, default=300, help="seconds for each run")
    parser.add_argument("-k", default="", metavar="PART", help="programs with that in their name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="also the mistakes of versions that were accepted")
    options = parser.parse_args()
    programs = [p for p in json.loads((ROOT / "bench/programs.json").read_text())["programs"] if options.k in p["name"]]
    tries = [(p, seed) for seed in range(options.first, options.first + options.runs) for p in programs]
    outcomes = Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for (program, seed), (outcome, report, mistakes) in zip(
                tries, pool.map(lambda one: run(options, *one), tries)):
            outcomes[outcome] += 1
            if outcome in ("fooled", "no end") or (options.verbose and outcome.startswith("accepted")):
                print(f"{program['name']}, seed {seed}: {outcome}: {'; '.join(mistakes)}\n{report}", flush=True)
    for outcome, n in outcomes.most_common():
        print(f"{n:6} {outcome}")
    failed = outcomes["fooled"] + outcomes["no end"]
    with_mistakes = outcomes["found wrong"] + outcomes["not decided"]
    print(f"wrong_versions: {sum(outcomes.values())} runs, {failed} failed")
    return failed == 0 and with_mistakes > 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pass"]:
        sys.stdout.write(make_a_mistake(sys.stdin.read(), int(sys.argv[2]), sys.argv[3]))
    else:
        sys.exit(0 if main() else 1)
