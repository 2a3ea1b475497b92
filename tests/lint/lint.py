#!/usr/bin/env python3
"""Checks the house rules that a compiler does not: who includes whom, sizes, names.

usage: lint.py [ROOT]     prints PATH:LINE: [rule] message; exits with 1 if there is any
"""
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict, namedtuple
from pathlib import Path

from classes import classes
from cpp_text import blank, functions

Problem = namedtuple("Problem", "path line rule message")

# (rule, path) -> why this file may. An exception that no longer excuses anything is a problem.
EXCEPTIONS = {}

MAX_FILE, MAX_FUNCTION, MAX_PUBLIC_METHODS, MAX_FOLDER = 800, 60, 30, 60
FOLDERS = ("sourir", "native", "profiler", "bench", "tests", "docs", "examples")
VALUES = ("sourir/semantics/value.h", "sourir/semantics/primop.h")
LANGUAGE = ("sourir/syntax", "sourir/semantics", "sourir/analysis")
CHECKS = LANGUAGE + ("sourir/passes", "sourir/bisim")
NATIVE = ("native/runtime", "native/deopt", "native/tiering", "native/interpreter",
          "native/llvm_lowering", "native/engine")
LIBRARIES = CHECKS + ("sourir/os", "sourir/fuzz", "sourir/stepper", "sourir/replay",
                      "profiler") + NATIVE

# Layer -> what it may include besides itself: layers, or single headers of one. The longest prefix
# of a path is its layer.
MAY_INCLUDE = {
    "sourir/syntax": (),
    "sourir/semantics": ("sourir/syntax",),
    "sourir/analysis": ("sourir/syntax",) + VALUES,
    "sourir/passes": ("sourir/syntax", "sourir/analysis") + VALUES,
    "sourir/bisim": LANGUAGE,
    "sourir/os": (),
    "sourir/fuzz": CHECKS + ("sourir/os/exit_status.h",),
    "sourir/fuzz/host": CHECKS + ("sourir/os", "sourir/fuzz"),
    "sourir/stepper": LANGUAGE,
    "sourir/replay": LANGUAGE + ("sourir/bisim",),
    "profiler": ("sourir/syntax",),
    "native/runtime": LANGUAGE + ("profiler",),
    "native/deopt": LANGUAGE + ("profiler", "native/runtime"),
    "native/tiering": LANGUAGE + ("profiler", "native/runtime", "native/deopt"),
    "native/interpreter": LANGUAGE + ("profiler", "native/runtime", "native/deopt"),
    "native/llvm_lowering": LANGUAGE + ("profiler", "native/runtime"),
    "native/engine": LANGUAGE + ("profiler",) + NATIVE,
    "sourir/cli": LIBRARIES,
    "tests": LIBRARIES + ("bench",),
    "tests/unit": LIBRARIES + ("bench", "tests", "sourir/cli/bench/bench_statistics.h"), # pure functions
    "tests/command_server": ("sourir/cli/run_main.h",), # is the tool, as a server
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
    (r"sqlite3", r"sourir/fuzz/host/database\.cpp", "SQLite only in sourir/fuzz/host/database.cpp"),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)([^\n]*)", re.MULTILINE)
GUARD = re.compile(r"\A\s*#[ \t]*ifndef[ \t]+(\w+)[ \t]*\n[ \t]*#[ \t]*define[ \t]+\1[ \t]*\n")
# Paths of files of the project, as comments and pages cite them.
CITED = re.compile(r"\b(?:sourir|native|profiler|bench|tests|docs|examples)/[\w./-]*\w\.(?:cpp|h|py|md|sou|json|sh)\b")
MADE = re.compile(r"(?m)^`([\w./-]+)`:\n\n```") # by a block of the page (tests/tutorial_test.py)
PAGE = re.compile(r"(?<![\w/.-])[\w-]+\.md\b") # a page cited by its name alone
PURE = ("sourir/syntax/", "sourir/semantics/", "sourir/analysis/", "sourir/passes/", "sourir/bisim/",
        "sourir/fuzz/", "sourir/stepper/")
IMPURE = re.compile(r"\bthrow\b|\btry\b|\bcatch\b|\bstd::(?:jthread|thread|mutex|async|getenv|[io]?fstream"
                    r"|filesystem)\b|\bgetenv\b")
VAGUE_NAME = re.compile(r"^(?:.*_)?(?:utils?|helpers?|common|misc)$")
GETENV = re.compile(r"\b(?:secure_)?getenv\s*\(")
# A bare exit(...) counts where its argument looks like a status: exits are also a notion of ours.
OUTPUT = re.compile(
    r"std::(?:cout|cerr|clog)\b|\bv?f?printf\s*\(|\bputs\s*\(|\bfmt::print(?:ln)?\s*\("
    r"|(?:\bstd|(?<![\w>]))::(?:_|quick_)?exit\s*\("
    r"|^\s*(?:_|quick_)?exit\s*\(\s*(?:-?\d|EXIT_|\w*(?:status|code)\b)", re.MULTILINE)


