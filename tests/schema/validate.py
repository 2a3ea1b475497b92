#!/usr/bin/env python3
"""Checks that the JSON forms that sourir writes obey their schemas in docs/schemas, on every
example and file test, and that the schemas and the tool refuse what is broken. The rows of
ROWS say what is written how. The last line is `schema: N documents, N failed`."""
import argparse
import copy
import json
import os
import random
import sys
import tempfile
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tool import Tool  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
SECONDS = 60

# What writes a form: the arguments ({} is the file, {out} a file to write), where the documents are
# ("stdout", "last line" of it, or "out"; "lines" of out: one a line), the exit codes with which there
# are any (None: all), and of which programs (1: of all, 3: of each third, each row beginning with
# another; --all: of all).
ANALYSES = "cfg,const,dom,exits,guards,live,loops,postdom,reach,scopes,types,contexts,effects"
Row = namedtuple("Row", "schema arguments where codes step", defaults=[3])
ROWS = [
    Row("program", ["convert", "{}", "--to=json"], "stdout", {0}, 1),
    Row("diagnostics", ["check", "--json", "{}"], "stdout", {0, 1}, 1),
    Row("outcome", ["run", "--fuel=20000", "--max-output=100000", "--report={out}", "{}"], "out", None),
    Row("outcome", ["run", "--fuel=20000", "--max-output=100000", "--jit-sync", "--tier=calls=2",
                    "--tier=iterations=2", "--why=main", "--report={out}", "{}"], "out", None),
    Row("outcome", ["run", "--fuel=20000", "--max-output=100000", "--result=json", "{}"], "last line", None),
    Row("analysis", ["analyze", "--json", "--show=" + ANALYSES, "{}"], "stdout", {0}),
    Row("optimization", ["opt", "--pass=all", "--json", "{}"], "stdout", {0}),
    Row("state_map", ["opt", "--pass=all", "--state-map={out}", "{}"], "out", {0}),
    Row("bisim", ["bisim", "--transparency", "--fuel=20000", "--json", "{}"], "stdout", {0, 1, 2}),
    Row("bisim", ["bisim", "--versions", "--fuel=20000", "--json", "{}"], "stdout", {0, 1, 2}),
    Row("reduction", ["reduce", "--check=test -e", "--json", "{}"], "stdout", {0}, 8),
    Row("tiers", ["run", "--fuel=20000", "--max-output=100000", "--jit-sync", "--tier=calls=2",
                  "--tier=iterations=2", "--why=main", "--tiers=json", "--tiers-file={out}", "{}"], "lines", None),
    Row("feedback", ["run", "--fuel=20000", "--max-output=100000", "--jit-sync", "--tier=calls=2",
                     "--tier=iterations=2", "--feedback-out={out}", "{}"], "out", {0, 67, 68}),
    Row("trace", ["run", "--fuel=25", "--trace=json", "--trace-file={out}", "{}"], "lines", None),
]


def validators():
    """By the name of the form. Schemas may refer to each other by file name."""
    schemas = {path.name: json.loads(path.read_text(encoding="utf-8"))
               for path in (ROOT / "docs/schemas").glob("*.schema.json")}
    try:
        from referencing import Registry, Resource
        registry = Registry().with_resources(
            (name, Resource.from_contents(schema)) for name, schema in schemas.items())
        options = lambda schema: {"registry": registry}
    except ImportError:
        options = lambda schema: {
            "resolver": jsonschema.RefResolver(schema["$id"], schema, store=schemas)}
    made = {}
    for name, schema in schemas.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        made[name.split(".")[0]] = jsonschema.Draft202012Validator(schema, **options(schema))
    return made


def explain(error):
    """The deepest reason, where all alternatives failed."""
    while error.context:
        error = max(error.context, key=lambda e: (len(e.absolute_path), e.validator != "const"))
    place = "/".join(str(step) for step in error.absolute_path)
    return f"/{place}: {error.message[:200]}"


