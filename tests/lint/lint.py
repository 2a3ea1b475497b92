#!/usr/bin/env python3
"""Checks the house rules that a compiler does not: who includes whom, sizes, names.

usage: lint.py [ROOT]     prints PATH:LINE: [rule] message; exits with 1 if there is any
"""
import re
import statistics
import sys
from collections import namedtuple
from pathlib import Path

from cpp_text import blank, functions

Problem = namedtuple("Problem", "path line rule message")

# (rule, path) -> why this file may. An exception that no longer excuses anything is a problem.
EXCEPTIONS = {}

MAX_FILE, MAX_FUNCTION, MEDIAN_WARNING, MEDIAN_FAILURE = 400, 60, 120, 160
FOLDERS = ("sourir", "native", "profiler", "bench", "tests", "docs", "examples")
LIBRARIES = ("sourir/syntax", "sourir/semantics", "sourir/analysis", "sourir/passes",
             "sourir/bisim", "sourir/trials", "profiler", "native")
ANYTHING = LIBRARIES + ("sourir/cli", "bench", "tests")
VALUES = ("sourir/semantics/value.h", "sourir/semantics/primop.h")

# Folder -> what it may include besides itself: folders, or single headers of one.
MAY_INCLUDE = {
    "sourir/syntax": (),
    "sourir/semantics": ("sourir/syntax",),
    "sourir/analysis": ("sourir/syntax",) + VALUES,
    "sourir/passes": ("sourir/syntax", "sourir/analysis") + VALUES,
    "sourir/bisim": ("sourir/syntax", "sourir/semantics", "sourir/analysis"),
    "sourir/trials": ("sourir/syntax", "sourir/semantics", "sourir/analysis", "sourir/passes",
                      "sourir/bisim"),
    "profiler": ("sourir/syntax",),
    "native": ("sourir/syntax", "sourir/semantics", "sourir/analysis", "profiler"),
    "sourir/cli": LIBRARIES,
    "tests": LIBRARIES + ("bench",),
    "bench": LIBRARIES,
}

# Outside code: what an include of it looks like, where it may stand, in words.
OUTSIDE = [
    (r"CLI/", r"sourir/cli/[^/]*\.cpp", "CLI11 only in one source of sourir/cli"),
    (r"boost/", r"sourir/analysis/[^/]*\.cpp|bench/boost_dominators\.h",
     "Boost only in sources of sourir/analysis"),
    (r"(llvm|llvm-c|clang)/", r"native/llvm_lowering/[^/]*\.cpp",
     "LLVM only in sources of native/llvm_lowering"),
    (r"(rapidcheck|gtest|gmock)[/.]", r"tests/.*", "RapidCheck and GoogleTest only in tests"),
    (r"benchmark/", r"bench/.*", "Google Benchmark only in bench"),
    (r"(n?curses\.h|ncursesw?/|histedit\.h|editline/)", r"sourir/cli/.*",
     "ncurses and libedit only in sourir/cli"),
    (r"sqlite3", r"sourir/cli/database\.cpp", "SQLite only in sourir/cli/database.cpp"),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)([^\n]*)", re.MULTILINE)
GUARD = re.compile(r"\A\s*#[ \t]*ifndef[ \t]+(\w+)[ \t]*\n[ \t]*#[ \t]*define[ \t]+\1[ \t]*\n")
VAGUE_NAME = re.compile(r"^(?:.*_)?(?:utils?|helpers?|common|misc)$")
GETENV = re.compile(r"\b(?:secure_)?getenv\s*\(")
# A bare exit(...) counts where its argument looks like a status: exits are also a notion of ours.
OUTPUT = re.compile(
    r"std::(?:cout|cerr|clog)\b|\bv?f?printf\s*\(|\bputs\s*\(|\bfmt::print(?:ln)?\s*\("
    r"|(?:\bstd|(?<![\w>]))::(?:_|quick_)?exit\s*\("
    r"|^\s*(?:_|quick_)?exit\s*\(\s*(?:-?\d|EXIT_|\w*(?:status|code)\b)", re.MULTILINE)


def area(path):
    """The row of the include table that a path belongs to."""
    return next((row for row in MAY_INCLUDE if path.startswith(row + "/")), None)


def allowed(row, target):
    entries = (row,) + MAY_INCLUDE[row]
    return any(target == entry or target.startswith(entry + "/") for entry in entries)


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def check_includes(path, text):
    row = area(path)
    for match in INCLUDE.finditer(text):
        line, target = line_of(text, match), match[2]
        if match[1] == '"' and area(target) is None:
            yield Problem(path, line, "include", f"{target}: include from the repository root")
        elif match[1] == '"' and row and not allowed(row, target):
            yield Problem(path, line, "include", f"{row} may not include {target}")
        for pattern, place, words in OUTSIDE:
            if re.match(pattern, target) and not re.fullmatch(place, path):
                yield Problem(path, line, "outside", f"{target}: {words}")


