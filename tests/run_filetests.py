#!/usr/bin/env python3
"""Runs file tests (their form: filetest.py); the last line is `filetests: N passed, N failed`."""
import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filetest import FileTest, Problem, compares_stderr, golden_sections, render
from tool import Tool

Result = namedtuple("Result", "stdout stderr status")
USAGE, OUR_BUG = 64, 70
SANITIZER_MARKS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "UndefinedBehaviorSanitizer")


class Failure(Exception):
    """A test failed; the message says how."""


def environment():
    """Sanitizers exit like our own internal errors, so that no report can pass as a result."""
    changed = {"NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        changed[name] = ":".join(filter(None, [os.environ.get(name), f"exitcode={OUR_BUG}"]))
    return changed


def decode(output):
    return output.decode("utf-8", "surrogateescape")


class Bench:
    """One test laid out in a folder of its own, where the tool runs."""

    def __init__(self, options, test, folder):
        self.options, self.test, self.folder = options, test, Path(folder)
        (self.folder / test.path.name).write_bytes(test.program())
        for name in test.files:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(test.path.parent / name, target)

    def run(self, arguments):
        """Runs `sourir ARGUMENTS` on the file; a crash or a time-out is a Failure."""
        name = self.test.path.name
        words = [word.replace("{file}", name) for word in arguments]
        if words == list(arguments):
            words.append(name)
        shown = "sourir " + " ".join(words)
        try:
            done = self.options.tool.run(
                words, self.folder, self.test.stdin.encode("utf-8", "surrogateescape"),
                self.options.timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"{shown}: no end within {self.options.timeout} s") from None
        result = Result(decode(done.stdout), decode(done.stderr), done.returncode)
        refuse_crash(shown, result)
        return result


def refuse_crash(shown, result):
    crashed = None
    if result.status < 0:
        crashed = f"ended by signal {-result.status}"
    elif result.status == OUR_BUG:
        crashed = f"exit {OUR_BUG}, an internal error"
    elif any(mark in result.stderr for mark in SANITIZER_MARKS):
        crashed = "a sanitizer's report"
    if crashed:
        raise Failure(f"{shown}: {crashed}\n{result.stderr[-4000:]}")


# --- expectations at lines ---------------------------------------------------------------------
def problems_at_lines(result):
    """(line, Problem) of everything in the output of `check --json`."""
    try:
        files = json.loads(result.stdout)["files"]
        diagnostics = [d for f in files for d in f["diagnostics"]]
        return {(d["line"], Problem(d["severity"], d["code"])) for d in diagnostics}
    except (ValueError, KeyError, TypeError) as error:
        message = f"check --json: not what it should print ({error!r}):\n{result.stdout}"
        raise Failure(message) from None


def check_diagnostics(bench, command):
    test = bench.test
    expected = {(line, p) for line, problems in test.problems.items() for p in problems}
    found = problems_at_lines(bench.run(command.arguments[:1] + ["--json"] + command.arguments[1:]))
    wrong = []
    for word, pairs in (("missing", expected - found), ("unexpected", found - expected)):
        wrong += [f"line {line}: {word} {p.severity} {p.code}" for line, p in sorted(pairs)]
    if wrong:
        raise Failure(f"sourir {command.text}:\n  " + "\n  ".join(wrong))


def traced(arguments, report):
    """The same run on the reference with a trace: a line a step on standard error."""
    kept, skip = [], False
    for word in arguments[1:]:
        if not skip and not word.startswith("--engine"):
            kept.append(word)
        skip = word == "--engine"
    return ["run", "--engine=reference", "--trace=json", "--report", report] + kept


def json_lines(text):
    for line in text.split("\n"):
        if line.startswith("{"):
            try:
                yield json.loads(line)
            except ValueError:
                raise Failure(f"run --trace=json: a line that is no JSON: {line}") from None


def printed_at_lines(result):
    printed = {}
    for step in json_lines(result.stderr):
        action = step.get("action")
        if isinstance(action, dict) and "print" in action:
            printed.setdefault(step["line"], []).append(action["print"])
    return printed


def check_prints(test, result):
    printed = printed_at_lines(result)
    for line, expected in sorted(test.prints.items()):
        if printed.get(line, []) != expected:
            found = " | ".join(printed.get(line, []))
            raise Failure(f"line {line}: prints: {found}\n  expected: {' | '.join(expected)}")


def check_stuck(test, report):
    try:
        outcome = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"run --report: nothing readable ({error})") from None
    found = None
    if outcome.get("outcome") == "stuck":
        found = (outcome.get("line"), outcome.get("reason"))
    if found != test.stuck:
        raise Failure(f"expected {stuck_text(test.stuck)}, found {stuck_text(found)}")


def stuck_text(place):
    return f"stuck at line {place[0]}: {place[1]}" if place else "not stuck"


