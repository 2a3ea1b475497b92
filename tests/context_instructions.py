#!/usr/bin/env python3
"""The machine instructions of the entailment test of contexts (sourir/syntax/context.h), from the
object file: fewer than twenty, as in the dissertation (4.8), for the packed form, and for whole
contexts up to the call that compares constants and opaque guards."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = """
#include "sourir/syntax/context.h"
extern "C" bool packed(sourir::ContextWords a, sourir::ContextWords b) { return entails(a, b); }
extern "C" bool whole(const sourir::Context& a, const sourir::Context& b) { return entails(a, b); }
"""
LIMIT = 20
INSTRUCTION = re.compile(r"^\s+[0-9a-f]+:\s+(\S.*)$")


def instructions(compiler, folder):
    """By function: its instructions but for those that only fill up or mark a place."""
    source, unit = folder / "entails.cpp", folder / "entails.o"
    source.write_text(SOURCE)
    subprocess.run([compiler, "-std=c++20", "-O2", "-I", ROOT, "-c", source, "-o", unit], check=True)
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", unit], check=True,
                             capture_output=True, text=True).stdout
    found = {}
    for part in re.split(r"^[0-9a-f]+ <", listing, flags=re.M)[1:]:
        name, code = part.split(">:", 1)
        lines = [INSTRUCTION.match(line) for line in code.splitlines()]
        found[name] = [line[1] for line in lines
                       if line and not re.match(r"nop|endbr64|data16|cs nop|xchg +%ax,%ax", line[1])]
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cxx", default="c++", help="the compiler")
    compiler = options.parse_args().cxx
    with tempfile.TemporaryDirectory() as folder:
        found = instructions(compiler, pathlib.Path(folder))
    failed = False
    for name in ("packed", "whole"):
        code = found[name]
        print(f"{name}: {len(code)} instructions (fewer than {LIMIT} wanted)")
        print("".join(f"    {line}\n" for line in code), end="")
        failed |= not 0 < len(code) < LIMIT
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
