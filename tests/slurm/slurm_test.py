#!/usr/bin/env python3
"""A campaign as an array of jobs of a real Slurm (cluster.sh: two nodes on this machine). One node
dies in the middle, with all that runs on it; its shards run again on the other. The merged report
must be what one process reports, byte for byte.

usage: slurm_test.py --sourir PATH      exits with 77 where there is no root or no Slurm
"""
import argparse
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARDS = 4
CAMPAIGN = ["--programs", "2000", "--batch", "20", "--seed", "5"]
SECONDS = 600


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, **more)


def must(*words, **more):
    done = run(*words, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


def wait_for(what, question):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        answer = question()
        if answer:
            return answer
        time.sleep(0.2)
    raise RuntimeError(f"{what}: not in {SECONDS} s\n" + run("squeue").stdout)


def batches(file):
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT count(*) FROM batches").fetchone()[0]
    except sqlite3.Error:
        return 0


def running(job):
    """(shard, node) of the tasks of an array that run."""
    rows = run("squeue", "-h", "-r", "-j", job, "-t", "R", "-o", "%K %N").stdout.split("\n")
    return [tuple(row.split()) for row in rows if len(row.split()) == 2]


def of_node(pid, node):
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return (f"SLURMD_NODENAME={node}".encode() in environment
            and f"SLURM_CONF={os.environ['SLURM_CONF']}".encode() in environment)


def parent(pid):
    try:
        return int(re.search(r"PPid:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())[1])
    except OSError:
        return 0


def kill_node(folder, node):
    """What a host does when it loses its power: everything on it ends at once. Those come first
    that could still say that the others have ended: the daemons of the node and of its jobs."""
    workers = [int(p.name) for p in Path("/proc").iterdir()
               if p.name.isdigit() and of_node(p.name, node)]
    daemons = {parent(pid) for pid in workers} - set(workers) - {0, 1, os.getpid()}
    daemons.add(int((folder / f"slurmd-{node}.pid").read_text()))
    for pid in [*daemons, *workers]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return len(daemons), len(workers)


def test(sourir, folder):
    work = folder / "work"
    work.mkdir()
    whole = run(sourir, "campaign", *CAMPAIGN).stdout
    script = must(sourir, "campaign", "slurm", *CAMPAIGN, "--shards", str(SHARDS), "--db", "c.db",
                  cwd=work)
    (work / "c.sh").write_text(script)
    said = must("bash", "c.sh", cwd=work)
    array, merge = re.findall(r"job (\d+)", said)
    print(said, end="")

    def in_the_middle():
        return [(shard, node) for shard, node in running(array)
                if batches(work / f"c.db.{shard}-of-{SHARDS}.part") > 0]
    shard, node = wait_for("a shard in the middle", in_the_middle)[0]
    there = batches(work / f"c.db.{shard}-of-{SHARDS}.part")
    daemons, count = kill_node(folder / "slurm", node)
    print(f"killed {node} ({daemons} daemons, {count} processes) when shard {shard} had {there} batches")
    if (work / f"c.db.{shard}-of-{SHARDS}").exists():
        raise RuntimeError("the shard was complete before its node was killed")
    wait_for("the end of the jobs",
             lambda: not run("squeue", "-h", "-j", f"{array},{merge}").stdout.strip())
    restarts = re.findall(r"Restarts=(\d+)", must("scontrol", "show", "job", array))
    print("restarts of the shards:", " ".join(restarts))
    if sum(map(int, restarts)) == 0:
        raise RuntimeError("no shard ran again")
    report = (work / "c.db.txt").read_text()
    if report != whole:
        (folder / "whole.txt").write_text(whole)
        raise RuntimeError("the merged report is another one\n" + run(
            "diff", str(folder / "whole.txt"), str(work / "c.db.txt")).stdout)
    print(f"the merged report of {SHARDS} shards is that of one process")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", required=True)
    sourir = str(Path(parser.parse_args().sourir).resolve())
    with tempfile.TemporaryDirectory(prefix="slurm-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        started = run(str(HERE / "cluster.sh"), "start", str(folder / "slurm"))
        try:
            if started.returncode != 0:
                print(started.stderr, end="")
                return started.returncode
            os.environ["SLURM_CONF"] = str(folder / "slurm/slurm.conf")
            test(sourir, folder)
        except RuntimeError as error:
            print(error)
            for log in sorted((folder / "slurm/log").glob("*.log")):
                print(f"--- {log.name}\n" + log.read_text(errors="replace")[-3000:])
            for out in sorted((folder / "work").glob("slurm-*.out")):
                print(f"--- {out.name}\n" + out.read_text(errors="replace")[-2000:])
            return 1
        finally:
            run(str(HERE / "cluster.sh"), "stop", str(folder / "slurm"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