class Writer:
    """The tool, which writes documents. `short`: what runs its short commands."""

    def __init__(self, program, server):
        self.tool, self.short = Tool(program), Tool(program, server)

    def run(self, arguments, text=b"", short=False):
        done = (self.short if short else self.tool).run(arguments, ROOT, text, SECONDS)
        if done.returncode < 0 or b"bug of sourir" in done.stderr:
            raise RuntimeError(f"sourir {' '.join(arguments)} crashed\n"
                               + done.stderr.decode("utf-8", "replace")[-2000:])
        return done

    def documents(self, row, path):
        """What the row's command writes about a file."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out.json"
            done = self.run([a.replace("{out}", str(out)).replace("{}", str(path))
                             for a in row.arguments], short=True)
            if row.codes is not None and done.returncode not in row.codes:
                return []
            text = (done.stdout if row.where in ("stdout", "last line") else
                    out.read_bytes() if out.exists() else b"").decode("utf-8")
        if row.where == "lines":
            return text.splitlines()
        return text.splitlines()[-1:] if row.where == "last line" else [text]


def check_written(tool, forms, files, of_all):
    """All that is written about programs. Only the tool runs in threads: validators may not."""
    problems, count = [], 0
    cases = [(row, path) for i, path in enumerate(files) for k, row in enumerate(ROWS)
             if of_all or (i + k) % row.step == 0]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (row, path), texts in zip(cases, pool.map(lambda c: tool.documents(*c), cases)):
            count += len(texts)
            for text in texts:
                error = next(iter(forms[row.schema].iter_errors(json.loads(text))), None)
                if error is not None:
                    problems.append(f"{path}: {row.schema}{explain(error)}")
                    break
    return problems, count


def check_given(tool, forms, name, given):
    """Documents that are right and wrong by hand, each judged by the schema and by the tool."""
    problems = []
    for document in given["right"]:
        for error in forms[name].iter_errors(document):
            problems.append(f"{name}: a right document is refused: {explain(error)}")
        if name in READERS and not READERS[name](tool, document):
            problems.append(f"{name}: the tool refuses a right document")
    for wrong in given["wrong"]:
        document = copy.deepcopy(given["right"][0])
        change(document, wrong["at"], wrong)
        if forms[name].is_valid(document):
            problems.append(f"{name}: the schema accepts {wrong}")
        if name in READERS and READERS[name](tool, document):
            problems.append(f"{name}: the tool accepts {wrong}")
    return problems, len(given["right"]) + len(given["wrong"])


def change(document, steps, wrong):
    """Puts wrong["put"] at the place that the steps lead to, or takes away what is there."""
    for step in steps[:-1]:
        document = document[step]
    if "put" in wrong:
        document[steps[-1]] = wrong["put"]
    else:
        del document[steps[-1]]


def accepted_by_tool(tool, document):
    text = json.dumps(document).encode()
    return tool.run(["convert", "-", "--to=json"], text, short=True).returncode == 0


HAS_PLACES = b"""
function main()
  stop
function f(var x)
version v
L:
  x <- 1
  x <- 2
  branch true $a $b
$a:
  call y = 'f(1)
  return y
$b:
  return 2
