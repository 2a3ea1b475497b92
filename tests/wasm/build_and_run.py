#!/usr/bin/env python3
"""Compiles the libraries without exceptions for WebAssembly, and runs the examples with them.

usage: build_and_run.py [--folder build/wasm] [-k SUBSTRING] [--build-only]

The libraries that do without threads, files and the environment (FOLDERS) are compiled a folder at
a time with `clang++-19 --target=wasm32-wasi -fno-exceptions` and linked with driver.cpp; what is
up to date is kept. Then every `# test: run [--deopt=...]` of examples/*.sou runs in the reference
under node's WASI (run.mjs), as it stands and after O2 with a lock-step check, and its output and
exit status are compared with its golden tail. Exit status 77 (skipped) where a package is missing:
clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32
nodejs (`./dev deps --wasm`).
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from filetest import FileTest, golden_sections  # noqa: E402

SKIPPED = 77
GENERATED = ( # out, script, arguments, text
    ("diagnostic_rows.cpp", "sourir/syntax/explain_topics.py", "diagnostics",
     "sourir/syntax/diagnostics.txt"),
    ("rule_texts.cpp", "sourir/semantics/text/rule_texts.py", "sourir/semantics/rules.cpp"))
FOLDERS = ("sourir/syntax", "sourir/syntax/text", "sourir/syntax/json", "sourir/semantics",
           "sourir/semantics/text", "sourir/analysis", "sourir/passes", "sourir/passes/core",
           "sourir/passes/scalar", "sourir/passes/loops", "sourir/passes/inline",
           "sourir/passes/speculation", "sourir/bisim", "sourir/bisim/generate",
           "sourir/bisim/reduce", "sourir/stepper", "sourir/fuzz")
UNIT = 16  # sources compiled at a time
COMPILER = "clang++-19"
# fmt, Boost and nlohmann_json as headers only; Boost 1.74 names what C++17 took out of std.
FLAGS = ("--target=wasm32-wasi", "-std=c++20", "-O1", "-fno-exceptions", "-DNDEBUG",
         "-DFMT_HEADER_ONLY", "-DJSON_NOEXCEPTION", "-DBOOST_NO_EXCEPTIONS",
         "-D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION",
         "-D_WASI_EMULATED_PROCESS_CLOCKS", "-w", f"-I{ROOT}")
# It never grows: node 20 may crash when it frees a memory that has grown.
MEMORY = 1 << 31
# Headers of the machine's own /usr/include that are only templates.
HOST_HEADERS = ("fmt", "boost", "nlohmann", "tl")
LINK = ("--target=wasm32-wasi", "-lwasi-emulated-process-clocks", "-Wl,-z,stack-size=8388608",
        "-Wl,--strip-all", f"-Wl,--initial-memory={MEMORY}", f"-Wl,--max-memory={MEMORY}")


def missing():
    """Whether something is not installed: tells what."""
    if not all(shutil.which(tool) for tool in (COMPILER, "wasm-ld-19", "node")):
        return "clang++-19, wasm-ld-19 or node"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "a.cpp")
        source.write_text("#include <string>\nint main() { return std::string().size(); }\n")
        built = subprocess.run([COMPILER, "--target=wasm32-wasi", source, "-o", f"{folder}/a"],
                               capture_output=True, check=False)
        return "the libraries for wasm32-wasi" if built.returncode != 0 else None


def has_exceptions(source):
    """What tests/lint/lint.py reports as [pure]: such a source cannot be compiled here."""
    code = re.sub(r"//[^\n]*", "", source.read_text(encoding="utf-8"))
    return re.search(r"\b(?:throw\s|try\s*\{|catch\s*\()", code) is not None


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def units(folder):
    """Writes the units; yields their paths."""
    for out, script, *arguments, source in GENERATED:
        subprocess.run([sys.executable, ROOT / script, *arguments, folder / out, ROOT / source],
                       check=True)
        yield folder / out
    for room in ("tests/wasm", *FOLDERS):
        sources = sorted((ROOT / room).glob("*.cpp"))
        for source in filter(has_exceptions, sources):
            print(f"wasm: left out, it has exceptions: {source.relative_to(ROOT)}")
        sources = [source for source in sources if not has_exceptions(source)]
        for k in range(0, len(sources), UNIT):
            unit = folder / f"{room.replace('/', '_')}_{k // UNIT}.cpp"
            write_if_changed(unit, "".join(f'#include "{s}"\n' for s in sources[k:k + UNIT]))
            yield unit


def up_to_date(target, dependencies):
    if not target.exists() or not dependencies.exists():
        return False
    text = dependencies.read_text().replace("\\\n", " ")
    made = target.stat().st_mtime
    files = [ROOT / word for word in text.split(":", 1)[1].split()]
    return all(f.exists() and f.stat().st_mtime <= made for f in files)


def compile_unit(unit, folder):
    """The object file; None if it does not compile (the compiler has said why)."""
    made = folder / (unit.stem + ".o")
    dependencies = folder / (unit.stem + ".d")
    if up_to_date(made, dependencies):
        return made
    cached = [shutil.which("ccache")] if shutil.which("ccache") else []
    done = subprocess.run([*cached, COMPILER, *FLAGS, "-isystem", folder / "include", "-MMD",
                           "-MF", dependencies, "-c", unit, "-o", made],
                          env=os.environ | {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"},
                          cwd=ROOT, check=False)
    return made if done.returncode == 0 else None


def build(folder, jobs):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "include").mkdir(exist_ok=True)
    for name in HOST_HEADERS:
        link = folder / "include" / name
        if not link.exists():
            link.symlink_to(Path("/usr/include") / name)
    with ThreadPoolExecutor(jobs) as pool:
        objects = list(pool.map(lambda unit: compile_unit(unit, folder), units(folder)))
    if None in objects:
        return None
    module = folder / "driver.wasm"
    linked = subprocess.run([COMPILER, *LINK, *objects, "-o", module], check=False)
    return module if linked.returncode == 0 else None


Case = namedtuple("Case", "name arguments program expected")  # expected: output and status


def expected_of(lines):
    """(output, exit status) of a golden section."""
    output, status = "", 0
    for line in lines:
        if line.startswith("# exit: "):
            status = int(line[8:])
        elif not line.startswith("# !"):
            output += line[2:] + "\n"
    return output, status


def cases(substring):
    for path in sorted(ROOT.glob("examples/*.sou")):
        if substring not in path.name:
            continue
        test = FileTest(path)
        for command, golden in zip(test.commands, golden_sections(test)):
            name, *options = command.arguments
            if name != "run" or len(options) > 1 or not golden:
                continue
            if options and not options[0].startswith("--deopt="):
                continue
            for words in [options] if options else [[], ["--pass=O2"]]:
                yield Case(" ".join([path.name, *words]), words + test.stdin.split("\n")[:-1],
                           test.program(), expected_of(golden[1:]))


class Runner:
    """A node that runs one case after the other: compiling the module takes longer than a case."""

    def __init__(self, module, folder):
        self.files = [folder / name for name in ("stdin", "stdout", "stderr")]
        self.node = subprocess.Popen(["node", "--no-warnings", ROOT / "tests/wasm/run.mjs", module],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def problem_of(self, case):
        """Runs a case; what is wrong, or None."""
        given, out, err = self.files
        given.write_bytes(case.program)
        request = {"arguments": case.arguments, "stdin": str(given), "stdout": str(out),
                   "stderr": str(err)}
        print(json.dumps(request), file=self.node.stdin, flush=True)
        answer = self.node.stdout.readline()
        found = int(answer) if answer else f"none, node ended with {self.node.wait()}"
        output, status = case.expected
        printed = out.read_bytes().decode("utf-8", "surrogateescape")
        if (printed, found) == (output, status):
            return None
        return (f"{case.name}: status {found}, expected {status}\n--- expected\n{output}"
                f"--- printed\n{printed}--- stderr\n{err.read_text(errors='replace')[-2000:]}")


def problems_of(chosen, module):
    """What is wrong with each case that is not right, up to the first that node does not survive."""
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(module, Path(folder))
        problems = []
        for case in chosen:
            problems.append(runner.problem_of(case))
            if runner.node.returncode is not None:
                problems += [f"{c.name}: not run\n" for c in chosen[len(problems):]]
                break
        runner.node.kill() # at once: a node that ends by itself may crash when it frees memories
        runner.node.communicate()
    return list(filter(None, problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "build/wasm")
    parser.add_argument("-k", default="", help="only examples whose name has this in it")
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="compilers at a time")
    parser.add_argument("--build-only", action="store_true")
    options = parser.parse_args()
    if what := missing():
        print(f"wasm: skipped: {what} not installed (./dev deps --wasm)")
        return SKIPPED
    module = build(options.folder.resolve(), options.j)
    if module is None:
        print("wasm: 1 failed: it does not build")
        return 1
    if options.build_only:
        return 0
    chosen = list(cases(options.k))
    with ThreadPoolExecutor(options.j) as pool:
        shares = [chosen[k::options.j] for k in range(options.j)]
        problems = sum(pool.map(lambda share: problems_of(share, module), shares), [])
    print("".join(problems), end="")
    print(f"wasm: {len(chosen) - len(problems)} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