def check_defines(path, text):
    guard = GUARD.match(text)
    for match in DEFINE.finditer(text):
        if not (guard and match[1] == guard[1]):
            yield Problem(path, line_of(text, match), "macro", f"#define {match[1]}: no macros")


def check_calls(path, text):
    if not path.startswith("sourir/cli/"):
        for match in GETENV.finditer(text):
            yield Problem(path, line_of(text, match), "getenv", "only sourir/cli may read it")
    if path.startswith(LIBRARIES):
        for match in OUTPUT.finditer(text):
            what = match[0].strip()
            line = text.count("\n", 0, match.end()) + 1
            yield Problem(path, line, "output", f"{what}: libraries do not print or exit")


def check_functions(path, text):
    for name, first, last in functions(text):
        if last - first + 1 > MAX_FUNCTION:
            yield Problem(path, first, "function-size",
                          f"{name} has {last - first + 1} lines, at most {MAX_FUNCTION}")


def check_file(path, text):
    length = text.count("\n") + (not text.endswith("\n"))
    if length > MAX_FILE:
        yield Problem(path, length, "file-size", f"{length} lines, at most {MAX_FILE}")
    if VAGUE_NAME.match(Path(path).name.split(".")[0]):
        yield Problem(path, 1, "name", "say in the name what the file is about")
    if path.endswith((".cpp", ".h")):
        directives, code = re.sub(r"//[^\n]*", "", text), blank(text)
        yield from check_includes(path, directives)
        yield from check_defines(path, code)
        yield from check_calls(path, code)
        yield from check_functions(path, text)


def check_one_cli11_source(sources):
    users = [path for path, text in sources.items()
             if path.startswith("sourir/cli/") and re.search(r"^#include <CLI/", text, re.M)]
    for path in users[1:]:
        yield Problem(path, 1, "outside", f"CLI11 only in one source: {users[0]} has it already")


def check_twins(sources):
    """Two types of one name in namespace sourir: the linker would take the functions of one."""
    first = {}
    for path, text in sources.items():
        if not (path.startswith("sourir/") and path.endswith(".h")):
            continue
        if not re.search(r"^namespace sourir \{", text, re.M):
            continue
        inner = re.compile(r"^namespace (\w+) \{.*?^\} // namespace \1$", re.M | re.S)
        outer = inner.sub(lambda m: m[0] if m[1] == "sourir" else "\n" * m[0].count("\n"), text)
        outer = re.sub(r"^namespace (?!sourir \{)\w+ \{.*?^\} // namespace \w+$", "", outer,
                       flags=re.M | re.S)
        for match in re.finditer(r"^(?:struct|class) (\w+)[^;{]*\{", outer, re.M):
            other = first.setdefault(match[1], path)
            if other != path:
                yield Problem(path, line_of(outer, match), "twin",
                              f"{match[1]} is a type of {other} already")


def check_median(sources):
    lengths = [text.count("\n") for path, text in sources.items() if path.endswith((".cpp", ".h"))]
    median = statistics.median(lengths) if lengths else 0
    message = f"the median file has {median:g} lines, aim at {MEDIAN_WARNING} at most"
    if median > MEDIAN_FAILURE:
        yield Problem(".", 0, "median", message)
    elif median > MEDIAN_WARNING:
        print(f"warning: {message}")


def read_sources(root):
    found = {}
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".cpp", ".h", ".py") and file.is_file():
                found[file.relative_to(root).as_posix()] = file.read_text(encoding="utf-8")
    return found


def apply_exceptions(problems, exceptions):
    used = {(p.rule, p.path) for p in problems} & exceptions.keys()
    kept = [p for p in problems if (p.rule, p.path) not in used]
    for rule, path in sorted(exceptions.keys() - used):
        kept.append(Problem(path, 0, "exception", f"needs no exception from {rule} any more"))
    return kept


def lint(root, exceptions):
    """All problems below `root`, and the number of files looked at."""
    sources = read_sources(root)
    problems = [p for path, text in sources.items() for p in check_file(path, text)]
    problems += check_one_cli11_source(sources)
    problems += check_twins(sources)
    problems += check_median(sources)
    return apply_exceptions(problems, exceptions), len(sources)


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    problems, files = lint(root, EXCEPTIONS)
    for p in problems:
        print(f"{p.path}:{p.line}: [{p.rule}] {p.message}")
    print(f"lint: {files} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
