"""What commands that the documentation shows must show: for each command and flag the substance of the
output (a line `compiled`, a sample in native code), so that none that shows nothing stays on a page. A
command or flag without a row is a problem, too. Used by book_test.py and showcase_test.py."""
import json
import os
import re
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
Call = namedtuple("Call", "arguments status text folder")

VERDICT = r"^(?:equivalent on what was tried|different)\b"
FORCED = r"\b[1-9]\d* forced\b"
PROGRAM = r"^(?:function|version|print) |^\{"  # as text or JSON
CHANGED = PROGRAM + r"|^error: the pass .* changes what the program does"
PRINTED = r"^(?:-?\d|\"|nil|true|false|\[|error\[)"
SAMPLED = [r"^samples: [1-9]\d* in native code", r"^\S+#\d+  [1-9]\d* samples?"]
CAMPAIGN = r"^([\d,]+) of \1 programs|^shard \d+ of \d+$|\"complete\": true"

# By command and flag; "" is the command by itself, and `--flag=value` goes before `--flag`. Each
# expression must be found in what the command printed or wrote.
SUBSTANCE = {
    "run": {"": [PRINTED], "--deopt": [], "--engine": [], "--jit-sync": [], "--fuel": [], "--input": [],
            "--trace": [r"^ +\d+  [A-Z]\w+ +[\w$]+\.[\w$]+\+?\w* "],
            "--watch": [r"^ +\d+  (?:AssumeWatch|AssumeInvalidate|AnchorInvalidate) "],
            "--stats": [r"^(?:steps|prints) +[1-9]"],
            "--report": [r'"outcome": *"\w+"'],
            "--pass": [],
            "--tiers": [r"^(?:compiled|deopt) "], "--tiers=schedule": [r'"version"'],
            "--no-inlining": [],
            "--why": [r"^why [\w$]+", r"^  (?:calls|loop at |exits to )", r"^    now +(?:native code of|the baseline:) "],
            "--tiers-file": [r'"version"'], "--tier": [], "--no-osr-in": [],
            "--jit-schedule": [r"^the reference does the same: versions [1-9]"],
            "--verify": [r"^ +verified +[1-9]"],
            "--feedback-out": [r'"predicates": *\[\s*[\[{"]'],
            "--profile": [], "--profile-report": SAMPLED, "--result": [], "--json": [r'"outcome"']},
    "check": {"": [r"no problems|\"diagnostics\"|^(?:error|warning)\b|: (?:error|warning)\b"], "--deny": [],
              "--json": [r'"diagnostics"'],
              "--normal-form": []},
    "fmt": {"": [], "--paper": [r"^ *(?:assume|function|[FV]\w*\()"], "-i": [], "--check": [], "--diff": []},
    "convert": {"": [], "--to=json": [r'"format": *"program"|"functions"'], "--to=dot": [r"^digraph"], "--to=mermaid": [r"^flowchart"],
                "--to=latex": [r"\\begin"], "--graph": [r"->"], "--standalone": [r"\\documentclass"],
                "-o": []},
    "opt": {"": [], "--pass": [CHANGED], "--list-passes": [r"^constprop$"], "-o": [PROGRAM],
            "--print-changed": [r"^\+ ", r"^- "], "--verify-each": [r"^verified: |^error: the pass "],
            "--assume": [r"assume \["], "--feedback": [r"assume \["], "--function": [], "--stats": [],
            "--state-map": [r'"map"']},
    "analyze": {"": [], "--show": [r"^ +\d+  \S|^digraph"], "--show=contexts": [r"  (?:entails \w|always)"], "--function": [], "--dot": [r"^digraph", r"->"]},
    "step": {"": [r"^\d+  [\w$]+\.[\w$]+"], "--deopt": [r"AssumeForce|AssumeDeopt|AnchorForce|Deopt"],
             "--script": [], "--jit-schedule": [r"OsrEntry|MapDeopt|\.opt"]},
    "bisim": {"": [VERDICT], "--transparency": [VERDICT, FORCED], "--map": [r"\b[1-9]\d* states"],
              "--versions": [r"\b[1-9]\d* functions? with several versions"],
              "--deopt": [FORCED], "--input": []},
    "campaign": {"": [CAMPAIGN], "--programs": [], "--passes": [], "--jobs": [], "--seed": [],
                 "--db": [], "--shard": [], "--batch": [], "--size": [], "--engines": [],
                 "--oracles": [], "--json": []},
    "campaign report": {"": [r"^passes|<svg"], "--db": [], "--html": [r"<svg"]},
    "campaign replay": {"": [r"^passed$|^counterexample: "], "--db": [], "-o": []},
    "campaign shrink": {"": [r"^counterexample: "], "--db": [], "-o": [PROGRAM], "--time": []},
    "campaign merge": {"": [r"\b[1-9]\d* programs"]},
    "campaign slurm": {"": [r"^#SBATCH"], "--programs": [], "--shards": [], "--db": []},
    "reduce": {"": [], "--check": [r"^(?:function|version|print) ?", r"\b[1-9]\d* checks"],
               "--jobs": [], "-o": []},
    "explain": {"": [r"\w"]},
    "jit": {"": [], "--dump=asm": [r"^\t(?:mov|cmp|test|xor|ret)"], "--dump=asm-ir": [r"^# \+\d+: \w", r"^#     (?:%|br |ret )", r"^\t(?:mov|cmp|test|xor|ret)"],
            "--dump=passes": [r"^ +\d+ +\d+  [0-9a-f]{16}  \w"], "--markers": [],
            "--dump=exits": [r"^ +\+\d+ +exit "],
            "--dump=llvm-optimized": [r"^define "], "--pass": [], "--warm": [], "--version": []},
    "profile": {"": SAMPLED, "--trigger": [], "--jit-sync": [], "--html": [r"<div|<svg"], "-o": [],
                "--sample-only": [], "--folded": []},
    # profile with --events, --compare, --keep or --against
    "profile --events": {"": [], "--events": [r"^events of |^\w+ +\w+ +(?:version|lowering|llvm) "],
                         "--engine": [], "--annotate": [r"^ +\d+  \+\d+ +\w"], "--input": [],
                         "--by": [r" loop at \+\d+\n  \w"], "--jit-sync": [],
                         "--compare": [r"^metric +A +B |^no metric differs"], "--iterations": [],
                         "--keep": [r'"format": *"event-counts"'],
                         "--against": [r"^metric +old +new |^no metric differs"]},
    "bench": {"": [r"^\w+(?: \w+)? +\d[\d.]* m?s\b|^ *\"results\": \["], "--programs": [],
              "--engines": [], "--set": [], "--base": [], "--plot": [r"<svg"], "--iterations": [], "--size": [], "--runs": [],
              "--warmup": [], "--compare": [r"^geometric mean \w+ +\d+ programs? +\d[\d.]* "], "--with": [],
              "--fail-if-slower": [], "--json": []},
    "course": {"": [r"\w"]},
    "course start": {"": [r"\.sou"], "--solution": []},
    "course check": {"": [r"solved|not yet"]},
    "completion": {"": [r"\bcomplet|compdef"]},
    "manual": {"": [r"^\.SH SYNOPSIS$"]},
}
# The file is written, and part of the output.
WRITES = {"-o", "--html", "--report", "--feedback-out", "--tiers-file", "--trace-file", "--state-map",
          "--plot", "--keep"}
