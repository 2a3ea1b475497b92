"""Three parts of bench/events.py that time nothing: what markers change in native code, how many more instructions
are executed because of them, and whether the sampler calls the same code hot as the counts do."""
import json
import statistics
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from iterated import Failure
from profiler import suite

MARKERS = ("exact", "light")
WIDTH = 22


# --- Markers ---

def functions(options, program, markers):
    """{(version, entry, which of its codes, LLVM's name): [change by a pass]} of what the tiers compile."""
    name, path, given, _ = program
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(given), file.flush()
        done = subprocess.run([options.sourir, "jit", str(path), "--warm", "--input", file.name, "--dump=passes",
                               "--json", f"--markers={markers}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True)
    if done.returncode != 0:
        raise Failure(f"{name}: jit: {done.returncode}\n{done.stderr[:2000]}")
    seen, found = Counter(), {}
    for code in json.loads(done.stdout)["code"]:
        key = code["of"], code["at"], code["entered_by"]
        seen[key] += 1
        for change in code["passes"]:
            found.setdefault((*key, seen[key], change["function"]), []).append(change)
    return found


def responsible(a, b):
    """The pass after which the codes differ for the rest of the pipeline; None: they are the same in the end."""
    if a[-1]["hash"] == b[-1]["hash"]:
        return None
    at = {change["hash"]: i for i, change in enumerate(b)}
    common = max((i for i, change in enumerate(a) if change["hash"] in at), default=None)
    if common is None:
        return "lowering"
    following = a[common + 1:common + 2] + b[at[a[common]["hash"]] + 1:][:1]
    return min(following, key=lambda change: change["number"])["pass"]


def markers_table(options):
    """{program: {markers: {functions, different: {LLVM's name of a function: pass}, instructions: [without, with]}}}"""
    print(f"\n--- markers: functions of LLVM whose optimized code differs, without the markers, from that of a run "
          f"without them\n\n{'':<{WIDTH}}{'functions':>10}" + "".join(f"{m:>8}" for m in MARKERS) + "  by the pass")
    results = {}
    for program in suite(options):
        plain = functions(options, program, "none")
        results[program[0]] = row = {}
        for markers in MARKERS:
            marked = functions(options, program, markers)
            if marked.keys() != plain.keys():
                raise Failure(f"{program[0]}: with markers the tiers compile other versions")
            differ = {"/".join(map(str, key)): responsible(plain[key], marked[key]) for key in plain}
            row[markers] = {"functions": len(plain), "different": {k: p for k, p in differ.items() if p},
                            "instructions": [sum(code[-1]["instructions"] for code in of.values())
                                             for of in (plain, marked)]}
        passes = {m: Counter(row[m]["different"].values()) for m in MARKERS}
        print(f"{program[0]:<{WIDTH}}{len(plain):>10}" + "".join(f"{passes[m].total():>8}" for m in MARKERS)
              + "  " + "; ".join(f"{m}: " + ", ".join(f"{name} {n}" for name, n in passes[m].most_common())
                                 for m in MARKERS if passes[m]), flush=True)
    for markers in MARKERS:
        rows = [row[markers] for row in results.values()]
        total = Counter(name for row in rows for name in row["different"].values())
        without, marked = (sum(row["instructions"][i] for row in rows) for i in (0, 1))
        print(f"{markers}: {total.total()} of {sum(row['functions'] for row in rows)} functions: "
              + (", ".join(f"{name} {n}" for name, n in total.most_common()) or "none")
              + f"; {marked} instructions of LLVM, without markers {without}")
    return results


# --- Instructions executed ---

def report(options, program, *flags):
    """The report of `profile` as JSON."""
    name, path, given, _ = program
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report"
        done = subprocess.run([options.sourir, "profile", str(path), "--jit-sync", "--json", "-o", str(file), *flags],
                              input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode not in range(64):
            raise Failure(f"{name}: profile: {done.returncode}\n{done.stderr[:2000]}")
        return json.loads(file.read_text())


def executed(options, program, events):
    """{event of the phase llvm: how often native code executed it}"""
    return {event: of["native"] for event, of in report(options, program, "--events", events)["events"].items()
            if event.startswith("llvm-")}


def executed_table(options):
    """{program: {event: [without markers, with them]}}. Events of the phase llvm need no markers for themselves."""
    print(f"\n--- executed: instructions of LLVM that native code executes, before branches become data again\n\n"
          f"{'':<{WIDTH}}{'without markers':>18}{'with / without':>18}{'branches':>12}")
    results, ratios = {}, []
    for program in suite(options):
        plain, marked = (executed(options, program, events) for events in ("llvm", "all"))
        results[program[0]] = {event: [plain.get(event, 0), marked.get(event, 0)] for event in plain | marked}
        instructions, branches = (results[program[0]].get(event, [0, 0])
                                  for event in ("llvm-instruction", "llvm-branch"))
        if not instructions[0]:
            raise Failure(f"{program[0]}: no native code ran")
        ratios.append(instructions[1] / instructions[0])
        more = f"{branches[1] / branches[0]:.3f}" if branches[0] else "-"
        print(f"{program[0]:<{WIDTH}}{instructions[0]:>18}{ratios[-1]:>18.4f}{more:>12}", flush=True)
    print(f"geometric mean {statistics.geometric_mean(ratios):.4f}; within 0.1 % of without: "
          f"{sum(abs(r - 1) <= 0.001 for r in ratios)} of {len(ratios)}")
    return results


# --- The sampler ---

def without_number(name):
    return name.split("#")[0]


def ranks(values):
    """From 1 on; equal values have the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(v) + (ordered.count(v) + 1) / 2 for v in values]


def rank_correlation(a, b):
    """Spearman's; None: one of them is constant."""
    if len(set(a)) < 2 or len(set(b)) < 2:
        return None
    return statistics.correlation(ranks(a), ranks(b))


def shares(weights, names):
    total = sum(weights.values())
    return [weights[name] / total if total else 0 for name in names]


def sampler_table(options):
    """{program: {samples, counts, correlation}}, and "all" with the correlation of all shares."""
    print(f"\n--- sampler: samples in the code of a version, and LLVM instructions that it executed\n\n{'':<{WIDTH}}"
          f"{'versions':>9}{'samples':>9}{'correlation':>12}  hottest by samples, by counts")
    results, sampled_shares, counted_shares = {}, [], []
    for program in suite(options):
        sampled, counted = Counter(), Counter()
        for code in report(options, program, "--sample-only", "--profile-period=500000", "--profile-limit=50")["code"]:
            sampled[without_number(code["name"])] += code["samples"]
        for group in report(options, program, "--events=llvm-instruction", "--by=version")["groups"]:
            counted[without_number(group["name"])] += group["counts"].get("llvm-instruction", {"native": 0})["native"]
        names = sorted(name for name in sampled | counted if sampled[name] or counted[name])
        if not names:
            raise Failure(f"{program[0]}: no native code ran: it needs a larger --size")
        samples, counts = [sampled[n] for n in names], [counted[n] for n in names]
        correlation = rank_correlation(samples, counts)
        sampled_shares += shares(sampled, names)
        counted_shares += shares(counted, names)
        hottest = [max(names, key=lambda n, of=of: of[n]) for of in (sampled, counted)]
        results[program[0]] = {"samples": dict(sampled), "counts": dict(counted), "correlation": correlation,
                               "hottest": hottest}
        print(f"{program[0]:<{WIDTH}}{len(names):>9}{sum(samples):>9}"
              f"{'-' if correlation is None else format(correlation, '.2f'):>12}  "
              + (hottest[0] if hottest[0] == hottest[1] else ", ".join(hottest)), flush=True)
    whole = rank_correlation(sampled_shares, counted_shares)
    agree = sum(row["hottest"][0] == row["hottest"][1] for row in results.values())
    print(f"shares of all {len(sampled_shares)} versions: {'-' if whole is None else format(whole, '.2f')}; the hottest "
          f"is the same in {agree} of {len(results)} programs")
    return {"programs": results, "correlation": whole, "same_hottest": agree}
