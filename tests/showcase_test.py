#!/usr/bin/env python3
"""Each command that the documentation names is run, at default settings, and shows what
tests/showcases.py demands of its kind:

  - the examples in `--help` of each command;
  - those in the comments at the head of the programs in examples ("Try next");
  - in README.md, docs and the pages of examples and bench, those in blocks without ```console (which
    book_test.py and tutorial_test.py run) and those in a sentence, if they are whole. A command in a sentence with a word like
    FILE, or with flags alone, is a mention: the command and its flags exist.

(docs_test.py runs the ```sh blocks of docs/passes, and compares the programs that they make.) SETTINGS
says which files a command needs and how it is made short. The last line is `showcases: N commands, N
mentions, N wrong`.

usage: showcase_test.py [--sourir PATH] [-k WORD]
"""
import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import book_test
import showcases
import tutorial_test
from book_test import BOOK, NATIVE

ROOT = Path(__file__).resolve().parents[1]
HERE = r"(?:build/bin/)?sourir(?:-mutants)? "
PLACEHOLDER = re.compile(r"(?<![\w'])(?:[A-Z]{3,}|N|ID|A|B)(?![\w:])|\.\.\.")

# Versions with loops, an anchor, an array and guards that fail, for the examples in `--help`.
SMALL = """\
function main()
  array flags = [true]
  var k = 2
  print (k + 40)
  call a = 'f(3, flags)
  print a
  call b = 'f(nil, flags)
  print b
function f(var x, var flags)
version fast
  var i = 0
  goto loop
loop:
  assume [(x is int), flags[0]] else (f, base, Loop) [var x = x, var flags = flags, var i = i]
  branch (i < 3) $more $end
$more:
  i <- (i + 1)
  goto loop
$end:
  return (i + x)
version v
  var i = 0
  goto Loop
Loop:
  anchor else (f, base, Loop) [var x = x, var flags = flags, var i = i]
  branch (i < 3) $more $end
$more:
  i <- (i + 1)
  goto Loop
$end:
  branch (x is int) $some $none
$some:
  return (i + x)
$none:
  return nil
version base
  var i = 0
  goto Loop
Loop:
  branch (i < 3) $more $end
$more:
  i <- (i + 1)
  goto Loop
$end:
  branch (x is int) $some $none
$some:
  return (i + x)
$none:
  return nil
"""
# Runs long enough to be sampled where others use the machine.
LONG = """\
var total = 0
var i = 0
goto loop
loop:
  branch (i < 120000000) $more $end
$more:
  call s = 'step(i)
  total <- (total + s)
  drop s
  i <- (i + 1)
  goto loop
$end:
  print total
function step(var n)
  return (n % 7)
"""
READS = "var a\nread a\nvar b\nread b\nvar c\nread c\nprint b\n"
PASS = """\
import sourir_pass

def rewrite(version):
    for statement in version["body"]:
        if statement["instr"] == {"op": "print", "value": {"int": "1"}}:
            statement["instr"]["value"] = {"int": "1"}
            return True
    return False

sourir_pass.run(rewrite)
"""
BAD_PASS = re.search(r"`dead_stores.py`:\n\n```python\n(.*?)```",
                     (ROOT / "docs/checking.md").read_text(encoding="utf-8"), re.DOTALL)[1]
A_CAMPAIGN = "sourir campaign --programs 45 --size 20 --db c.db"
FAILING = A_CAMPAIGN + " --passes 'exec:python3 bad.py'"
SHARDS = f"for k in $(seq 10); do {A_CAMPAIGN} --shard $k/10; done"
EXERCISES = "for k in 1 3; do sourir course start $k; done"
TIERS = (ROOT / "examples/tiers.sou").read_text(encoding="utf-8")
TIER_LOG = "sourir run program.sou --jit-sync --tiers=schedule --tiers-file log"

# By a regular expression for the command: files that it needs (true: executable); what is run before
# it (BUILT: where sourir was built); pairs of a text and another that makes it short, or possible; its input; its exit statuses. All
# rows that fit count, the last one where they differ.
Setting = namedtuple("Setting", "command files before shorter stdin status",
                     defaults=[{}, "", (), None, None])
