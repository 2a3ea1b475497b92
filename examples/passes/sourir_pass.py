"""What every pass in Python needs: reading the program, finding out what may be changed, answering.

A pass reads a program as JSON (docs/schemas/program.schema.json) and answers with
{"program": ..., "state_map": ...} (docs/schemas/state_map.schema.json). Like every pass it changes
only active versions that no exit targets, and it says how the states of its output map to those of
its input: here position by position, so a pass may replace instructions, but not move them.
"""
import contextlib
import json
import os
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


def answer_to(program, rewrite):
    """The answer of a pass that calls rewrite(version) for each version that may be changed."""
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
    return {"program": program, "state_map": state_map}


def files_of_service():
    """Further programs come from the first file, answers go to the second; None: sourir asks once."""
    try:
        requests, answers = os.environ["SOURIR_PASS_SERVE"].split(",")
        return (os.fdopen(int(requests), "r", encoding="utf-8"),
                os.fdopen(int(answers), "w", encoding="utf-8"))
    except (KeyError, ValueError, OSError):
        return None


def serve(answer):
    """Writes answer(program) for each program that sourir sends; answer returns a dictionary.

    The process stays for all programs of a campaign or a run. What the pass prints goes to standard
    error.
    """
    service = files_of_service()
    with contextlib.redirect_stdout(sys.stderr):
        first = json.dumps(answer(json.load(sys.stdin.buffer)))
        if service is not None:
            requests, answers = service
            print(first, file=answers, flush=True)
            for line in requests:
                print(json.dumps(answer(json.loads(line))), file=answers, flush=True)
            return
    print(first)


def run(rewrite):
    """Calls rewrite(version) for each version that may be changed; it says whether it changed it."""
    serve(lambda program: answer_to(program, rewrite))
