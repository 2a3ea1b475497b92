#!/usr/bin/env python3
"""What is installed works outside of the source tree: the program with native code, benchmarks and
lessons, manual pages, completions, links between pages; a program that embeds the libraries, and plugins with passes, by CMake
and by pkg-config; and the Debian package, with --debian also in an empty Debian 12. The last line is
`package: N checks, N wrong`."""
import argparse
import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import book_test
import docs_test

ROOT = Path(__file__).resolve().parent.parent
EMBEDDED = r"16 steps, optimized 12\nequivalent on what was tried\n"


class Checks:
    def __init__(self, folder):
        self.folder, self.count, self.wrong = folder, 0, 0

    def run(self, words, *patterns, text=None, **environment):
        """The output; it must exit with 0 and have a match for each pattern."""
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, input=text or "",
                              env={**os.environ, **environment}, timeout=600)
        out = done.stdout + done.stderr
        missing = [p for p in patterns if not re.search(p, out)]
        self.expect(done.returncode == 0 and not missing,
                    f"{' '.join(map(str, words))}: exit {done.returncode}, no {missing}\n{out[-1500:]}")
        return done.stdout

    def expect(self, holds, what):
        self.count += 1
        if not holds:
            self.wrong += 1
            print(what)


def check_program(checks, prefix):
    sourir, share = prefix / "bin/sourir", prefix / "share"
    tiers = share / "sourir/examples/tiers.sou"
    checks.run([sourir, "run", tiers, "--jit-sync", "--tiers"], r"(?m)^compiled ")
    checks.run([sourir, "opt", share / "sourir/examples/26_assume.sou", "--pass=O2"], "function main")
    # Under a name that only the installed list has.
    programs = share / "sourir/bench/programs.json"
    programs.write_text(programs.read_text().replace('"name": "fib"', '"name": "installed"'))
    shutil.copy(programs.parent / "programs/fib.sou", programs.parent / "programs/installed.sou")
    checks.run([sourir, "bench", "--programs=installed", "--size=small", "--runs=1",
                "--engines=baseline,auto"], r"(?m)^installed +\d")
    checks.run([sourir, "course"], "10.2")
    for page in ("sourir", "sourir-run", "sourir-campaign-replay"):
        text = (share / f"man/man1/{page}.1").read_text()
        out = checks.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou"], "SYNOPSIS", text=text)
        checks.expect("warning" not in out, out)
    completion = share / "bash-completion/completions/sourir"
    checks.run(["bash", "--norc", "-c", f"source '{completion}'; COMP_LINE='sourir run --engine=n'; "
                "COMP_POINT=${#COMP_LINE}; _sourir 2>/dev/null; echo \"<${COMPREPLY[*]}>\""], "<native>")
    for file in ("zsh/site-functions/_sourir", "fish/vendor_completions.d/sourir.fish"):
        checks.expect("--engine" in (share / file).read_text().replace("-l engine", "--engine"), file)


def check_links(checks, prefix):
    pages = sorted((prefix / "share").rglob("*.md"))
    dead = docs_test.dead_links(prefix, pages)
    checks.expect(len(pages) > 50 and not dead, "\n".join([f"{len(pages)} pages", *dead]))


A_PASS = "import sourir_pass\nsourir_pass.run(lambda version: False)\n"


def check_python(checks, prefix):
    passes = checks.folder / "passes" # pip writes into it
    shutil.copytree(prefix / "share/sourir/examples/passes", passes)
    folders = [prefix / "lib/python3/dist-packages"]
    if importlib.util.find_spec("pip") and importlib.util.find_spec("setuptools"):
        checks.run([sys.executable, "-m", "pip", "install", "--no-index", "--no-build-isolation",
                    "--target", "modules", passes], "Successfully installed sourir-pass")
        folders.append(checks.folder / "modules")
    (checks.folder / "same.py").write_text(A_PASS)
    for folder in folders:
        checks.run([prefix / "bin/sourir", "opt", prefix / "share/sourir/examples/26_assume.sou",
                    f"--pass=exec:{sys.executable} same.py", "--verify-each"], "function main",
                   PYTHONPATH=str(folder))


