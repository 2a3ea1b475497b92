#!/usr/bin/env python3
"""Says which file tests fail under each seeded bug; or checks what tests say of that: that each
file test (and test of the command line) whose comments mention `mutant NUMBER` fails under it, and
that each bug is mentioned.

usage: mutant_filetests.py [--sourir PATH] [--check] [NUMBER...]
"""
import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests/filetests"
sys.path.insert(0, str(ROOT / "tests/mutants"))
import mutants  # noqa: E402


def run(script, options, number, *arguments):
    environment = os.environ | {"SOURIR_MUTANT": str(number)}
    done = subprocess.run([sys.executable, ROOT / "tests" / script, "--sourir",
                           options.sourir, *arguments],
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="backslashreplace", cwd=ROOT)
    if done.returncode not in (0, 1):
        sys.exit(f"tests/{script}: exit status {done.returncode}\n{done.stderr}")
    return done


def failing(options, number, paths):
    """Those of the tests that fail under the bug."""
    failed = [path for path in paths if path.suffix == ".py"
              and run("cli_test.py", options, number, "-k", path.stem).returncode != 0]
    paths = [path for path in paths if path.suffix != ".py"]
    if paths:
        server = ["--server", options.server] if options.server else []
        done = run("run_filetests.py", options, number, *server, *paths)
        failed += [ROOT / line[len("FAILED "):] for line in done.stdout.splitlines()
                   if line.startswith("FAILED ")]
    return failed


def name_of(path):
    return str(path.relative_to(FOLDER if path.is_relative_to(FOLDER) else ROOT).with_suffix(""))


def claims():
    """By the number of each seeded bug: the tests whose comments say `mutant NUMBER`."""
    found = {number: [] for number in numbers()}
    for path in sorted([*FOLDER.rglob("*.sou"), *(ROOT / "tests/cli").glob("*_test.py")]):
        text = path.read_text(encoding="utf-8", errors="replace").split("\n# ---\n")[0]
        for number in {int(n) for n in re.findall(r"\bmutant (\d+)", text)}:
            found.setdefault(number, []).append(path)
    return dict(sorted(found.items()))


def numbers():
    return [bug.number for bug in mutants.read_bugs() if bug.number]


def check(options):
    all_claims = {n: paths for n, paths in claims().items()
                  if not options.numbers or n in options.numbers}
    named = sorted({path for paths in all_claims.values() for path in paths})
    problems = [f"{name_of(path)} fails without a seeded bug"
                for path in failing(options, 0, named)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = pool.map(lambda n: failing(options, n, all_claims[n]), all_claims)
        for (number, paths), fails in zip(all_claims.items(), found):
            problems += [f"{number}: no test speaks of it"] if not paths else []
            problems += [f"{number}: {name_of(path)} does not fail under it" for path in paths
                         if path not in fails]
    print(*problems, f"mutant_filetests: {len(all_claims)} bugs, {len(problems)} problems", sep="\n")
    return 1 if problems or not all_claims else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", default=str(ROOT / "build/bin/sourir-mutants"))
    parser.add_argument("--server", help="tests/command_server with bugs, which then runs file tests")
    parser.add_argument("--check", action="store_true", help="the comments")
    parser.add_argument("numbers", nargs="*", type=int, help="of bugs (default: all)")
    options = parser.parse_args()
    if options.check:
        return check(options)
    for number in options.numbers or numbers():
        folder = FOLDER / ("engines" if number > 100 else "opt")
        print(number, *map(name_of, failing(options, number, [folder])), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
