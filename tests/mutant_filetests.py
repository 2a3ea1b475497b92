#!/usr/bin/env python3
"""Says which file tests fail under each seeded bug; or checks what tests say of that: that each
file test (and test of the command line) whose comments mention `mutant NUMBER` fails under it, and
that each bug is mentioned. Tests of the command line: in comment lines directly above the test.

usage: mutant_filetests.py [--sourir PATH] [--check] [NUMBER...]
"""
import argparse
import os
import re
import subprocess
import sys
from collections import namedtuple
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


class CliTest(namedtuple("CliTest", "path name")):
    """A test of the command line."""


def failing(options, number, tests):
    """Those of the tests that fail under the bug. A test: the path of a file test, or a CliTest."""
    failed = [test for test in tests if isinstance(test, CliTest)
              and run("cli_test.py", options, number, test.path.name, "-k",
                      test.name).returncode != 0]
    paths = [test for test in tests if not isinstance(test, CliTest)]
    if paths:
        server = ["--server", options.server] if options.server else []
        done = run("run_filetests.py", options, number, *server, *paths)
        failed += [ROOT / line[len("FAILED "):] for line in done.stdout.splitlines()
                   if line.startswith("FAILED ")]
    return failed


def name_of(test):
    if isinstance(test, CliTest):
        return f"{name_of(test.path)} {test.name}"
    path = test
    return str(path.relative_to(FOLDER if path.is_relative_to(FOLDER) else ROOT).with_suffix(""))


def texts():
    """The tests, each with the text that may name bugs."""
    for path in sorted(FOLDER.rglob("*.sou")):
        yield path, path.read_text(encoding="utf-8", errors="replace").split("\n# ---\n")[0]
    for path in sorted((ROOT / "tests/cli").glob("*_test.py")):
        for comment, name in re.findall(r"((?:^    #.*\n)+)    def (test_\w+)",
                                        path.read_text(encoding="utf-8"), re.MULTILINE):
            yield CliTest(path, name), comment


def claims():
    """By the number of each seeded bug: the tests that say `mutant NUMBER`."""
    found = {number: [] for number in numbers()}
    for test, text in texts():
        for number in {int(n) for n in re.findall(r"\bmutant (\d+)", text)}:
            found.setdefault(number, []).append(test)
    return dict(sorted(found.items()))


def numbers():
    return [bug.number for bug in mutants.read_bugs() if bug.number]


def check(options):
    all_claims = {n: paths for n, paths in claims().items()
                  if not options.numbers or n in options.numbers}
    named = list(dict.fromkeys(test for tests in all_claims.values() for test in tests))
    problems = [f"{name_of(test)} fails without a seeded bug"
                for test in failing(options, 0, named)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = pool.map(lambda n: failing(options, n, all_claims[n]), all_claims)
        for (number, paths), fails in zip(all_claims.items(), found):
            problems += [f"{number}: no test speaks of it"] if not paths else []
            problems += [f"{number}: {name_of(test)} does not fail under it" for test in paths
                         if test not in fails]
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