COUNTING = {"--events", "--compare", "--keep", "--against"}
# Where a page does not say otherwise: usage, a file that cannot be read or written, a bug.
NEVER = {64, 66, 70, 74}


def recorded_sourir(folder, program):
    """Puts what stands for `sourir` into the folder `folder/build/bin`, which it returns."""
    place, log = Path(folder) / "build/bin", Path(folder) / ".calls"
    place.mkdir(parents=True)
    log.mkdir()
    script = place / "sourir"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT}/tests/record_command.py" "{log}" '
                      f'"{program}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return place


def calls(folder):
    """The calls since the last time, oldest first."""
    paths = sorted((Path(folder) / ".calls").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    found = [Call(**json.loads(path.read_text(encoding="utf-8"))) for path in paths]
    for path in paths:
        path.unlink()
    return found


def flags_of(arguments, rows):
    """Pairs of a flag and its value, which is the next word where none follows a `=`."""
    for word, following in zip(arguments, [*arguments[1:], ""]):
        if word.startswith("-") and word != "-" and " " not in word: # flags between quotes are a value
            flag, equals, value = word.partition("=")
            yield flag, value if equals else following


def missing(call):
    """What the call should have shown and did not, as a list of problems."""
    command = " ".join(call.arguments[:2])
    command = command if command in SUBSTANCE else call.arguments[0] if call.arguments else ""
    if command == "profile" and COUNTING & {word.partition("=")[0] for word in call.arguments}:
        command = "profile --events"
    if command not in SUBSTANCE:
        return [f"no row for `sourir {command}` in tests/showcases.py"]
    rows, text, problems = SUBSTANCE[command], call.text, []
    demands = list(rows[""])
    for flag, value in flags_of(call.arguments, rows):
        row = f"{flag}={value}" if f"{flag}={value}" in rows else flag
        if row not in rows:
            problems.append(f"no row for {flag} of `sourir {command}` in tests/showcases.py")
            continue
        demands += rows[row]
        if flag in WRITES and value != "-":
            written = Path(call.folder) / value
            if not written.is_file() or not os.path.getsize(written):
                problems.append(f"{value} is missing or empty")
            else:
                text += written.read_text(encoding="utf-8", errors="replace")
    return problems + [f"shows nothing that fits {demand}" for demand in demands
                       if not re.search(demand, text, re.MULTILINE)]
