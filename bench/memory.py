#!/usr/bin/env python3
"""How much memory a process holds while its program makes garbage: native code that is made and
given up again and again, and trees that are forgotten. Prints the resident memory (MiB) at tenths of
the run, and the largest there was.

usage: memory.py [--sourir PATH] [--cycles N] [--seconds N] [--json]
"""
import argparse
import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Each second call of f is compiled, deoptimizes at the assume, and its code is invalidated.
CYCLES = """\
function main()
  var i = 0
  goto loop
loop:
  branch (i < CALLS) $go $end
$go:
  call r = 'f(i)
  i <- (i + 1)
  drop r
  goto loop
$end:
  print i
function f(var x)
version fast
  assume [(x is float)] else (f, base, L) [var x = x]
  return 0
version base
>L:
  return x
"""
AT_ONCE = ["--engine=auto", "--jit-sync", "--jit-level=0", "--no-osr-in", "--tier=calls=1",
           "--tier=exits=1", "--tier=invalidations=1000000000", "--stats=json"]
TREES = ["--engine=auto", "--max-heap=512M", "--stats=json"]


def resident(process):
    """MiB; None: it has ended."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return None
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found.group(1)) / 1024 if found else None


def watch(command, text, seconds):
    """(memory every 20 ms, statistics or None if it was stopped, seconds)"""
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=said, text=True)
        process.stdin.write(text)
        process.stdin.close()
        sizes = []
        while process.poll() is None and time.monotonic() - begin < seconds:
            size = resident(process)
            if size is not None:
                sizes.append(size)
            time.sleep(0.02)
        stopped = process.poll() is None
        if stopped:
            process.kill()
        process.wait()
        said.seek(0)
        text = said.read()
    took = time.monotonic() - begin
    if not stopped and process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} fails: {text}")
    return sizes, None if stopped else json.loads(text), took


def row(name, sizes, statistics, took):
    tenths = [sizes[min(len(sizes) - 1, len(sizes) * k // 10)] for k in range(1, 11)]
    counts = {key: statistics[key] for key in ("compiled", "retired", "freed", "blocks")} \
        if statistics else {}
    return {"name": name, "seconds": round(took, 1), "largest": round(max(sizes), 1),
            "tenths": [round(size, 1) for size in tenths], **counts}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", default=str(ROOT / "build/bin/sourir"))
    parser.add_argument("--cycles", type=int, default=10_000, help="of compiling and giving up")
    parser.add_argument("--seconds", type=float, default=60, help="that the trees may take")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cycles.sou"
        path.write_text(CYCLES.replace("CALLS", str(options.cycles * 2)))
        for name, more in (("as written", ["--no-speculation"]), ("optimized", [])):
            command = [options.sourir, "run", *AT_ONCE, *more, str(path)]
            rows.append(row(f"code invalidated, {name}", *watch(command, "", 600)))
    trees = [options.sourir, "run", *TREES, str(ROOT / "bench/programs/binary_trees.sou")]
    rows.append(row("binary trees of depth 20, --max-heap=512M", *watch(trees, "20\n", options.seconds)))
    if options.json:
        print(json.dumps({"format": "memory", "version": 1, "rows": rows}))
        return
    for one in rows:
        more = "".join(f", {key} {one[key]}" for key in ("compiled", "retired", "freed") if key in one)
        print(f"{one['name']}: {one['seconds']} s, at most {one['largest']} MiB{more}")
        print("  " + " ".join(f"{size:7.1f}" for size in one["tenths"]))


if __name__ == "__main__":
    main()