def area(path):
    """The row of the include table that a path belongs to."""
    rows = [row for row in MAY_INCLUDE if path.startswith(row + "/")]
    return max(rows, key=len, default=None)


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
    if path.startswith(("sourir/cli/", "sourir/os/")):
        return
    for match in GETENV.finditer(text) if not path.startswith("sourir/fuzz/host/") else ():
        yield Problem(path, line_of(text, match), "getenv",
                      "only sourir/cli, sourir/os and sourir/fuzz/host read it")
    if path.startswith(LIBRARIES):
        for match in OUTPUT.finditer(text):
            what = match[0].strip()
            line = text.count("\n", 0, match.end()) + 1
            yield Problem(path, line, "output", f"{what}: libraries do not print or exit")


def check_seeded_bugs(path, text):
    """They are files of tests/mutants/bugs."""
    if not path.startswith(("sourir/", "native/", "profiler/")):
        return
    for match in re.finditer(r"\bmutant\s*\(|\bSOURIR_MUTANTS\b|\bseeded\s*\(", text):
        yield Problem(path, line_of(text, match), "seeded-bug",
                      "the product has no seeded bugs: tests/mutants/bugs has them")


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
        yield from check_seeded_bugs(path, code)
        yield from check_functions(path, text)
        yield from check_classes(path, text)
        yield from check_pure(path, code)


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


def check_locals(sources):
    """Sources of a folder are compiled several at a time, in other groups for each target: what is
    local to one source must not be defined in a second one of its folder."""
    unnamed = re.compile(r"^namespace \{$(.*?)^\} // namespace$", re.M | re.S)
    defined = re.compile(r"^(?:(?:struct|class|enum class|enum) (?P<type>\w+)[^;{=]*\{"
                         r"|using (?P<alias>\w+) = (?P<aliased>[^;]*);"
                         r"|(?:constexpr|const)\b[^;({]*?\b(?P<constant>\w+)(?:\[\w*\])* ?[={]"
                         r"|\w[\w:<>,&* ]* [&*]*(?P<function>\w+\([^;{}]*\)) (?:const )?\{)", re.M)
    first = {}
    for path, text in sources.items():
        if not path.endswith(".cpp"):
            continue
        folder = path.rpartition("/")[0]
        for space in unnamed.finditer(text):
            for match in defined.finditer(text, space.start(1), space.end(1)):
                name = re.sub(r"\s+", " ", next(filter(None, match.groups())))
                other, aliased = first.setdefault((folder, name), (path, match["aliased"]))
                if other != path and (aliased is None or aliased != match["aliased"]):
                    yield Problem(path, line_of(text, match), "local",
                                  f"{name.partition('(')[0]} is defined in {other}, too")


def check_hidden_types(sources):
    """A type that is local to a source has the name of none that a header in its reach defines:
    which of them is meant would depend on what is compiled together."""
    defined = re.compile(r"^(?:struct|class|enum class|using) (\w+)[^;{=]*[{=]", re.M)
    unnamed = re.compile(r"^namespace \{$(.*?)^\} // namespace$", re.M | re.S)
    public = defaultdict(list)
    for path, text in sources.items():
        if path.endswith(".h") and path.startswith(LIBRARIES + ("sourir/cli",)):
            for match in defined.finditer(text):
                public[match[1]].append(path)
    for path, text in sources.items():
        row = area(path)
        if not path.endswith(".cpp") or row is None or row.startswith(("tests", "bench")):
            continue
        for space in unnamed.finditer(text):
            for match in defined.finditer(text, space.start(1), space.end(1)):
                for header in public[match[1]]:
                    if allowed(row, header):
                        yield Problem(path, line_of(text, match), "hidden-type",
                                      f"{match[1]} is a type of {header}, too")


def check_classes(path, text):
    for c in classes(text):
        if c.public_methods > MAX_PUBLIC_METHODS:
            yield Problem(path, c.line, "class-size", f"{c.name} has {c.public_methods} public "
                          f"methods, at most {MAX_PUBLIC_METHODS}")


def check_folders(sources):
    counts = Counter(path.rsplit("/", 1)[0] for path in sources
                     if path.startswith(LIBRARIES + ("sourir/cli",)))
    for folder, count in counts.items():
        if count > MAX_FOLDER:
            yield Problem(folder, 0, "folder-size", f"{count} files, at most {MAX_FOLDER}")


