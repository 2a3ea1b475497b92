#!/usr/bin/env python3
"""The pages of docs/passes: there is one for each pass, with the sections that a page has, and its
example is true: beside a file for each ```json block, whose name is the last word in front of it, the
command turns the program of the first ```sou block into that of the second,
changes something, and --verify-each finds no difference. The table of docs/soundness.md: its file
tests exist and say that they fail under the seeded bugs beside them (which mutant_filetests.py
checks). docs/language.md: each ```sou block is a file test (filetest.py), without the lines that it
says are errors, and every error, reason, limit and rule is named. docs/theory.md states each
definition, lemma and theorem that a file of the project cites by its number. Links between pages lead to
a file and a heading, and docs/README.md lists each page. The last line is `docs: N pages, N wrong`.

usage: docs_test.py [--sourir PATH] [--bless] [PAGE...]     --bless rewrites the second block
"""
import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import run_filetests
from tool import Tool

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/passes"
RULES = ROOT / "docs/soundness.md"
LANGUAGE = ROOT / "docs/language.md"
THEORY = ROOT / "docs/theory.md"
SEMANTICS = ROOT / "sourir/semantics/SEMANTICS.md"
SECTIONS = ["Example", "When it fires", "Why it is correct", "What it costs"]
EXAMPLE = re.compile(r"```sou\n(.*?)```\n\n```sh\nsourir (opt before\.sou [^\n]*)\n```\n\n```sou\n(.*?)```",
                     re.DOTALL)
DATA = re.compile(r"`(\w+\.json)`[^`]*\n\n```json\n(.*?)```", re.DOTALL) # a file beside before.sou


class Wrong(Exception):
    """A page is not as it should be; the message says how."""


def run(options, folder, arguments):
    done = subprocess.run([options.sourir, *arguments], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60)
    if done.returncode != 0:
        raise Wrong(f"sourir {' '.join(arguments)}: exit {done.returncode}\n"
                    + done.stderr.decode("utf-8", "replace"))
    return done.stdout.decode()


def check_shape(path, text):
    if not text.startswith(f"# {path.stem}\n"):
        raise Wrong(f"its first line is not `# {path.stem}`")
    if re.findall(r"(?m)^## (.*)$", text) != SECTIONS:
        raise Wrong(f"its sections are not {', '.join(SECTIONS)}")
    for section in re.split(r"(?m)^## .*$", text)[1:]:
        if len(section.split()) < 3:
            raise Wrong("a section is empty")


def check_example(options, path, text):
    match = EXAMPLE.search(text)
    if not match:
        raise Wrong("no example: a ```sou block, a ```sh block with the command, a ```sou block")
    before, command, after = match.groups()
    arguments = shlex.split(command)
    if not re.search(rf"--pass=.*\b{re.escape(path.stem)}\b", command):
        raise Wrong(f"its command does not run {path.stem}")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "before.sou").write_text(before, encoding="utf-8")
        for name, content in DATA.findall(text):
            (Path(folder) / name).write_text(content, encoding="utf-8")
        found = run(options, folder, arguments)
        run(options, folder, [*arguments, "--verify-each"])
        if found == run(options, folder, ["fmt", "before.sou"]):
            raise Wrong("the example changes nothing")
    if found == after:
        return
    if not options.bless:
        raise Wrong(f"the example gives\n{found}\nnot\n{after}")
    path.write_text(text[: match.start(3)] + found + text[match.end(3):], encoding="utf-8")
    print(f"blessed {path.name}")