SETTINGS = [
    Setting(r"\b(program|other|a|b)\.sou|\*\.sou",
            {name + ".sou": SMALL for name in ("program", "other", "a")}),
    Setting(r"big\.sou", {"big.sou": "var a = 42\nvar b = (a + 1)\nprint b\nprint a\n",
                         "differs.sh": '#!/bin/sh\nsourir run --fuel 9999 "$1" | grep -q 43\n'}),
    Setting(r"^printf.*run program.sou$", {"program.sou": READS}),
    Setting(r"profile program.sou", {"program.sou": LONG}),
    Setting(r"profile .*--(events|compare|keep|against)", {"program.sou": LONG.replace("120000000", "30000000")}),
    Setting(r"--(compare|keep|against) .*program.sou", shorter=[("program.sou", "program.sou --iterations=2")]),
    Setting(r"profile --against", before="sourir profile --keep counts.json program.sou --iterations=2",
            status=[0, 1]), # 1: runs vary
    Setting(r"run program.sou --jit-sync|--warm", {"program.sou": TIERS}),
    Setting(r"jit-schedule log", {"program.sou": TIERS}, TIER_LOG),
    Setting(r"--normal-form",
            before="sourir opt program.sou --pass=normalize -o n.sou; mv n.sou program.sou"),
    Setting(r"--input=values", {"values": "1\n"}),
    Setting(r"collatz.* --input n$", {"n": "1000\n"}),
    Setting(r"fmt -i", {"program.sou": "print   1\n"}),
    Setting(r"pass\.py", {"pass.py": PASS}),
    Setting(r"pass\.so", before="cp BUILT/tests/plugin/plugin_one_pass.so pass.so"),
    Setting(r"b\.sou", before="sourir opt a.sou --pass=O1 -o b.sou --state-map b.map.json"),
    Setting(r"\bstep\b", stdin="step\nrule\nenv\ndeopt\n"),
    Setting(r"source <\(", shorter=[("source", "cat")]), # of another shell than bash
    Setting(r"\bbench\b", shorter=[("sourir bench", "sourir bench --size=tiny --warmup=0"),
                                   ("--size=small", ""), ("--runs=20", ""),
                                   ("--iterations=15", "--iterations=8")]),
    Setting(r"\bbench(?!.*(programs|iterations))",
            shorter=[("sourir bench", "sourir bench --runs=1 --programs=fib")]),
    Setting(r"\bbench.*(old|small)\.json",
            before="sourir bench --size=tiny --programs=fib --engines=baseline,auto --runs=3 --warmup=0 --json "
                   "| tee old.json > new.json; cp old.json small.json"),
    Setting(r"\bbench.*iterations", shorter=[("sourir bench", "sourir bench --programs=fib")]),
    Setting(r"\bcampaign( |$)(?!slurm)", {"bad.py": BAD_PASS}, status=[0, 2],
            shorter=[("1000000", "60 --batch 5"), ("200000", "40"), ("20000", "60"), ("1000", "60"),
                     ("--programs 500", "--programs 20")]), # 2: a pass that never did anything
    Setting(r"\bcampaign$|\bcampaign --(engines|passes)(?!.*programs)",
            shorter=[("campaign", "campaign --programs 20")]),
    Setting(r"campaign report", before=A_CAMPAIGN),
    Setting(r"sourir campaign (replay|shrink)", before=FAILING, status=[1],
            shorter=[("1234", "$(ls c.db.failures | head -n 1 | cut -d. -f1)")]),
    Setting(r"campaign shrink", shorter=[("shrink", "shrink --time 2")]),
    Setting(r"campaign merge", before=SHARDS),
    Setting(r"course start 2.1 exercises", before=EXERCISES),
    Setting(r"course check|minus\.sou", before=EXERCISES, status=[1]),
    Setting(r"1.n2.n. \| sourir run examples/05", status=[67]), # "is an error that names its place"
]
# Run by the tests of the label "mutants": another program.
ELSEWHERE = re.compile(r"\bsourir-mutants\b")
# Those that need no file.
ALONE = re.compile(r"sourir (?:bench|campaign|course|explain)$")


class Wrong(Exception):
    """A showcase does not show what it should; the message says how."""


# --- What the documentation names ----------------------------------------------------------------
def without_remark(line):
    """The command of a line that may say more about it."""
    return re.sub(r"\s{3,}\S.*$|\s{2,}#.*$", "", line.strip())


def commands_of_help(sourir):
    """Pairs of a place and a command."""
    def text_of(*words):
        return subprocess.run([sourir, *words, "--help"], capture_output=True, text=True,
                              check=True).stdout

    words = [[command] for command in re.findall(r"(?m)^  (\w+)  ", text_of().split("All commands")[1])]
    words += [["campaign", sub] for sub in re.findall(r"(?m)^  (\w+)  ", text_of("campaign"))]
    words += [["course", sub] for sub in re.findall(r"(?m)^  (\w+)  ", text_of("course"))]
    for command in [[], *words]:
        part = re.split(r"(?m)^(?:Examples|Try first):\n", text_of(*command))
        if len(part) != 2:
            raise Wrong(f"`sourir {' '.join(command)} --help` has no examples")
        for line in part[1].split("\n\n")[0].splitlines():
            if "sourir" in line:
                yield f"sourir {' '.join([*command, '--help'])}", without_remark(line)


def commands_of_examples():
    for path in sorted((ROOT / "examples").rglob("*.sou")):
        head = re.match(r"(?:#.*\n)*", path.read_text(encoding="utf-8"))[0]
        for line in re.findall(r"(?m)^#(?: Try next:|  +) *(.*)$", head):
            if re.search(r"(?:^|[;|&] *)sourir \w", line):
                yield path.name, re.sub(r"[,.](?: .*)?$", "", without_remark(line))