def check_libraries(checks, prefix):
    program = prefix / "share/sourir/examples/26_assume.sou"
    example = prefix / "share/sourir/examples/embedding"
    checks.run(["cmake", "-S", example, "-B", "made", f"-DCMAKE_PREFIX_PATH={prefix}"], "Generating done")
    checks.run(["cmake", "--build", "made"], "Built target embedding")
    checks.run(["made/embedding", program], EMBEDDED)
    checks.run(["sh", "-c", f"g++ '{example}/embedding.cpp' -o by-pkg-config "
                "$(pkg-config --cflags --libs sourir)"], PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    checks.run(["./by-pkg-config", program], EMBEDDED)


def check_plugins(checks, prefix):
    """The one of the page, and one of the tests with a pass that is wrong."""
    sourir, folder = prefix / "bin/sourir", checks.folder / "plugin"
    folder.mkdir()
    page = (prefix / "share/sourir/docs/own_passes.md").read_text(encoding="utf-8")
    for name, text in book_test.FILE.findall(page):
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "tests/plugin/plugin_passes.cpp", folder)
    (folder / "zero.sou").write_text("print (7 * 0)\n", encoding="utf-8")
    checks.run(["cmake", "-S", folder, "-B", "zeros", f"-DCMAKE_PREFIX_PATH={prefix}"], "Generating done")
    checks.run(["cmake", "--build", "zeros"], "Built target zeros")
    checks.run([sourir, "opt", "plugin/zero.sou", "--pass=plugin:zeros/zeros.so", "--verify-each"],
               "verified: 1 change", r"(?m)^print 0$")
    checks.run(["sh", "-c", "g++ -shared -fPIC -fvisibility=hidden plugin/plugin_passes.cpp -o passes.so "
                "$(pkg-config --cflags sourir)"], PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))
    campaign = "campaign --programs 40 --passes plugin:passes.so:"
    checks.run([sourir, *(campaign + "unreachable").split()], "40 of 40 programs", "no counterexample")
    checks.run(["sh", "-c", f"'{sourir}' {campaign}wrong; test $? = 1"],
               "WRONG", "after plugin:passes.so:wrong")


def check_symbols(checks, prefix):
    """A plugin may call whatever the headers declare, so nothing of the libraries may be missing."""
    def symbols(kinds, *words):
        lines = checks.run(["nm", "--defined-only", *words]).splitlines()
        return {line.split()[2] for line in lines if re.match(f"[0-9a-f]+ [{kinds}] _Z", line)}
    declared = symbols("TDRB", "--extern-only", *prefix.glob("lib/libsourir_*.a"))
    missing = declared - symbols("TDRBWV", "--dynamic", prefix / "bin/sourir")
    checks.expect(len(declared) > 500 and not missing, f"not exported: {sorted(missing)[:9]}")


def check_package(checks, build):
    checks.run(["cpack", "--config", build / "CPackConfig.cmake", "-B", "packages"], "generated")
    package = next((checks.folder / "packages").glob("*.deb"))
    checks.run(["dpkg-deb", "--info", package], r"Depends: .*libc6", r"Package: sourir")
    checks.run(["dpkg-deb", "-x", package, "unpacked"])
    program = checks.folder / "unpacked/usr/bin/sourir"
    sections = checks.run(["readelf", "--sections", "--wide", program])
    checks.expect(".symtab" not in sections, "the packaged program is not stripped")
    check_program(checks, checks.folder / "unpacked/usr")
    checks.run([program, "opt", "plugin/zero.sou", "--pass=plugin:zeros/zeros.so"], r"(?m)^print 0$")


IN_DEBIAN = """set -e
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -q -y --no-install-recommends "$@" > log 2>&1 || { tail log; exit 1; }; }
apt-get update -q > /dev/null
install ./sourir*.deb man-db bash-completion
share=/usr/share/sourir
sourir run $share/examples/tiers.sou --jit-sync --tiers 2>&1
sourir opt $share/examples/26_assume.sou --pass=O2
sourir bench --programs=fib --size=small --runs=1 --engines=baseline,auto
MANPAGER=cat man sourir-run
install g++ cmake make pkg-config libfmt-dev libexpected-dev nlohmann-json3-dev libboost-graph-dev
cmake -S $share/examples/embedding -B made && cmake --build made
made/embedding $share/examples/26_assume.sou
g++ $share/examples/embedding/embedding.cpp -o other $(pkg-config --cflags --libs sourir)
./other $share/examples/26_assume.sou
"""


@contextlib.contextmanager
def mounted(source, folder):
    subprocess.run(["mount", "-t", "proc", source, folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def check_in_debian(checks):
    root = checks.folder / "debian"
    checks.run(["debootstrap", "--variant=minbase", "bookworm", root, "http://deb.debian.org/debian"])
    for package in (checks.folder / "packages").glob("*.deb"):
        shutil.copy(package, root / "root")
    with mounted("proc", root / "proc"):
        checks.run(["chroot", root, "sh", "-c", f"cd /root\n{IN_DEBIAN}"], r"(?m)^compiled ",
                   r"(?m)^function main", r"(?m)^fib +\d", "SOURIR-RUN",
                   EMBEDDED + r"(?s:.*)" + EMBEDDED)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--debian", action="store_true", help="also there; needs root, debootstrap")
    options = parser.parse_args()
    if options.debian and (os.geteuid() != 0 or shutil.which("debootstrap") is None):
        print("package: no root, or no debootstrap")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(Path(folder))
        prefix = Path(folder) / "prefix"
        checks.run(["cmake", "--install", options.build.resolve(), "--prefix", prefix])
        # No name of the source tree may be needed.
        checks.expect(shutil.which("sourir", path=prefix / "bin") is not None, "no program")
        check_program(checks, prefix)
        check_links(checks, prefix)
        check_libraries(checks, prefix)
        check_python(checks, prefix)
        check_plugins(checks, prefix)
        check_symbols(checks, prefix)
        check_package(checks, options.build.resolve())
        if options.debian:
            check_in_debian(checks)
    print(f"package: {checks.count} checks, {checks.wrong} wrong")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