def check_page(options, path):
    """What is wrong with the page, or None."""
    try:
        text = path.read_text(encoding="utf-8")
        check_shape(path, text)
        check_example(options, path, text)
    except (Wrong, OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return None


def check_rules():
    """What is wrong with the table of rules, or None."""
    problems, rows = [], re.findall(r"(?m)^\| .* \| (\w+/\w+) \| ([\d, ]*)\|$", RULES.read_text("utf-8"))
    for name, bugs in rows:
        path = ROOT / f"tests/filetests/{name}.sou"
        text = path.read_text("utf-8", "replace") if path.exists() else ""
        problems += [] if text else [f"there is no file test {name}"]
        problems += [f"{name} does not mention mutant {bug}" for bug in re.findall(r"\d+", bugs)
                     if text and not re.search(rf"\bmutant {bug}\b", text.split("\n# ---\n")[0])]
    return "; ".join(problems) or (None if rows else "no row of it can be read")


# --- docs/language.md ----------------------------------------------------------------------------
def tests_of(program):
    """The file tests that a program of the page stands for."""
    lines = program.split("\n")
    wrong = [number + int(match[1] or 0) for number, line in enumerate(lines)
             for match in re.finditer(r"# error(?:@(-?\d+))?:", line)]
    if wrong:
        yield "# test: check\n" + re.sub(r"# (?:prints|stuck):[^\n]*", "", program)
    kept = "\n".join("" if number in wrong else re.sub(r"# error@.*", "", line)
                     for number, line in enumerate(lines))
    if not wrong or re.search("# (?:prints|stuck):", kept):
        yield "# test: run\n# test: check\n" + kept


def check_language(options):
    """What is wrong with the page, as a list."""
    text = LANGUAGE.read_text(encoding="utf-8")
    programs = re.finditer(r"(?m)^```sou\n((?:.*\n)*?)```$", text)
    tests = [(text.count("\n", 0, match.start()) + 1, test)
             for match in programs for test in tests_of(match[1])]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.sou" for number in range(len(tests))]
        for path, (_, test) in zip(paths, tests):
            path.write_text(test, encoding="utf-8")
        settings = Namespace(tool=Tool(options.sourir, None, run_filetests.environment()), bless=False,
                             timeout=60)
        with ThreadPoolExecutor() as pool:
            found = pool.map(lambda path: run_filetests.run_test(settings, path), paths)
            problems += [f"the program at line {line}: {problem}"
                         for (line, _), problem in zip(tests, found) if problem]
    named = set(re.findall(r"[\w-]+", text))
    listed = json.loads(run(options, ROOT, ["explain", "--json"]))["topics"]
    problems += [f"the {topic['kind']} {topic['name']} is missing" for topic in listed
                 if topic["kind"] != "term" and topic["name"] not in named]
    evaluation = (ROOT / "sourir/semantics/eval.h").read_text(encoding="utf-8")
    stated = SEMANTICS.read_text(encoding="utf-8")
    return problems + [f"SEMANTICS.md has no rule {name}" for name in
                       re.findall(r"\[([A-Z]\w+)\]", evaluation) if f"**{name}**" not in stated]


# --- docs/theory.md ------------------------------------------------------------------------------
NUMBER = r"\d+(?:\.\d+)*"
BLANK = r"[\s/#*]+" # also from one line of a comment to the next
CITED = re.compile(rf"\b(Definition|Lemma|Theorem)s?{BLANK}({NUMBER}(?:(?:,|,? and|,? or| to){BLANK}{NUMBER})*)")
STATEMENT = re.compile(rf"(?m)^## (Definition|Lemma|Theorem) ({NUMBER}): .*\n((?:(?!## ).*\n)*)")


def cited_in(text):
    return {(kind, number) for kind, numbers in CITED.findall(text)
            for number in re.findall(NUMBER, numbers)}


def check_theory():
    """What is wrong with the page, as a list."""
    page = THEORY.read_text(encoding="utf-8")
    stated = {(kind, number): text for kind, number, text in STATEMENT.findall(page)}
    problems = [f"{kind} {number} has no paragraph {part}" for (kind, number), text in stated.items()
                for part in ("*Source.*", "*Here.*", "*Checked by*") if part not in text]
    properties = (ROOT / "tests/property/properties_test.cpp").read_text(encoding="utf-8")
    problems += [f"there is no property {name}" for name in re.findall(r"`((?:[A-Z][a-z]+){2,})`", page)
                 if f'"{name}"' not in properties]
    for folder in ("", "docs", "examples", "sourir", "native", "profiler", "bench", "tests"):
        for path in sorted((ROOT / folder).glob("**/*" if folder else "*.md")):
            if path.suffix in (".md", ".h", ".cpp", ".py", ".sou", ".txt", ".mutant", ".json"):
                missing = cited_in(path.read_text(encoding="utf-8", errors="replace")) - stated.keys()
                problems += [f"{path.relative_to(ROOT)} cites {kind} {number}, which is not stated"
                             for kind, number in sorted(missing)]
    return problems


# --- links ---------------------------------------------------------------------------------------
LINK = re.compile(r"\[[^]\n]*\n?[^]\n]*\]\(([^)\s:]+)\)") # not of the web


def anchors(page):
    """Of each heading, as web pages make it."""
    text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"(?m)^#+ (.*)$", text)}


def dead_links(root, pages):
    """The links of the pages, which are below the root, that lead nowhere: a list of problems."""
    problems = []
    for page in pages:
        text = re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))
        for link in LINK.findall(text):
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                problems.append(f"{page.relative_to(root)}: the link {link} leads nowhere")
    return problems


def check_links():
    """What is wrong with the links of all pages, as a list."""
    pages = [*ROOT.glob("*.md")]
    for folder in ("docs", "examples", "bench", "sourir"):
        pages += sorted((ROOT / folder).rglob("*.md"))
    problems = dead_links(ROOT, pages)
    index = set(LINK.findall((FOLDER.parent / "README.md").read_text(encoding="utf-8")))
    index = {link.partition("#")[0] for link in index}
    return problems + [f"docs/README.md does not list {page.name}" for page in
                       sorted(FOLDER.parent.glob("*.md")) if page.name not in index | {"README.md"}]


def passes(options):
    listed = subprocess.run([options.sourir, "opt", "--list-passes", "--json"],
                            stdout=subprocess.PIPE, check=True).stdout
    return {row["name"] for row in json.loads(listed)["passes"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", default="build/bin/sourir", type=lambda p: str(Path(p).resolve()))
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path)
    options = parser.parse_args()
    pages = options.pages or sorted(FOLDER.glob("*.md"))
    problems = [(path.name, check_page(options, path)) for path in pages]
    if not options.pages:
        problems.append((RULES.name, check_rules()))
        problems += [(LANGUAGE.name, problem) for problem in check_language(options)]
        problems += [(THEORY.name, problem) for problem in check_theory()]
        problems += [("links", problem) for problem in check_links()]
        names = {path.stem for path in pages}
        problems += [(name, "there is no page") for name in sorted(passes(options) - names)]
        problems += [(name, "there is no such pass") for name in sorted(names - passes(options))]
    wrong = [(name, problem) for name, problem in problems if problem]
    for name, problem in wrong:
        print(f"{name}: {problem}")
    print(f"docs: {len(pages)} pages, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