def pages():
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "bench/README.md",
                                         "examples/README.md"))
    yield from sorted((ROOT / "docs").rglob("*.md"))


def commands_of_blocks():
    for page in pages():
        text = page.read_text(encoding="utf-8")
        name = str(page.relative_to(ROOT))
        if re.search(r"(?m)^```console", text) \
                and name not in BOOK + NATIVE and page != tutorial_test.PAGE:
            raise Wrong(f"{name} has commands that neither book_test.py nor tutorial_test.py runs")
        for language, block in re.findall(r"(?m)^```(\w*)\n((?:.*\n)*?)```$", text):
            if language == "console" or (language == "sh" and page.parent.name == "passes"):
                continue
            for line in block.splitlines():
                if re.match(HERE + r"\w", line):
                    yield name, without_remark(line)


def commands_in_sentences():
    for page in pages():
        text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
        for words in re.findall(r"`(" + HERE + r"[^`]*)`", text):
            yield str(page.relative_to(ROOT)), " ".join(words.split())


def is_mention(command):
    """Not a whole command: a form with words like FILE, or without what it works on."""
    words = shlex.split(command)[1:]
    names = 2 if " ".join(words[:2]) in showcases.SUBSTANCE else 1
    works_on = any(not word.startswith("-") for word in words[names:])
    return bool(PLACEHOLDER.search(command)) or not (works_on or ALONE.search(command))


# --- Running ---------------------------------------------------------------------------------------
def lay_out(folder, sourir, settings):
    for name in ("examples", "bench"):
        (folder / name).symlink_to(ROOT / name)
    tools = showcases.recorded_sourir(folder, sourir)
    for name in ("dot", "flamegraph.pl", "less"): # of others: what sourir prints is what counts
        (tools / name).write_text("#!/bin/sh\ncat\n", encoding="utf-8")
    for setting in settings:
        for name, text in setting.files.items():
            (folder / name).write_text(text, encoding="utf-8")
    for script in [*folder.glob("*.sh"), *tools.iterdir()]:
        script.chmod(0o755)


def run(sourir, command):
    """What is wrong with the command, or None."""
    settings = [setting for setting in SETTINGS if re.search(setting.command, command)]
    status, stdin = [0], ""
    short = command.replace("build/bin/sourir", "sourir")
    for setting in settings:
        status = status if setting.status is None else setting.status
        stdin = setting.stdin or stdin
        for text, other in setting.shorter:
            short = short.replace(text, other)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(folder, sourir, settings)
        (folder / ".stdin").write_text(stdin, encoding="utf-8")
        for setting in settings:
            if setting.before:
                book_test.run(setting.before.replace("BUILT", str(sourir.parents[1])), folder)
        showcases.calls(folder)
        found, lines = book_test.run(f"set -o pipefail; {{ {short}\n}} <.stdin", folder)
        shown = showcases.calls(folder)
        problems = [problem for call in shown for problem in showcases.missing(call)]
    if found not in status:
        problems.append(f"exits with {found}, not {status}")
    if not shown:
        problems.append("does not run sourir")
    return "\n  ".join([*problems, *lines[:12]]) if problems else None


def check_mention(sourir, command):
    """The command and its flags exist."""
    words = [word.split("=")[0] for word in shlex.split(re.sub(r"\.\.\.|[<>].*", "", command))[1:]]
    subcommand = [word for word in words[1:2] if not word.startswith("-")]
    both = [words[0], *subcommand]
    names = both if " ".join(both) in showcases.SUBSTANCE else words[:1]
    done = subprocess.run([sourir, *names, "--help"], capture_output=True, text=True)
    if done.returncode:
        return f"there is no `sourir {' '.join(names)}`"
    unknown = [word for word in words if word.startswith("-")
               and not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", done.stdout)]
    return f"there is no {', '.join(unknown)}" if unknown else None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", type=Path, default=ROOT / "build/bin/sourir")
    parser.add_argument("-k", default="", help="only the commands that contain this")
    options = parser.parse_args()
    sourir = options.sourir.resolve()
    sentences = list(commands_in_sentences())
    showcase, mentions = {}, {}
    for place, command in [*commands_of_help(sourir), *commands_of_examples(), *commands_of_blocks(),
                           *sentences]:
        into = mentions if (place, command) in sentences and is_mention(command) else showcase
        if options.k in command and not ELSEWHERE.search(command):
            into.setdefault(command, place)
    with ThreadPoolExecutor(2) as pool:
        checked = list(pool.map(lambda command: run(sourir, command), showcase))
    checked += [check_mention(sourir, command) for command in mentions]
    wrong = 0
    for (command, place), problem in zip([*showcase.items(), *mentions.items()], checked):
        if problem:
            wrong += 1
            print(f"{place}: {command}\n  {problem}")
    print(f"showcases: {len(showcase)} commands, {len(mentions)} mentions, {wrong} wrong")
    return 1 if wrong or not showcase else 0


if __name__ == "__main__":
    sys.exit(main())