def cycles(graph):
    """The strongly connected parts of more than one node, each sorted (Tarjan, without recursion)."""
    order, low, stack, found = {}, {}, [], []
    for root in graph:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        walk = [(root, iter(sorted(graph[root])))]
        while walk:
            node, following = walk[-1]
            for other in following:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    walk.append((other, iter(sorted(graph.get(other, ())))))
                    break
                if other in stack:
                    low[node] = min(low[node], order[other])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == order[node]:
                    part = stack[stack.index(node):]
                    del stack[stack.index(node):]
                    if len(part) > 1:
                        found.append(sorted(part))
    return found


def check_cycles(sources):
    """No header includes itself by a detour, no folder another one that includes it."""
    headers, folders = defaultdict(set), defaultdict(set)
    for path, text in sources.items():
        if not path.startswith(LIBRARIES + ("sourir/cli",)) or not path.endswith((".cpp", ".h")):
            continue
        for match in INCLUDE.finditer(re.sub(r"//[^\n]*", "", text)):
            if match[1] == '"' and match[2] in sources:
                if path.endswith(".h"):
                    headers[path].add(match[2])
                folder, other = path.rsplit("/", 1)[0], match[2].rsplit("/", 1)[0]
                if folder != other and path.startswith(LIBRARIES):
                    folders[folder].add(other)
    for kind, graph in (("headers", headers), ("folders", folders)):
        for part in cycles(graph):
            edges = [f"{a} -> {b}" for a in part for b in sorted(graph[a]) if b in part]
            yield Problem(part[0], 0, "cycle", f"{kind} include each other: {', '.join(edges)}")


def check_pure(path, text):
    """Libraries that also run in WebAssembly: no exceptions, threads, files or environment."""
    if not path.startswith(PURE) or path.startswith("sourir/fuzz/host/"):
        return
    for match in IMPURE.finditer(text):
        yield Problem(path, line_of(text, match), "pure", f"{match[0].strip()}: this library neither "
                      "throws nor uses threads, files or the environment")


def check_citations(root, sources):
    """Files of the project that a comment or a page names exist, or the page makes them itself, or a
    script of their name does."""
    pages = {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8")
             for p in [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("*/**/*.md")]
             if not p.relative_to(root).as_posix().startswith(("build", "."))
             and p.name != "CHANGELOG.md"}
    known = {p.name for p in root.rglob("*.md")}
    for path, text in {**sources, **pages}.items():
        if path.endswith(".py"):
            continue
        made = set(MADE.findall(text)) if path.endswith(".md") else set()
        for match in CITED.finditer(text):
            name = match[0]
            makes = (root / name).with_suffix(".py")
            if "NAME" in name or name in made or (root / name).exists() or makes.exists():
                continue
            yield Problem(path, line_of(text, match), "citation", f"there is no file {name}")
        for match in PAGE.finditer(text):
            if match[0] not in known and "NAME" not in match[0]:
                yield Problem(path, line_of(text, match), "citation", f"there is no page {match[0]}")


def check_format(root, sources):
    tool = shutil.which("clang-format-19")
    if tool is None:
        print("lint: clang-format-19 is not installed, formatting is not looked at")
        return
    files = [path for path in sources if path.endswith((".cpp", ".h"))]
    result = subprocess.run([tool, "--dry-run", *files], cwd=root, capture_output=True, text=True)
    wrong = sorted(set(re.findall(r"^([^:\n]+):\d+:\d+: warning:", result.stderr, re.MULTILINE)))
    for path in wrong:
        yield Problem(path, 0, "format", "./dev fmt formats it")


def check_scripts(root):
    """Names that a script uses and nobody defines, imports and variables that nobody uses."""
    tool = shutil.which("pyflakes3")
    if tool is None:
        print("lint: pyflakes3 is not installed, scripts are not looked at")
        return
    files = [path.relative_to(root) for folder in FOLDERS for path in sorted((root / folder).rglob("*.py"))]
    if not files:
        return
    result = subprocess.run([tool, *files], cwd=root, capture_output=True, text=True)
    for line in (result.stdout + result.stderr).splitlines():
        found = re.match(r"([^:]+):(\d+):(?:\d+:?)? (.*)", line)
        if found:
            yield Problem(found[1], int(found[2]), "script", found[3])


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
    problems += check_locals(sources)
    problems += check_hidden_types(sources)
    problems += check_folders(sources)
    problems += check_cycles(sources)
    return apply_exceptions(problems, exceptions), len(sources)


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[2]
    problems, files = lint(root, EXCEPTIONS)
    sources = read_sources(root)
    problems += [*check_citations(root, sources), *check_format(root, sources),
                 *check_scripts(root)]
    for p in problems:
        print(f"{p.path}:{p.line}: [{p.rule}] {p.message}")
    print(f"lint: {files} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
