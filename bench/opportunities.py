"""What native code meets against what it was made for: figure 5 of Flückiger et al. 2020.

The paper changed its compiler to record every boxed value. Here a sample is taken at the end of
every round and call (--profile=loop --profile-period=1), of each value whose kind native code does
not know, and nothing comes of it (--sample-only)."""
import json
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_ALL = ["--trigger=loop", "--profile-period=1", "--sample-only", "--jit-sync", "--json",
              "--profile-max-samples=1000000000000"]
KINDS_OF_SLOTS = ("narrower", "changed", "optimizable")


def compare(sampled, used):
    """What a slot counts as: some of KINDS_OF_SLOTS. Of use to the compiler is one kind alone, unless
    it is that of arrays in any storage. Where nothing was sampled, or the baseline never came, there
    is nothing to compare."""
    sampled, used = set(sampled), set(used)
    if not sampled or not used or sampled == used:
        return set()
    return {"narrower" if sampled < used else "changed"} | (
        {"optimizable"} if len(sampled) == 1 and sampled != {"any[]"} else set())


def phases(report):
    """{"warmup": slots of code that other code took the place of, "stable": of the last}."""
    pieces = {}  # of a function or loop, by number
    for code in report["code"]:
        name, _, number = code["name"].partition("#")
        pieces.setdefault(name, {})[int(number)] = code["slots"]
    found = {"warmup": [], "stable": []}
    for by_number in pieces.values():
        for number, slots in by_number.items():
            found["stable" if number == max(by_number) else "warmup"] += slots
    return found


def counts(report):
    """{phase: {kind of slot: how many}}; `met` is how many slots have held anything."""
    found = {}
    for phase, slots in phases(report).items():
        of_slots = [compare(slot["samples"], slot["used"]) for slot in slots]
        found[phase] = {kind: sum(kind in c for c in of_slots) for kind in KINDS_OF_SLOTS}
        found[phase]["met"] = sum(bool(slot["samples"]) for slot in slots)
    return found


def report(sourir, path, given, *flags):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        done = subprocess.run([sourir, "profile", str(path), *SAMPLE_ALL, *flags, "-o", str(file)],
                              input=given, capture_output=True, text=True, check=False)
        if done.returncode not in range(0, 64):
            raise RuntimeError(f"{path}: {done.returncode}\n{done.stderr[:2000]}")
        return json.loads(file.read_text())


def programs(wanted, size):
    """(name, path, input, flags): those of bench/ and of examples/profiler."""
    rows = json.loads((ROOT / "bench/programs.json").read_text())["programs"]
    found = [(row["name"], ROOT / f"bench/programs/{row['name']}.sou",
              f"{row['sizes'][size]['n']}\n", []) for row in rows]
    for path in sorted((ROOT / "examples/profiler").glob("*.sou")):
        flags = re.findall(r"--tier=feedback-resets=\d+", path.read_text().split("\nfunction")[0])
        found.append((f"profiler/{path.stem}", path, "", flags[:1]))
    return [p for p in found if not wanted or p[0] in wanted]


def opportunities(options):
    rows = {}
    print(f"{'slots that are':<26}{'warmup':>27}{'stable':>36}\n{'':<24}" +
          2 * "     met narrower changed optimiz.")
    for name, path, given, flags in programs(options.programs, options.size):
        rows[name] = found = counts(report(options.sourir, path, given, *flags))
        cells = [found[phase][kind] for phase in ("warmup", "stable")
                 for kind in ("met", *KINDS_OF_SLOTS)]
        print(f"{name:<24}" + "".join(f"{cell:>8}" if i % 4 != 1 else f"{cell:>9}"
                                      for i, cell in enumerate(cells)), flush=True)
    for phase, paper in (("warmup", "4, 21, 13"), ("stable", "0.6, 6, 3.5")):
        means = [statistics.mean(row[phase][kind] for row in rows.values())
                 for kind in KINDS_OF_SLOTS]
        print(f"{phase}: narrower, changed, optimizable: mean " +
              ", ".join(f"{mean:.1f}" for mean in means) + f" (paper {paper}), median " +
              ", ".join(f"{statistics.median(r[phase][k] for r in rows.values()):g}"
                        for k in KINDS_OF_SLOTS))
    some = sum(any(row[phase]["narrower"] for phase in row) for row in rows.values())
    print(f"{some} of {len(rows)} programs have code that met less than it was made for "
          "(paper: 36 of 46)")
    return rows
