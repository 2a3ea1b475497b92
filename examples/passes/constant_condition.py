#!/usr/bin/env python3
"""A pass of your own, in any language: branches on comparisons of integer literals become gotos.

    sourir opt program.sou --pass='exec:python3 examples/passes/constant_condition.py' --remarks

It reads a program as JSON (docs/schemas/program.schema.json) and answers with
{"program": ..., "state_map": ...} (docs/schemas/state_map.schema.json). Like every pass it changes
only active versions that no exit targets, and it says how the states of its output map to those of
its input: here position by position, since it only replaces instructions.
"""
import json
import operator
import sys

COMPARE = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
           ">": operator.gt, ">=": operator.ge}


def decided(condition):
    """True, False, or None where the condition is not known."""
    if "bool" in condition:
        return condition["bool"]
    left, right = condition.get("left", {}), condition.get("right", {})
    if condition.get("binary") in COMPARE and "int" in left and "int" in right:
        return COMPARE[condition["binary"]](int(left["int"]), int(right["int"]))
    return None


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


def rewrite(version):
    """True if anything changed."""
    changed = False
    for statement in version["body"]:
        instr = statement["instr"]
        taken = decided(instr["condition"]) if instr["op"] == "branch" else None
        if taken is not None:
            target = instr["if_true"] if taken else instr["if_false"]
            statement["instr"] = {"op": "goto", "target": target}
            changed = True
    return changed


def main():
    program = json.load(sys.stdin)
    frozen = exit_targets(program)
    maps = []
    for function in program["functions"]:
        active = next((v for v in function["versions"] if "cont" not in v), None)
        if active is None or f"{function['name']}.{active['name']}" in frozen:
            continue
        if rewrite(active):
            same = {"function": function["name"], "version": active["name"]}
            maps.append({**same, "identity": same, "states": [], "pending": []})
    state_map = {"format": "sourir-state-map", "version": 1, "versions": maps}
    json.dump({"program": program, "state_map": state_map}, sys.stdout)


if __name__ == "__main__":
    main()
