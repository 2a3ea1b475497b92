"""What every pass in Python needs: reading the program, finding out what may be changed, answering.

A pass reads a program as JSON (docs/schemas/program.schema.json) and answers with
{"program": ..., "state_map": ...} (docs/schemas/state_map.schema.json). Like every pass it changes
only active versions that no exit targets, and it says how the states of its output map to those of
its input: run() position by position, for passes that replace instructions; run_edits() also where
instructions were inserted or removed.
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


def versions_to_change(program):
    """The versions that a pass may change, each behind its function."""
    frozen = exit_targets(program)
    for function in program["functions"]:
        active = next((v for v in function["versions"] if "cont" not in v), None)
        if active is not None and f"{function['name']}.{active['name']}" not in frozen:
            yield function, active


def answer_of(program, maps):
    state_map = {"format": "sourir-state-map", "version": 2, "versions": maps}
    return {"program": program, "state_map": state_map}


def answer_to(program, rewrite):
    """The answer of a pass that calls rewrite(version) for each version that may be changed."""
    maps = []
    for function, active in versions_to_change(program):
        if rewrite(active):
            same = {"function": function["name"], "version": active["name"]}
            maps.append({**same, "identity": same, "states": [], "call_sites": []})
    return answer_of(program, maps)


def words_in(node):
    """All strings of a part of a program."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for part in node.values() if isinstance(node, dict) else node:
            yield from words_in(part)


def scopes_of(function, version):
    """The names of the variables in scope at each position of a version, and at its end; None where
    control does not come. Versions that may be changed are entered at their start only."""
    body = version["body"]
    labels = {label: at for at, statement in enumerate(body) for label in statement.get("labels", [])}
    labels.update((label, len(body)) for label in version.get("end", {}).get("labels", []))
    scopes = [None] * (len(body) + 1)
    reached = [(0, list(function["params"]))]
    while reached:
        at, scope = reached.pop()
        if scopes[at] is not None:
            continue
        scopes[at] = scope
        if at == len(body):
            continue
        instr = body[at]["instr"]
        if instr["op"] in ("var", "array", "array_of"):
            scope = [*scope, instr["name"]]
        elif instr["op"] == "call":
            scope = [*scope, instr["result"]]
        elif instr["op"] == "drop":
            scope = [name for name in scope if name != instr["name"]]
        if instr["op"] == "branch":
            reached += [(labels[instr["if_true"]], scope), (labels[instr["if_false"]], scope)]
        elif instr["op"] == "goto":
            reached.append((labels[instr["target"]], scope))
        elif instr["op"] not in ("return", "stop"):
            reached.append((at + 1, scope))
    return scopes


class Edit:
    """Changes to the body of a version, from which its state map is made.

    Positions are those of version["body"], which stays as it is until all is done. An instruction
    that is inserted stands for a state of the input: before(at, ...) for that at position `at`,
    after(at, ...) for that at the next one. So it may declare, compute and drop variables of its own;
    what the input sees must be the same.
    """

    def __init__(self, function, version):
        self._function, self._version = function, version
        self._words = set(words_in(function))
        self._before, self._after, self._now = {}, {}, {}

    def fresh(self, name):
        """A name for a variable that the function does not have yet."""
        found = next(f"{name}{n}" for n in range(len(self._words) + 1)
                     if f"{name}{n}" not in self._words)
        self._words.add(found)
        return found

    def before(self, at, instr):
        """Inserts an instruction in front, behind what was inserted there already."""
        self._check(at)
        self._before.setdefault(at, []).append(instr)

    def after(self, at, instr):
        self._check(at)
        if self._version["body"][at]["instr"]["op"] in ("branch", "goto", "return", "stop"):
            raise ValueError(f"nothing is executed right after the instruction at {at}")
        self._after.setdefault(at, []).append(instr)

    def replace(self, at, instr):
        self._check(at)
        self._now[at] = instr

    def remove(self, at):
        self._check(at)
        self._now[at] = None

    def _check(self, at):
        count = len(self._version["body"])
        if not 0 <= at < count:
            raise ValueError(f"the body has no position {at}: they go from 0 to {count - 1}")

    def changed(self):
        return bool(self._before or self._after or self._now)

    def apply(self):
        """Changes the version; returns its part of the state map."""
        body, made, waiting, origins, notes = self._version["body"], [], [], [], []
        for at, statement in enumerate(body):
            now = self._now.get(at, statement["instr"])
            parts = [(at, instr) for instr in self._before.get(at, [])]
            parts += [(at, now)] if now is not None else []
            places = range(len(made), len(made) + max(len(parts), 1))
            notes += [(places, note) for note in statement.get("scopes", [])]
            parts += [(at + 1, instr) for instr in self._after.get(at, [])]
            kept = ("labels", "comments") if parts else ("labels",)
            waiting.append({key: value for key, value in statement.items() if key in kept})
            for origin, instr in parts:
                made.append({**_joined(waiting), "instr": instr})
                origins.append(origin)
                waiting = []
        end = {key: value for key, value in self._version.get("end", {}).items() if key != "spans"}
        notes += [((len(made),), note) for note in end.pop("scopes", [])]
        end = _joined([*waiting, end])
        scopes = scopes_of(self._function, self._version)
        self._version.update(body=made, end=end)
        self._annotate(notes)
        return self._map([*origins, len(body)], scopes)

    def _annotate(self, notes):
        """Puts each annotation at the first of its places where it holds; nowhere if there is none."""
        scopes = scopes_of(self._function, self._version)
        parts = [*self._version["body"], self._version["end"]]
        for places, note in notes:
            at = next((at for at in places if _holds(note, scopes[at])), None)
            if at is not None:
                parts[at].setdefault("scopes", []).append(note)
        if not self._version["end"]:
            del self._version["end"]

    def _map(self, origins, scopes):
        same = {"function": self._function["name"], "version": self._version["name"]}
        place = f"{same['function']}.{same['version']}"
        body = self._version["body"]

        def frame(at, names):
            varmap = [{"name": name, "value": {"var": name}} for name in names]
            return {"target": f"{place}+{at}", "varmap": varmap}

        states, call_sites = [], []
        for at, origin in enumerate(origins):
            if at == origin or scopes[origin] is None:
                continue
            states.append({"at": at, "exit": {"frame": frame(origin, scopes[origin])}})
            if at < len(body) and body[at]["instr"]["op"] == "call":
                call_sites.append({"at": at, "frames": [
                    {**frame(origin + 1, scopes[origin]), "result": body[at]["instr"]["result"]}]})
        return {**same, "identity": same, "states": states, "call_sites": call_sites}


def _holds(note, scope):
    names = set(note["names"])
    return scope is None or (names <= set(scope) if note.get("open") else names == set(scope))


def _joined(parts):
    """The labels and comments of instructions, in front of one."""
    found = {}
    for part in parts:
        labels = len(found.get("labels", [])) # a comment's slot is the number of its label
        for key, value in part.items():
            if key == "comments":
                value = [{**comment, "slot": comment.get("slot", 0) + labels} for comment in value]
            found[key] = found.get(key, []) + value
    return found


def answer_to_edits(program, rewrite):
    """The answer of a pass that calls rewrite(version, edit) for each version that may be changed."""
    maps = []
    for function, active in versions_to_change(program):
        edit = Edit(function, active)
        rewrite(active, edit)
        if edit.changed():
            maps.append(edit.apply())
    return answer_of(program, maps)


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


def run_edits(rewrite):
    """Calls rewrite(version, edit) for each version that may be changed; `edit` is an Edit."""
    serve(lambda program: answer_to_edits(program, rewrite))
