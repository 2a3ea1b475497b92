#!/usr/bin/env python3
"""Runs every example, benchmark and `run` file test through every pass alone and every preset, and
compares what the program prints and how it ends with the program as it is. Also with forced exits: in
half of the programs at each exit, in the others at each second one. And O1 and O2 leave their own
results as they are. The last line is `passes_on_programs: N passed, N failed`."""
import argparse
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from filetest import FileTest
from tool import Tool

ROOT = Path(__file__).resolve().parent.parent
FUEL = "3000000"
SCHEDULES = (("never", "always"), ("never", "every:2"))
# What they do depends on whether an exit is taken, on purpose: for `bisim` to refuse, or to see in
# the output which version ran.
WRONG = {"fig_2_07_show_wrong", "fig_2_25_trace_wrong", "lemma_3_unreachable",
         "prototype_extension_words", "exit_only_label", "constprop_identities",
         "dce_varmaps", "inline_contexts", "split_contexts", "inline_refused",
         "inline_three_levels", "min_live_drops", "exit_of_many_frames",
         "elements_test", "specialize_elements"}
# Nothing is left to do for these on what they made.
SETTLING = ("O1", "O2")
# Both ends of these depend on how many steps or bytes a run takes.
LIMITS = 68
FOLDERS = ("examples", "bench", "bench/programs", "tests/filetests/run", "tests/filetests/opt")


def passes(tool):
    """Names of all passes, then of the presets."""
    text = tool.run(["opt", "--list-passes"]).stdout.decode()
    names = [line for line in text.splitlines() if line and line[0].isalnum()]
    return [name for name in names if " " not in name and name not in ("Each", "fix")]


def run(tool, test, deopt, path, *flags):
    done = tool.run(["run", path, f"--deopt={deopt}", f"--fuel={FUEL}", *flags],
                    stdin=test.stdin.encode())
    return done.stdout, done.returncode, done.stderr


def optimized(tool, path, pipeline):
    done = tool.run(["opt", f"--pass={pipeline}", path])
    return done.stdout if done.returncode == 0 else None


def variants(tool, path, pipelines, folder):
    """Arguments of `run` for the results of the pipelines, and the pipelines that give them: many
    passes leave a program alone, or change it alike."""
    by_text = {}
    for pipeline in pipelines:
        by_text.setdefault(optimized(tool, path, pipeline), []).append(pipeline)
    for number, (text, same) in enumerate(by_text.items()):
        if text is None:
            yield from (([path, f"--pass={pipeline}"], [pipeline]) for pipeline in same)
        else:
            program = Path(folder) / f"{number}.sou"
            program.write_bytes(text)
            yield [program], same


def check(tool, path, pipelines, schedules):
    """What differs, and the number of comparisons."""
    test = FileTest(path)
    problems, compared, plain = [], 0, {}
    for deopt in schedules:
        try:
            out, status, _ = run(tool, test, deopt, path)
        except subprocess.TimeoutExpired:
            continue # decides nothing
        if status not in (65, LIMITS):
            plain[deopt] = out, status
    if not plain:
        return problems, compared
    with tempfile.TemporaryDirectory() as folder:
        for words, same in variants(tool, path, pipelines, folder):
            for deopt, expected in plain.items():
                out, status, errors = run(tool, test, deopt, *words)
                compared += len(same)
                if (out, status) != expected:
                    problems.append(f"{path.relative_to(ROOT)}: --pass={' or '.join(same)} "
                                    f"--deopt={deopt}: exit {status} for {expected[1]}: "
                                    f"{errors.decode()[:300]}")
    return problems, compared


def check_settled(tool, path, pipelines):
    """What a preset still changes in its own result, and the number of comparisons."""
    problems, compared = [], 0
    for pipeline in [p for p in pipelines if p in SETTLING]:
        once = optimized(tool, path, pipeline)
        if once is None:
            continue
        compared += 1
        if once != optimized(tool, path, f"{pipeline},{pipeline}"):
            problems.append(f"{path.relative_to(ROOT)}: {pipeline} changes its own result")
    return problems, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", required=True)
    parser.add_argument("--server", help="tests/command_server, which then runs the commands")
    parser.add_argument("-k", default="", help="only files whose path contains this")
    parser.add_argument("--passes", default="", help="a,b: only these")
    options = parser.parse_args()
    tool = Tool(Path(options.sourir).resolve(), options.server)
    pipelines = options.passes.split(",") if options.passes else passes(tool)
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.sou"))]
    files = [p for p in files if options.k in str(p)]
    # By the name: another file changes nothing for this one.
    work = [partial(check, tool, path, pipelines, SCHEDULES[zlib.crc32(path.stem.encode()) % 2])
            for path in files if path.stem not in WRONG]
    work += [partial(check_settled, tool, path, pipelines) for path in files]
    compared, problems = 0, []
    with ThreadPoolExecutor(2) as pool:
        for found, count in pool.map(lambda case: case(), work):
            compared += count
            problems += found
    for problem in problems:
        print(problem)
    print(f"passes_on_programs: {compared - len(problems)} passed, {len(problems)} failed")
    return 1 if problems or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
