"""sourir jit, run --perf-map: what native code is made of, and where it lies."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from command_line import (FINE, FOUND, READS, REJECTED, ROOT, SOURIR, UNREADABLE, UNWRITABLE,
                          USAGE, CliTest)
from engines_test import has_native_code

sys.path.append(str(ROOT / "tests/schema"))
import validate  # noqa: E402

TIERS = str(ROOT / "examples/tiers.sou")
EXITS = """\
function main()
  var x = 1
  read x
  call y = 'f(x, 2, 3)
  print y
function f(var a, var b, var c)
version fast
  var d = (a + b)
  assume [(a is int), (d < 9)] else (f, base, L) [var a = a, var b = b, var d = d]
  return (d * 2)
version base
  var d = (a + b)
  drop c
>L:
  var e = (d * 2)
  return e
"""
FIRES = """\
function f(var x)
version fast
  assume [(x is int)] else (f, base, L) [var x = x]
  return (x + 1)
version base
>L:
  return 0
"""
WIDE = "".join(f"{'' if i == 0 else ', '}var a{i}" for i in range(13))

# Both loads are checked before either is executed: bailouts of both go to one place.
# One operand is a float, the other a float or an int; the sum goes into an array.
MIXED_SUM = """function main()
  array a = [1.5, 2]
  call r1 = 'add(a, 0, 2.5, 1)
  call r2 = 'add(a, 1, 2.5, 0.5)
  print a[0]
  stop
function add(var a, var i, var x, var y)
version fast
  assume [(x is float)] else (add, base, start) [var a = a, var i = i, var x = x, var y = y]
  var s = (x + y)
  a[i] <- s
  return s
version base
start:
  var s = (x + y)
  a[i] <- s
  return s
"""
TWO_LOADS = """\
function main()
  array a = [1, 2, 3, 4, 5, 6, 7, 8]
  var k = 0
  goto again
again:
  branch (k < 20000) $more $done
$more:
  call s = 'sum(a)
  drop s
  k <- (k + 1)
  goto again
$done:
  stop
function sum(var a)
  var s = 0
  var i = 1
  goto loop
loop:
  branch (i < 8) $body $end
$body:
  var j = (i - 1)
  var x = a[j]
  var y = a[i]
  s <- (s + x)
  s <- (s + y)
  drop x
  drop y
  drop j
  i <- (i + 1)
  goto loop
$end:
  return s