"""


def read_as_feedback(tool, document):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.json").write_text(json.dumps(document), encoding="utf-8")
        return tool.run(["opt", "--pass=all", f"--feedback={folder}/x.json", "-"],
                        HAS_PLACES).returncode == 0


def read_as_replay(tool, document):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "x.json").write_text(json.dumps(document), encoding="utf-8")
        return tool.run(["campaign", "replay", f"{folder}/x.json"]).returncode in (0, 1, 2)


# Whether the tool takes a document of a form.
READERS = {"program": accepted_by_tool, "feedback": read_as_feedback, "replay": read_as_replay}


def places(value, steps=()):
    """The ways to all parts of a document."""
    inner = (value.items() if isinstance(value, dict) else
             enumerate(value) if isinstance(value, list) else ())
    for key, part in inner:
        yield (*steps, key)
        yield from places(part, (*steps, key))


def check_agreement(tool, forms, document, rounds):
    """A changed document that the tool reads obeys the schema; so the schema is not too strict, and
    the reader not too kind. (The tool refuses more: see the description in the schema.)"""
    rng = random.Random(1)
    ways = list(places(document))
    values = [None, True, 3, -1, 1.5, "", "x", "else", "f.v.L", [], {}, ["x"], {"var": "x"},
              {"int": "1"}, {"op": "stop"}]

    cases = []
    for _ in range(rounds):
        way = rng.choice(ways)
        put = {"put": rng.choice(values)} if rng.random() < 0.7 else {}
        if rng.random() < 0.1 and isinstance(way[-1], str):
            way, put = (*way[:-1], "more"), {"put": rng.choice(values)}
        changed = copy.deepcopy(document)
        change(changed, way, put)
        cases.append((way, put, changed))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        read = list(pool.map(lambda case: accepted_by_tool(tool, case[2]), cases))
    return [f"program: the schema refuses what the tool reads: {way}: {put}"
            for (way, put, changed), reads in zip(cases, read)
            if reads and not forms["program"].is_valid(changed)], rounds


def check_passes(tool, forms):
    listed = json.loads(tool.run(["opt", "--list-passes", "--json"]).stdout)
    return [f"passes{explain(error)}" for error in forms["passes"].iter_errors(listed)], 1


def check_campaign(tool, forms):
    with tempfile.TemporaryDirectory() as folder:
        plan = ["--programs", "6", "--size", "10", "--passes", "exec:true,dce"]
        report = tool.run(["campaign", *plan, "--db", f"{folder}/x.db", "--json"]).stdout
        documents = [("campaign", report)]
        documents += [("replay", file.read_text(encoding="utf-8"))
                      for file in Path(folder).glob("x.db.failures/*.json")]
        documents += [("replay", tool.run(["campaign", "replay", "1", "--db", f"{folder}/x.db",
                                           "--json"]).stdout)]
    return [f"{form}{explain(error)}" for form, text in documents
            for error in forms[form].iter_errors(json.loads(text))], len(documents)


def check_bench(tool, forms):
    texts = [tool.run(["bench", "--programs=lcg", "--size=tiny", "--engines=auto,gcc", "--runs=2",
                       *more, "--json"]).stdout
             for more in ([], ["--set=bad=auto --fuel 9"], ["--base=auto", "--measure=cpu"])]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in zip(("old", "new"), texts):
            (Path(folder) / name).write_bytes(text)
        texts.append(tool.run(["bench", "--compare", f"{folder}/old", "--with", f"{folder}/new",
                               "--json"]).stdout)
    return [f"bench{explain(error)}" for text in texts
            for error in forms["bench"].iter_errors(json.loads(text))], len(texts)


# Without native code nothing becomes of it, and there is no line.
def check_tiers(tool, forms):
    lines = []
    for program in ("tiers", "51_redefined_while_hot", "32_chain"):
        for more in ([], ["--deopt=p:0.1:1", "--fuel=100000"], ["--tier=size=5", "--why=main"]):
            log = tool.run(["run", "--engine=auto", "--jit-sync", "--tiers=json", *more,
                            f"examples/{program}.sou"])
            lines += [line for line in log.stderr.decode("utf-8").splitlines()
                      if line.startswith("{")]
    return [f"tiers{explain(error)}" for line in lines
            for error in forms["tiers"].iter_errors(json.loads(line))], len(lines)


def check_jit(tool, forms):
    documents = [tool.run(["jit", "--json", f"--dump={dump}", *more, "examples/tiers.sou"]).stdout
                 for dump in ("asm", "asm-ir", "exits") for more in ([], ["--warm"], ["--jit-level=0"])]
    log = tool.run(["run", "--engine=auto", "--jit-sync", "--tiers=schedule",
                    "examples/tiers.sou"]).stderr.decode("utf-8").splitlines()
    found = [f"jit{explain(error)}" for text in documents if text
             for error in forms["jit"].iter_errors(json.loads(text))]
    found += [f"jit_schedule{explain(error)}" for line in log
              for error in forms["jit_schedule"].iter_errors(json.loads(line))]
    return found, len(documents) + len(log)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sourir", required=True, type=Path, help="the tool")
    parser.add_argument("--server", help="tests/command_server, which then runs short commands")
    parser.add_argument("--rounds", type=int, default=300, help="changed documents to try")
    parser.add_argument("--all", action="store_true", help="each form of each program")
    parser.add_argument("files", nargs="*", type=Path, help="programs (default: all of ours)")
    options = parser.parse_args()
    tool, forms = Writer(options.sourir.resolve(), options.server), validators()
    files = options.files or sorted([*ROOT.glob("examples/*.sou"),
                                     *ROOT.glob("tests/filetests/**/*.sou")])
    given = json.loads((HERE / "documents.json").read_text(encoding="utf-8"))
    results = [check_given(tool, forms, name, some) for name, some in given.items()]
    results.append(check_passes(tool, forms))
    results.append(check_campaign(tool, forms))
    results.append(check_bench(tool, forms))
    results.append(check_tiers(tool, forms))
    results.append(check_jit(tool, forms))
    results.append(check_agreement(tool, forms, given["program"]["right"][0], options.rounds))
    results.append(check_written(tool, forms, files, options.all))
    problems = sum((found for found, _ in results), [])
    for problem in problems:
        print(problem)
    print(f"schema: {sum(count for _, count in results)} documents, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
