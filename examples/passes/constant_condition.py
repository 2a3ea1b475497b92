#!/usr/bin/env python3
"""A pass of your own, in any language: branches on comparisons of integer literals become gotos.

    sourir opt program.sou --pass='exec:python3 examples/passes/constant_condition.py' --remarks
"""
import operator

import sourir_pass

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


if __name__ == "__main__":
    sourir_pass.run(rewrite)