def check_run(bench, command):
    report = bench.folder / "report.json"
    reference = bench.run(traced(command.arguments, report.name))
    check_prints(bench.test, reference)
    check_stuck(bench.test, report)
    if any(word.startswith("--engine") for word in command.arguments):
        result = bench.run(command.arguments)
        if (result.stdout, result.status) != (reference.stdout, reference.status):
            raise Failure(f"sourir {command.text}: differs from the reference\n"
                          + difference(reference.stdout.split("\n"), result.stdout.split("\n")))


# --- golden tails ------------------------------------------------------------------------------
def difference(expected, found):
    return "\n".join(difflib.unified_diff(expected, found, "expected", "found", lineterm=""))


def golden_tail(bench, blessing):
    """Runs every command; the new tail, or a Failure that shows where it differs."""
    tail, failures = [], []
    for command, golden in zip(bench.test.commands, golden_sections(bench.test)):
        result = bench.run(command.arguments)
        with_stderr = compares_stderr(command, golden)
        lines = render(command, result, with_stderr)
        tail += lines
        if lines != golden:
            note = "" if with_stderr else "\n" + result.stderr[-2000:]
            failures.append(f"sourir {command.text}:\n{difference(golden, lines)}{note}")
    if failures and not blessing:
        raise Failure("\n".join(failures))
    return tail


def check_exit(bench):
    for command in bench.test.commands:
        result = bench.run(command.arguments)
        if result.status != bench.test.exit:
            what = f"exit {result.status}, expected {bench.test.exit}"
            raise Failure(f"sourir {command.text}: {what}\n{result.stderr[-2000:]}")


def bless(test, tail):
    text = test.body
    if text and not text.endswith("\n"):
        text += "\n"
    text += "\n".join(["# ---", *tail]) + "\n"
    data = text.encode("utf-8", "surrogateescape")
    if data != test.text_path.read_bytes():
        test.text_path.write_bytes(data)
        return True
    return False


# --- a test, all tests -------------------------------------------------------------------------
def check_lines(bench):
    for command in bench.test.commands:
        name = command.arguments[0]
        if name == "check" and (bench.test.problems or bench.test.golden is None):
            check_diagnostics(bench, command)
        elif name == "run" and (bench.test.prints or bench.test.stuck):
            check_run(bench, command)


def run_test(options, path):
    """None if it passed, otherwise what went wrong."""
    try:
        test = FileTest(path)
        test.check_sense(options.bless)
        with tempfile.TemporaryDirectory(prefix="filetest-") as folder:
            bench = Bench(options, test, folder)
            if options.bless and (test.golden is not None or not test.says_something()):
                if bless(test, golden_tail(bench, blessing=True)):
                    print(f"blessed {path}")
                test = bench.test = FileTest(path)
            if test.has_line_expectations():
                check_lines(bench)
            if test.exit is not None:
                check_exit(bench)
            if test.golden is not None:
                golden_tail(bench, blessing=False)
    except (Failure, ValueError, OSError) as error:
        return str(error)
    return None


def is_test(path):
    return path.name.endswith((".sou", ".sou.json"))


def siblings_of_others(paths):
    """Files that only serve another test: a `# file:` line names them, no `# test:` is theirs."""
    served = set()
    for path in paths:
        try:
            served.update((path.parent / name).resolve() for name in FileTest(path).files)
        except (OSError, ValueError):
            continue  # reported when it is run
    return {path for path in paths if path.resolve() in served and not has_commands(path)}


def has_commands(path):
    try:
        return bool(FileTest(path).commands)
    except (OSError, ValueError):
        return False


def find_tests(arguments, substring):
    paths = []
    for argument in map(Path, arguments):
        inside = sorted(argument.rglob("*")) if argument.is_dir() else [argument]
        paths += [path for path in inside if path.is_file() and is_test(path)] or [argument]
    paths = [path for path in dict.fromkeys(paths) if not path.is_dir()]
    aside = siblings_of_others(paths)
    return [path for path in paths if path not in aside and substring in str(path)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", default=["tests/filetests", "examples"])
    parser.add_argument("--sourir", default="build/bin/sourir", help="the program to test")
    parser.add_argument("--server", help="tests/command_server, which then runs the commands")
    parser.add_argument("--bless", action="store_true", help="rewrite the golden tails")
    parser.add_argument("-k", default="", metavar="SUBSTR", help="only paths that contain it")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="tests at a time")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for each command")
    options = parser.parse_args()
    options.sourir = str(Path(options.sourir).resolve())
    options.tool = Tool(options.sourir, options.server, environment())
    return options


def main():
    options = parse_arguments()
    if not os.access(options.sourir, os.X_OK):
        print(f"no program {options.sourir}", file=sys.stderr)
        return USAGE
    tests = find_tests(options.paths, options.k)
    failed = 0
    with ThreadPoolExecutor(max_workers=options.j) as pool:
        for path, problem in zip(tests, pool.map(lambda path: run_test(options, path), tests)):
            if problem is not None:
                failed += 1
                print(f"FAILED {path}\n" + "\n".join("  " + line for line in problem.split("\n")))
    if not tests:
        print("no file tests found")
    print(f"filetests: {len(tests) - failed} passed, {failed} failed")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(main())
