#!/usr/bin/env python3
"""Every program of bench/ at the size `tiny`, on each engine that sourir has and in each language
that is installed, must give the answer that programs.json says; and nothing is left over or missing
in the folder. The last line is `answers: N programs, N failed`.

usage: answers_test.py [--sourir PATH] [--size SIZE]
"""
import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ENGINES = {"reference": True, "baseline": False, "native": False, "auto": True}  # must it be there?
PEERS = {"gcc": ".c", "lua5.4": ".lua", "luajit": ".lua", "node": ".js"}


def folder_problems(programs):
    """Files without a row, rows without a file, headers with another size."""
    names = {program["name"] for program in programs}
    own = {f"peers/{name}.{peer}{ending}" for name in names for peer, ending in PEERS.items()}
    expected = {f"programs/{name}.sou" for name in names} | {
        f"peers/{name}{ending}" for name in names for ending in PEERS.values()}
    there = {str(path.relative_to(BENCH)) for folder in ("programs", "peers")
             for path in (BENCH / folder).iterdir()}
    yield from (f"{name}: has no row in programs.json" for name in sorted(there - expected - own))
    yield from (f"{name}: is missing" for name in sorted(expected - there))
    for program in programs:
        tiny = program["sizes"]["tiny"]["n"]
        path = BENCH / "programs" / f"{program['name']}.sou"
        if path.exists() and f"\n# stdin: {tiny}\n" not in path.read_text(encoding="utf-8"):
            yield f"{path.name}: its header does not have the size tiny, {tiny}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", default="build/bin/sourir")
    parser.add_argument("--size", default="tiny", choices=["tiny", "small", "full"])
    options = parser.parse_args()
    programs = json.loads((BENCH / "programs.json").read_text(encoding="utf-8"))["programs"]
    problems = list(folder_problems(programs))
    peers = [peer for peer in PEERS if shutil.which(peer)]
    done = subprocess.run(
        [options.sourir, "bench", f"--dir={BENCH}", f"--size={options.size}", "--json", "--runs=1",
         "--warmup=0", f"--engines={','.join([*ENGINES, *peers])}", "--base=auto"],
        stdout=subprocess.PIPE, timeout=1000)
    results = json.loads(done.stdout)
    present = {competitor["name"] for competitor in results["competitors"]}
    needed = {name for name, must in ENGINES.items() if must} | set(peers)
    problems += [f"{name} does not take part: {results['notes']}" for name in needed - present]
    for program in results["programs"]:
        problems += [f"{program['name']}: {cell['competitor']}: {cell['outcome']}: {cell['detail']}"
                     for cell in program["results"] if cell["outcome"] != "fine"]
    if done.returncode != 0 and not problems:
        problems.append(f"sourir bench exited with {done.returncode}")
    for problem in problems:
        print(problem)
    for note in results["notes"]:
        print(note)
    if set(PEERS) - set(peers):
        print("not installed: " + ", ".join(sorted(set(PEERS) - set(peers))))
    print(f"answers: {len(results['programs'])} programs, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
