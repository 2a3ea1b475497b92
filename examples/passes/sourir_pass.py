"""What every pass in Python needs: reading the program, finding out what may be changed, answering.

A pass reads a program as JSON (docs/schemas/program.schema.json) and answers with
{"program": ..., "state_map": ...} (docs/schemas/state_map.schema.json). Like every pass it changes
only active versions that no exit targets, and it says how the states of its output map to those of
its input: here position by position, so a pass may replace instructions, but not move them.
"""
import json
import sys


def exit_targets(program):
    """The versions that some exit goes to, as 'F.V'."""
    found = set()
    for function in program["functions"]:
        for version in function["versions"]:
            for statement in version["body"]:
                leave = statement["instr"].get("exit")
                if leave is not None:
                    frames = [leave["frame"], *leave.get("outer", [])]
                    found.update(".".join(f["target"].split(".")[:2]) for f in frames)
    return found


def run(rewrite):
    """Calls rewrite(version) for each version that may be changed; it says whether it changed it."""
    program = json.load(sys.stdin)
    frozen = exit_targets(program)
    maps = []
    for function in program["functions"]:
        active = next((v for v in function["versions"] if "cont" not in v), None)
        if active is None or f"{function['name']}.{active['name']}" in frozen:
            continue
        if rewrite(active):
            same = {"function": function["name"], "version": active["name"]}
            maps.append({**same, "identity": same, "states": [], "call_sites": []})
    state_map = {"format": "sourir-state-map", "version": 2, "versions": maps}
    json.dump({"program": program, "state_map": state_map}, sys.stdout)