"""


@unittest.skipUnless(has_native_code(), "no native code in this build")
class Jit(CliTest):
    def dump(self, dump, *words, text=EXITS):
        self.write("x.sou", text)
        done = self.sourir("jit", "x.sou", f"--dump={dump}", *words)
        self.assertEqual(done.returncode, FINE, done.err)
        return done.out

    def test_the_forms(self):
        self.assertIn("assume [(a is int), (d < 9)]", self.dump("sourir", "--version=f.fast"))
        before = self.dump("llvm", "--version=f.fast")
        self.assertIn("define { i64, i64 } @f.fast(i64", before)
        self.assertIn("%d.tag = alloca i64", before)
        after = self.dump("llvm-optimized", "--version=f.fast")
        self.assertIn("define { i64, i64 } @f.fast(i64", after)
        self.assertNotIn("%d.tag = alloca", after)
        listing = self.dump("asm", "--version=f.fast")
        self.assertRegex(listing, r"(?m)^\tret")
        # Nothing for the assembler alone; the instructions beside, a constant in a table kept.
        for line in listing.splitlines():
            self.assertRegex(line, r"^#|^[\w.$@]+:$|^\t[a-z]|^\t\.(?:quad|long|byte|zero|asciz?) ?")
        for noise in (".cfi", ".loc", ".Ltmp", ".debug", ".size", ".type"):
            self.assertNotIn(noise, listing)
        self.assertRegex(listing, r"(?m)^# \+0: var d = \(a \+ b\)\n\t")
        self.assertRegex(listing, r"(?m)^# \+1: assume \[\(a is int\)")
        full = self.dump("asm-full", "--version=f.fast")
        self.assertIn(".cfi_startproc", full)
        if shutil.which("as"):
            done = subprocess.run(["as", "-o", os.devnull], input=full, text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def layers(self, text, *words):
        """Of --dump=asm-ir: for each machine instruction the sourir instruction and LLVM's ("": none)."""
        found, of, llvm = [], "", ""
        for line in self.dump("asm-ir", *words, text=text).splitlines():
            if line.startswith("# LLVM instructions without machine code"):
                break
            if line.startswith("# +"):
                of = line.partition(": ")[2]
            elif line.startswith("#     "):
                llvm = line[6:]
            elif line.startswith("#   (of no single"):
                llvm = ""
            elif re.match(r"\t[a-z]", line):
                found.append((of, llvm, line.strip().replace("\t", " ")))
        return found

    def test_llvm_instructions_between(self):
        """Each operator of the program is of one kind, and so is its machine code."""
        text = ("function main()\n  call x = 'f(1.5, 2.5, 7)\n  print x\nfunction f(var a, var b, var n)\n"
                "version v\n  assume [(a is float), (b is float), (n is int)] else (f, base, L) "
                "[var a = a, var b = b, var n = n]\n  var q = (a / b)\n  var p = (n * n)\n"
                "  var d = (q - a)\n  array r = [q, p, d]\n  return r\nversion base\n>L:\n  return nil\n")
        for flags in ([], ["--jit-level=0"]):
            layers = self.layers(text, "--version=f.v", *flags)
            for of, llvm, code in (("var q = (a / b)", "fdiv", r"v?divsd"), ("var p = (n * n)", "mul", "imul"),
                                   ("var d = (q - a)", "fsub", r"v?subsd")):
                rows = [row for row in layers if re.match(code, row[2])]
                self.assertEqual(len(rows), 1, (code, layers))
                self.assertEqual(rows[0][0], of)
                self.assertRegex(rows[0][1], rf"= {llvm}\b")
                self.assertEqual([row for row in layers if f"= {llvm} " in row[1] and row[0] != of], [])
            for _, llvm, code in layers: # conditional jumps are of branches
                if llvm and re.match(r"j(?!mp)", code):
                    self.assertRegex(llvm, r"^(br i1|switch|.* = (select|icmp|or|and|call|tail call)) ", code)

    def test_llvm_instructions_are_all_there(self):
        """Those of --dump=llvm-optimized, each once, beside its code or at the end; the code is the same."""
        def without_addresses(text):
            return re.sub(r"\d{6,}", "N", text)

        def plain(line):
            return re.sub(r" #\d+$", "", " ".join(line.partition(", !")[0].split()))

        for flags in ([], ["--jit-level=0"], ["--pass=O2"]):
            ir = without_addresses(self.dump("llvm-optimized", "--version=f.fast", *flags))
            ir = re.sub(r"\[\n([^\]]*)\n *\]", lambda m: "[ " + m[1].replace("\n", " ") + " ]", ir)
            instructions = sorted(plain(line) for line in ir.splitlines()
                                  if line.startswith("  ") and not line.startswith("   "))
            shown = without_addresses(self.dump("asm-ir", "--version=f.fast", *flags))
            beside = re.findall(r"(?m)^#     (?! )(.*)$", shown.partition("# LLVM instructions without")[0])
            rest = re.findall(r"(?m)^# (?:\+\d+)? +[\w.]+: (.*)$", shown.partition("# LLVM instructions without")[2])
            self.assertTrue(beside)
            self.assertEqual(sorted({*beside, *rest}), sorted(set(instructions)), flags)
            self.assertFalse({line for line in beside if line in rest and line.startswith("%")}, flags)
            plainly = without_addresses(self.dump("asm", "--version=f.fast", *flags))
            self.assertEqual(*([line for line in text.splitlines() if not line.startswith("#")]
                               for text in (shown, plainly)))

    def test_all_versions_or_some(self):
        named = re.compile(r"(?m)^# (\S+), entered by")
        self.assertEqual(named.findall(self.dump("asm")), ["main.anon", "f.fast", "f.base"])
        self.assertEqual(named.findall(self.dump("asm", "--version=f")), ["f.fast", "f.base"])
        self.assertEqual(named.findall(self.dump("asm", "--version=f.base")), ["f.base"])

    def test_dropped_exits(self):
        """An experiment: the run ends with a warning where it needs an exit, or goes on."""
        self.write("x.sou", "call r = 'f(1)\nprint r\ncall s = 'f(nil)\nprint s\n" + FIRES)
        for engine in ("native", "auto"):
            words = ["run", "x.sou", f"--engine={engine}", "--jit-sync", "--tier=calls=1"]
            self.assertEqual(self.says(FINE, words=words).out, "2\n0\n")
            done = self.sourir(*words, "--tier=exit-code=drop")
            self.assertEqual((done.returncode, done.out), (130, "2\n"), done.err)
            self.assertIn("has reached an exit, or a bailout, which --tier exit-code=drop has left "
                          "out", done.err)

    def test_exits(self):
        made = json.loads(self.dump("exits", "--version=f.fast", "--json"))
        self.assertEqual((made["format"], made["dump"]), ("jit", "exits"))
        [code] = made["code"]
        self.assertEqual((code["of"], code["entered_by"], code["at"]), ("f.fast", "calls", 0))
        [way] = [e for e in code["exits"] if e["kind"] == "exit"]
        self.assertEqual((way["at"], way["to"], way["slots"]), (1, ["f.base.L"], 4))
        self.assertEqual([v["name"] for v in way["values"]], ["a", "b", "c"])  # d is added up again
        self.assertEqual(len(way["values"][0]["types"]), 7)  # before the sum: any
        self.assertIn("bailout", [e["kind"] for e in code["exits"]])  # the sum may be none
        text = self.dump("exits", "--version=f.fast")
        self.assertRegex(text, r"\+1  exit +assume \[\(a is int\), \(d < 9\)\] .*\n"
                               r" +to f\.base\.L\n +with 3 of 4 values, on the stack: "
                               r"a: any, b: ")
        self.assertIn("in the frame: all 4 variables",
                      self.dump("exits", "--version=f.fast", "--jit-level=0"))

    def test_passes(self):
        def passes(*words):
            made = json.loads(self.dump("passes", "--version=f.fast", "--json", *words))
            self.assertEqual([validate.explain(e) for e in validate.validators()["jit"].iter_errors(made)], [])
            [code] = made["code"]
            return [p for p in code["passes"] if p["function"] == "f.fast"]

        plain = passes()
        self.assertEqual((plain[0]["pass"], plain[0]["number"]), ("", 0))
        self.assertIn("sroa", [p["pass"] for p in plain])
        self.assertEqual(plain, passes())  # also in another process, with other addresses
        for a, b in zip(plain, plain[1:]):
            self.assertLess(a["number"], b["number"])
            self.assertNotEqual(a["hash"], b["hash"])
        body = re.search(r"(?ms)^define [^\n]* @f\.fast\(.*?^}$", self.dump("llvm-optimized", "--version=f.fast"))[0]
        lines = [line for line in body.splitlines() if re.match(r"  \S", line)]
        self.assertEqual(plain[-1]["instructions"], len(lines))
        self.assertEqual([p["pass"] for p in passes("--jit-level=0")], [""])
        marked = passes("--markers=exact")
        self.assertEqual([(p["pass"], p["hash"]) for p in marked[:1]], [("", plain[0]["hash"])])
        self.assertIn("call void @llvm.pseudoprobe", self.dump("llvm", "--version=f.fast", "--markers=light"))
        self.assertNotIn("call void @llvm.pseudoprobe", self.dump("llvm-optimized", "--version=f.fast", "--markers=exact"))

    def test_each_level_has_its_passes(self):
        def passes(level):
            done = self.sourir("jit", "--dump=passes", "--json", TIERS, "--warm", f"--jit-level={level}")
            self.assertEqual(done.returncode, FINE, done.stderr)
            return {p["pass"] for code in json.loads(done.stdout)["code"] for p in code["passes"]}

        self.assertEqual(passes(0), {""})
        for name, first in [("sroa", 1), ("gvn", 2), ("simple-loop-unswitch", 2),
                            ("loop-simplifycfg", 3)]:
            for level in (1, 2, 3):
                self.assertEqual(name in passes(level), level >= first, (name, level))

    def test_markers_leave_branches_that_become_data(self):
        self.write("in", "20000\n")

        def selects(markers):
            done = self.sourir("jit", str(ROOT / "bench/programs/collatz.sou"), "--warm", "--input=in",
                               "--dump=llvm-optimized", f"--markers={markers}")
            self.assertEqual(done.returncode, FINE, done.err)
            loop = re.search(r"(?ms)^define [^\n]* @\"?collatz_loop\.opt[^\n]*$.*?^}$", done.out)[0]
            return re.findall(r"= select i1 .*?, i64 (%\w|-?\d)", loop)

        self.assertGreaterEqual(len(selects("none")), 2)
        self.assertGreaterEqual(len(selects("exact")), len(selects("none")))

    def test_markers_leave_guards_with_one_bailout_together(self):
        self.write("x.sou", TWO_LOADS)

        def code(markers):
            done = self.sourir("jit", "x.sou", "--warm", "--version=sum", "--dump=llvm-optimized",
                               f"--markers={markers}")
            self.assertEqual(done.returncode, FINE, done.err)
            body = re.search(r"(?ms)^define .*?^}$", done.out)[0]
            return re.sub(r"%[\w.]+|#\d+|\b\d{8,}\b|, !dbg !\d+|!\d+", "", body)

        self.assertEqual(code("light"), code("none"))
        exact, none = (code(markers).count("  br i1 ") for markers in ("exact", "none"))
        self.assertEqual(exact, none)
        self.assertGreater(none, 2)

    def test_markers_stand_in_front_with_one_anchor(self):
        self.write("x.sou", TWO_LOADS)
        done = self.sourir("jit", "x.sou", "--warm", "--version=sum", "--dump=llvm",
                           "--markers=exact")
        body = re.search(r"(?ms)^define .*?^}$", done.out)[0]
        marked = [block for block in re.split(r"\n\n", body) if "pseudoprobe" in block]
        self.assertGreater(len(marked), 3)
        for block in marked:
            self.assertEqual(block.count("@llvm.sideeffect"), 1, block)
            lines = [line for line in block.splitlines()[1:] if line.startswith("  ")
                     and " = phi " not in line and " = alloca " not in line]
            kinds = ["pseudoprobe" in line or "sideeffect" in line for line in lines]
            self.assertEqual(kinds, sorted(kinds, reverse=True), block)

    def test_markers_keep_no_branch_on_storage_or_on_an_operand(self):
        self.write("x.sou", MIXED_SUM)

        def counted(markers):
            done = self.sourir("jit", "x.sou", "--version=add.fast", "--dump=llvm-optimized",
                               f"--markers={markers}")
            self.assertEqual(done.returncode, FINE, done.err)
            body = re.search(r"(?ms)^define .*?^}$", done.out)[0]
            return [body.count(part) for part in (" switch i8 ", " fadd ", "sitofp", "  br i1 ")]

        self.assertEqual(counted("exact"), counted("none"))
        self.assertEqual(counted("none")[:3], [1, 1, 1])

    def test_after_passes(self):
        self.assertIn("f.opt, entered by calls",
                      self.dump("sourir", "--pass=fresh-version", text=EXITS.replace("fast", "opt")))

    def test_what_the_tiers_make(self):
        done = self.sourir("jit", TIERS, "--warm", "--dump=sourir", "--json")
        made = json.loads(done.out)["code"]
        self.assertIn("sum.opt", [code["of"] for code in made])
        loop = [code for code in made if code["of"] == "main_loop.opt"]
        self.assertIn("assume [", loop[0]["text"])
        done = self.sourir("jit", TIERS, "--warm", "--dump=exits", "--version=sum")
        self.assertIn("sum.opt, entered by calls\n", done.out)
        self.assertNotIn("main_loop", done.out)
        self.assertEqual(done.err, "")

    def test_a_warm_run_that_reads_or_does_nothing(self):
        self.write("x.sou", READS)
        self.write("in", "1\n2\n")
        self.says(FOUND, "the run ended early", "nothing became native code",
                  words=["jit", "x.sou", "--warm"])
        done = self.says(FOUND, words=["jit", "x.sou", "--warm", "--input", "in"])
        self.assertNotIn("early", done.err)
        self.says(FOUND, "'f.opt' did not become", words=["jit", "x.sou", "--warm",
                                                         "--version=f.opt", "--input=in"])

    def test_a_continuation_and_too_many_parameters(self):
        text = self.dump("asm", text="function main()\nversion k cont L [x]\n  return x\n"
                                     "version v\n  stop 1\n" f"function g({WIDE})\n  return 1\n")
        self.assertIn("# main.k, entered by running frames at +0", text)
        self.assertIn("# g.anon, entered by calls\nstays in the baseline: more than 12", text)

    def test_problems(self):
        self.write("x.sou", EXITS)
        self.write("bad.sou", "goto nowhere\n")
        self.says(USAGE, "there is no version 'f.fats'; did you mean f.fast?",
                  words=["jit", "x.sou", "--version=f.fats"])
        self.says(USAGE, "--dump", words=["jit", "x.sou", "--dump=ir"])
        self.says(USAGE, "--warm", words=["jit", "x.sou", "--input=y"])
        self.says(USAGE, "--pass=O2", words=["jit", "x.sou", "--assume", "f.fast.L: x != nil"])
        self.says(USAGE, "standard input", words=["jit", "-", "--warm", "--input=-"])
        self.says(USAGE, "--jit-level", words=["jit", "x.sou", "--jit-level=9"])
        self.says(REJECTED, "unknown-label", words=["jit", "bad.sou"])
        self.says(REJECTED, "exec", words=["jit", "x.sou", "--pass=exec:false"])
        self.says(UNREADABLE, "cannot read", words=["jit", "none.sou"])
        self.says(UNREADABLE, "cannot read", words=["jit", "x.sou", "--warm", "--input=none"])


