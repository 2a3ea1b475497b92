#!/usr/bin/env python3
"""Writes docs/mutants.md: which of the seeded bugs (tests/mutants/bugs) are found, by which oracle,
after how many programs and seconds, and how small their programs become; then, for each oracle,
those that are found no more without it.

With --only, looks for those bugs alone and replaces their rows in the page.

usage: mutant_table.py [--sourir PATH] [--jobs N] [--time N] [--without-time N] [--out FILE]
                       [--only N,N]
"""
import argparse
import collections
import json
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
import mutant_filetests  # noqa: E402


def mutation_run(options, seconds, *arguments):
    command = [options.sourir, "campaign", "mutants", "--json", f"--jobs={options.jobs}",
               f"--time={seconds}", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)["mutants"]


OF_ENGINES = 101  # the first
NO_ORACLES = ("crash", "hang")  # of the process of a case: its parent notices


def tests_for(number):
    """Those that say that they fail under it."""
    return ", ".join(mutant_filetests.name_of(path) for path in mutant_filetests.claims()[number])


def row_of(row):
    found = ([row["oracle"], row["programs"], f"{row['seconds']:.1f}", row.get("instructions", "")]
             if row["caught"] else ["**not found**", row["programs"], f"{row['seconds']:.0f}", ""])
    return "| " + " | ".join(str(x) for x in [row["number"], row["pass"], row["idea"], *found,
                                              tests_for(row["number"])]) + " |"


def main_table(rows):
    yield "| | part | mistake | found by | programs | seconds | instructions | tests |"
    yield "|---|---|---|---|---|---|---|---|"
    yield from map(row_of, rows)


def oracle_table(options, rows):
    by_oracle = collections.defaultdict(list)
    for row in rows:
        if row["caught"]:
            by_oracle[row["oracle"]].append(row["number"])
    yield "| oracle | finds first | without it, still found | not found any more |"
    yield "|---|---|---|---|"
    for oracle, numbers in sorted(by_oracle.items()):
        if oracle in NO_ORACLES:
            yield f"| {oracle} | {len(numbers)} | cannot be switched off | |"
            continue
        print(f"without {oracle}: {len(numbers)} mistakes", file=sys.stderr)
        again = mutation_run(options, options.without_time, f"--without={oracle}", *map(str, numbers))
        left = [row["number"] for row in again if not row["caught"]]
        others = collections.Counter(row["oracle"] for row in again if row["caught"])
        text = ", ".join(f"{name} {n}" for name, n in sorted(others.items())) or "-"
        yield f"| {oracle} | {len(numbers)} | {text} | {', '.join(map(str, left)) or '-'} |"


def checker_table():
    yield "| | mistake | tests |"
    yield "|---|---|---|"
    for bug in mutant_filetests.mutants.read_bugs():
        if bug.part == "checker":
            yield f"| {bug.number} | {bug.idea} | {tests_for(bug.number)} |"


LAST_OF_INTRODUCTION = "(tests/mutant_filetests.py --check"
REPLACED = "Looked for again:"


def replace_rows(options):
    rows = {row["number"]: row for row in mutation_run(options, options.time, *options.only.split(","))}
    lines = options.out.read_text(encoding="utf-8").split("\n")
    for at, line in enumerate(lines):
        first = line.split("|")[1].strip() if line.startswith("|") else ""
        if first.isdigit() and int(first) in rows:
            lines[at] = row_of(rows[int(first)])
    end = next(at for at, line in enumerate(lines) if line.startswith(LAST_OF_INTRODUCTION)) + 1
    if not lines[end].startswith(REPLACED):
        lines.insert(end, REPLACED)
    lines[end] += f" {', '.join(map(str, rows))} on {date.today()}."
    options.out.write_text("\n".join(lines), encoding="utf-8")
    print(f"{options.out}: {sum(row['caught'] for row in rows.values())} of {len(rows)} found")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", default=str(ROOT / "build/bin/sourir-mutants"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--time", type=int, default=150, help="seconds for each")
    parser.add_argument("--without-time", type=int, default=20, help="the same with an oracle off")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/mutants.md")
    parser.add_argument("--only", help="numbers of seeded bugs, separated by commas")
    options = parser.parse_args()
    if options.only:
        return replace_rows(options)
    all_rows = mutation_run(options, options.time)
    rows = [row for row in all_rows if row["number"] < OF_ENGINES]
    engines = [row for row in all_rows if row["number"] >= OF_ENGINES]
    caught = [row for row in rows if row["caught"]]
    small = sum(row.get("instructions", 99) <= 15 for row in caught)
    text = [
        "# Seeded bugs", "",
        "A checker is worth what it catches. `./dev test -L mutants` builds a second program, `sourir-mutants`,",
        "whose passes have the mistakes below, one of which is switched on at a time",
        "(tests/mutants/bugs). 1 to 46 are the classical ones of this field, the others are ours.",
        "Each is looked for by random programs, as in every campaign, on one core.", "",
        f"`bench/mutant_table.py --time {options.time}` wrote this page on {date.today()}:",
        f"{len(caught)} of {len(rows)} are found, {small} of them shrunk to 15 instructions or fewer.",
        "Seconds are those until it is found; they depend on the machine, the rest on the seed (1) only.",
        "The tests in the last column were made for the bug: each of them fails under it",
        "(tests/mutant_filetests.py --check, which is part of the tests).",
        "", *main_table(rows), "",
        "## Of the engines", "",
        "101 to 111 are those of this field again, in the lowering, the runtime and the tiers. Random",
        "programs run with the engines where a bug shows most. 112 and 114 are of the sampler, on which",
        "nothing that a program does depends: their tests are all that finds them",
        f"({tests_for(112)}). Those of `watches` are in the rules of the reference for watched guards.",
        "", *main_table(engines), "",
        "142 to 156 are of deoptless and of the dispatchers of contexts, 157 to 168 and 218 of the counting of events. Random programs",
        "seldom have loops that LLVM unrolls and whose back edge is their header, so tests alone find 158 and 161.",
        "That a continuation is compiled with feedback that the failed guard has refuted, and that the tiers rely on facts of",
        "calls that vary, costs time only: code and dispatchers test what they rely on. So these are no seeded bugs; tests",
        "count exits (tests/cli/deoptless_test.py, tests/native).", "",
        "## Of the checker", "",
        "In the checks themselves. No campaign can find these: a checker with such a bug reports less.",
        "Pairs of programs that must be told apart do, and requests that cannot be met. And `tests/wrong_versions.py`",
        "tries to fool `run --verify`: it makes random mistakes in optimized versions while the programs of `bench/` run.",
        "Whatever the check says of such a version, the answers must be right.", "",
        *checker_table(), "",
        "## What only one oracle finds", "",
        "Each oracle is switched off and the mistakes that it finds first are looked for again,",
        f"{options.without_time} seconds each.", "", *oracle_table(options, rows), ""]
    options.out.write_text("\n".join(text), encoding="utf-8")
    print(f"{options.out}: {len(caught)} of {len(rows)} found")


if __name__ == "__main__":
    main()