@unittest.skipUnless(has_native_code(), "no native code in this build")
class PerfMap(CliTest):
    def test_the_file(self):
        process = self.start("run", TIERS, "--engine=auto", "--jit-sync", "--perf-map",
                             "--tiers=json", stdout=-1)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (FINE, b"680000.0\n"))
        path = f"/tmp/perf-{process.pid}.map"
        self.addCleanup(lambda: os.unlink(path))
        with open(path) as file:
            lines = [line.split(" ", 2) for line in file]
        made = [line for line in map(json.loads, err.splitlines()) if line["event"] == "compiled"]
        self.assertEqual([name.strip() for _, _, name in lines],
                         [m["of"] + (f"@{m['at']}" if m["loop"] or m["at"] or m["of"].endswith("_loop.opt") else "") for m in made])
        self.assertEqual([int(size, 16) for _, size, _ in lines], [m["bytes"] for m in made])
        # Code that was given up is freed, so a later line may be about the same addresses.
        for start, size, _ in lines:
            self.assertGreater(int(start, 16) * int(size, 16), 0)

    def test_problems(self):
        self.write("x.sou", "print 1\n")
        script = 'mkdir /tmp/perf-$$.map && exec "$0" run x.sou --engine=auto --perf-map'
        process = subprocess.Popen(["sh", "-c", script, SOURIR], cwd=self.folder,
                                   stderr=subprocess.PIPE)
        self.addCleanup(lambda: os.rmdir(f"/tmp/perf-{process.pid}.map"))
        self.assertIn(b".map': Is a directory", process.communicate(timeout=60)[1])
        self.assertEqual(process.returncode, UNWRITABLE)
        self.says(USAGE, "--perf-map is about native code",
                  words=["run", "x.sou", "--engine=reference", "--perf-map"])


if __name__ == "__main__":
    unittest.main()
