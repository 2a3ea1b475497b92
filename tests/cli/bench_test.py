"""bench: answers are checked, who is missing is said, what is measured comes out in every form."""
import json
import os
import signal
import statistics
import time
import unittest
import xml.etree.ElementTree

from command_line import (ENVIRONMENT, FINE, FOUND, INTERRUPTED, UNREADABLE, UNWRITABLE, USAGE,
                          CliTest)
from engines_test import has_native_code

# Programs in a folder of the test's own: each prints the double of what it reads.
DOUBLE = "var n\nread n\nprint (n + n)\n"
SLOW = "var n\nread n\nLoop:\n  goto Loop\n"
STUCK = "var n\nread n\nprint n[0]\n"
C = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) " \
    "{ (void)c; printf(\"%d\\n\", 2 * atoi(v[1])); return 0; }\n"
# Stands for Lua: any program takes part that has the name.
FAKE_LUA = "#!/bin/sh\ncase $1 in -v) echo fake lua;; *) echo $(($2 * 2));; esac\n"


class BenchFolder(CliTest):
    """With a benchmark folder of its own."""
    def setUp(self):
        super().setUp()
        self.programs = []
        (self.folder / "bench/programs").mkdir(parents=True)
        (self.folder / "bench/peers").mkdir()
        (self.folder / "bin").mkdir()

    def program(self, name, text, answer="8", c=C):
        sizes = {size: {"n": 4, "answer": answer} for size in ("tiny", "small", "full")}
        self.programs.append({"name": name, "about": "", "sizes": sizes})
        self.write("bench/programs.json", json.dumps({"programs": self.programs}))
        self.write(f"bench/programs/{name}.sou", text)
        self.write(f"bench/peers/{name}.c", c)
        self.write(f"bench/peers/{name}.lua", "")

    def fake(self, name, text):
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)
        return dict(ENVIRONMENT, PATH=f"{self.folder}/bin:{os.environ['PATH']}")

    def bench(self, status, *more, **environment):
        return self.says(status, words=["bench", "--runs=2", "--size=tiny", *more], **environment)

    def results(self, status, *more, **environment):
        done = self.bench(status, "--json", *more, **environment)
        return json.loads(done.out)

    def cells(self, results):
        return {(program["name"], cell["competitor"]): cell
                for program in results["programs"] for cell in program["results"]}


class Bench(BenchFolder):
    def test_table(self):
        self.program("double", DOUBLE)
        env = self.fake("lua5.4", FAKE_LUA)
        done = self.bench(FINE, "--engines=reference,lua5.4", "--base=lua5.4", env=env)
        self.assertRegex(done.out, r"(?m)^wall time +lua5\.4 +reference$")
        self.assertRegex(done.out, r"(?m)^double +[\d.]+ ms~? +[\d.]+ ms~?$")
        self.assertRegex(done.out, r"(?m)^ratio to lua5\.4 +lua5\.4 +reference$")
        self.assertRegex(done.out, r"(?m)^geometric mean +1\.00 +[\d.]+$")
        self.assertIn("1 of 1: double", done.err)

    def test_json(self):
        self.program("double", DOUBLE)
        self.program("again", DOUBLE)
        results = self.results(FINE, "--engines=reference", "--base=reference", "--warmup=0")
        self.assertEqual([p["name"] for p in results["programs"]], ["double", "again"])
        cell = self.cells(results)["again", "reference"]
        self.assertEqual((len(cell["wall"]), len(cell["cpu"]), cell["ratio"]), (2, 2, 1))
        self.assertAlmostEqual(cell["median"], sum(cell["wall"]) / 2)
        self.assertGreater(cell["memory"], 1 << 20)
        self.assertEqual(results["geometric_means"],
                         [{"competitor": "reference", "contender": "reference", "ratio": 1,
                           "programs": 2}])

    def test_medians_and_means(self):
        for name in ("a", "b", "c"):
            self.program(name, DOUBLE)
        env = self.fake("lua5.4", FAKE_LUA.replace("*)", "*) sleep 0.0$2;"))
        results = self.results(FINE, "--engines=lua5.4,reference", "--base=reference", "--runs=3",
                               env=env)
        cells, ratios = self.cells(results), []
        for name in ("a", "b", "c"):
            here, base = cells[name, "lua5.4"], cells[name, "reference"]
            self.assertEqual(here["median"], statistics.median(here["wall"]))
            self.assertAlmostEqual(here["ratio"], here["median"] / base["median"])
            ratios.append(here["ratio"])
        mean = next(m for m in results["geometric_means"] if m["competitor"] == "lua5.4")
        self.assertAlmostEqual(mean["ratio"], statistics.geometric_mean(ratios))
        self.assertEqual(mean["programs"], 3)

    def test_a_peer_may_have_its_own_source(self):
        self.program("double", DOUBLE)
        self.write("bench/peers/double.luajit.lua", "")
        env = self.fake("luajit", "#!/bin/sh\ncase $1 in *.luajit.lua) echo 8;; *) echo x;; esac\n")
        cells = self.cells(self.results(FINE, "--engines=luajit,reference", env=env))
        self.assertEqual(cells["double", "luajit"]["outcome"], "fine")

    def test_times_are_those_of_the_process(self):
        self.program("double", DOUBLE)
        env = self.fake("lua5.4", FAKE_LUA.replace("*)", "*) sleep 0.3;"))
        cell = self.cells(self.results(FINE, "--engines=lua5.4", env=env))["double", "lua5.4"]
        for wall, cpu in zip(cell["wall"], cell["cpu"]):
            self.assertGreaterEqual(wall, 0.3)
            self.assertLess(cpu, 0.2)

    def test_wrong_answer(self):
        self.program("right", DOUBLE)
        self.program("wrong", DOUBLE, answer="9")
        done = self.bench(FOUND, "--engines=reference", "--base=reference")
        self.assertIn("wrong: wrong: reference: it printed 8, right is 9", done.out)
        self.assertIn("there are wrong answers or failures", done.err)
        self.assertRegex(done.out, r"(?m)^right +[\d.]+ ms")
        self.assertRegex(done.out, r"(?m)^of programs +1$")

    def test_an_engine_prints_a_float_exactly_a_peer_the_same_number(self):
        self.program("half", "var n\nread n\nprint (n / 8.0)\n", answer="0.5")
        env = self.fake("lua5.4", FAKE_LUA.replace("echo $((", "echo 5e-1 #"))
        self.assertEqual({c["outcome"] for c in self.cells(self.results(
            FINE, "--engines=lua5.4,reference", env=env)).values()}, {"fine"})
        self.program("whole", DOUBLE, answer="8.0")
        env = self.fake("lua5.4", FAKE_LUA)
        found = self.cells(self.results(FOUND, "--engines=lua5.4,reference", "--programs=whole",
                                        env=env))
        self.assertEqual(found["whole", "lua5.4"]["outcome"], "fine")
        self.assertEqual(found["whole", "reference"]["outcome"], "wrong")

    def test_failures(self):
        self.program("stuck", STUCK)
        self.program("crash", DOUBLE)
        env = self.fake("lua5.4", FAKE_LUA.replace("*)", "*) kill -SEGV $$;"))
        done = self.bench(FOUND, "--engines=lua5.4,reference", env=env)
        self.assertIn("failed: crash: lua5.4: it was ended by signal 11", done.out)
        self.assertIn("failed: stuck: reference: it exited with 67: error[wrong-type]", done.out)

    def test_timeout_is_no_failure(self):
        self.program("slow", SLOW)
        cell = self.cells(self.results(FINE, "--engines=reference", "--timeout=1"))
        self.assertEqual(cell["slow", "reference"]["outcome"], "timeout")
        self.assertNotIn("median", cell["slow", "reference"])
        self.assertIn("it took more than 1 s (--timeout)", cell["slow", "reference"]["detail"])

    def test_timeout_is_for_each_iteration(self):
        self.program("double", DOUBLE)
        one_of_them = "while read n; do sleep %s; echo $((n * 2)); done"
        for sleep, outcome in (("0.5", "fine"), ("1.7", "timeout")):
            env = self.fake("lua5.4", FAKE_LUA.replace("echo $(($2 * 2))", one_of_them % sleep))
            cell = self.cells(self.results(FINE, "--engines=lua5.4", "--runs=1", "--iterations=3",
                                           "--warmup=0", "--timeout=1", env=env))["double", "lua5.4"]
            self.assertEqual(cell["outcome"], outcome)
        self.assertIn("it took more than 3 s (--timeout) (after 1 of 3 iterations in one process)",
                      cell["detail"])

    def test_who_is_missing_is_said(self):
        self.program("double", DOUBLE)
        nobody = dict(ENVIRONMENT, PATH=str(self.folder / "bin"))
        done = self.bench(FINE, "--engines=reference,gcc,luajit", env=nobody)
        for name in ("gcc", "luajit"):
            self.assertIn(f"{name}: left out, it did not start: No such file", done.out)
        self.assertIn("no ratios: gcc does not take part", done.out)
        self.says(USAGE, "nobody is left to measure", "luajit: left out",
                  words=["bench", "--engines=luajit"], env=nobody)

    def test_the_reference_is_slow(self):
        self.program("double", DOUBLE)
        env = dict(self.fake("lua5.4", FAKE_LUA), PATH=str(self.folder / "bin"))
        done = self.says(FINE, words=["bench", "--runs=1", "--json"], env=env)
        results = json.loads(done.out)
        self.assertNotIn("reference", [c["name"] for c in results["competitors"]])
        self.assertTrue(any(note.startswith("reference: left out") for note in results["notes"]))

    def test_variants(self):
        self.program("double", DOUBLE)
        results = self.results(FINE, "--engines=reference", "--set=short=reference --fuel 9",
                               "--set", "opt=reference --pass=O1", "--base=reference")
        self.assertEqual([c["name"] for c in results["competitors"]], ["reference", "short", "opt"])
        self.assertEqual(results["competitors"][2]["command"][-1], "--pass=O1")
        results = self.results(FOUND, "--engines=reference", "--set=short=reference --fuel 2")
        self.assertEqual(self.cells(results)["double", "short"]["outcome"], "failed")
        results = self.results(FINE, "--engines=reference", "--set=odd=reference --no-such-flag")
        self.assertIn("odd: left out, it exited with 64", results["notes"][0])

    def test_compiler(self):
        self.program("double", DOUBLE)
        self.program("broken", DOUBLE, c="int main( {}\n")
        if "gcc" not in [c["name"] for c in self.results(FOUND)["competitors"]]:
            self.skipTest("there is no gcc")
        env = dict(ENVIRONMENT, TMPDIR=str(self.folder / "bin"))
        found = self.cells(self.results(FOUND, "--engines=gcc", env=env))
        self.assertEqual(found["double", "gcc"]["outcome"], "fine")
        self.assertIn("the compiler exited with 1", found["broken", "gcc"]["detail"])
        self.assertEqual(list((self.folder / "bin").iterdir()), [])

    def test_iterations(self):
        """Several answers of one process: those after the warm-up count, the first is shown alone."""
        self.program("double", DOUBLE)
        self.program("stops", "function main()\n  var n\n  read n\n  call m = 'twice(n)\n  stop\n"
                     "function twice(var n)\n  print (n + n)\n  return n\n")
        pids = "echo $$ >> pids; while read n; do sleep 0.0$n; echo $((n * 2)); done"
        env = self.fake("lua5.4", FAKE_LUA.replace("echo $(($2 * 2))", pids))
        results = self.results(FINE, "--engines=reference,lua5.4", "--base=reference",
                               "--iterations=4", "--warmup=1", env=env)
        self.assertEqual((results["iterations"], results["runs"], results["warmup"]), (4, 2, 1))
        for name in ("double", "stops"):
            for competitor in ("reference", "lua5.4"):
                cell = self.cells(results)[name, competitor]
                all_of_them = [process["wall"] for process in cell["processes"]]
                self.assertEqual([len(times) for times in all_of_them], [4, 4])
                self.assertEqual(cell["wall"], all_of_them[0][1:] + all_of_them[1][1:])
                self.assertEqual(cell["median"], statistics.median(cell["wall"]))
                self.assertEqual(cell["first"], statistics.median(t[0] for t in all_of_them))
        self.assertGreater(min(self.cells(results)["double", "lua5.4"]["wall"]), 0.04)
        self.assertEqual(len((self.folder / "pids").read_text().split()), 4)
        done = self.says(FINE, words=["bench", "--engines=reference", "--iterations=7"])
        self.assertRegex(done.out, r"(?m)^first iteration +reference$")
        self.assertIn("1 process of 7 iterations: medians of the iterations after 5 to warm up", done.out)

    @unittest.skipUnless(has_native_code(), "no native code in this build")
    def test_iterations_keep_the_state_of_the_engine(self):
        """A loop that has been optimized is so in the next iteration."""
        self.program("loop", "var n\nread n\nvar i = 0\nvar s = 0\ngoto L\nL:\n"
                     "  branch (i < 3000000) $b $d\n$b:\n  s <- (s + n)\n  s <- (s % 1000)\n"
                     "  i <- (i + 1)\n  goto L\n$d:\n  print s\n", answer="0")
        results = self.results(FINE, "--engines=native", "--iterations=5", "--warmup=2")
        cell = self.cells(results)["loop", "native"]
        self.assertLess(cell["median"], cell["first"])  # that one starts the process and compiles

    def test_who_cannot_be_repeated_is_said(self):
        self.program("double", DOUBLE, c="#include <stdio.h>\n#include <stdlib.h>\nstatic int more;\n"
                     "int main(int c, char **v) {\n  (void)c;\n"
                     "  printf(\"%d\\n\", 2 * atoi(v[1]) + more++);\n  return 0;\n}\n")
        self.program("calls", "function main()\n  var n\n  read n\n  branch (n > 4) $a $b\n$a:\n"
                     "  call r = 'main()\n  stop\n$b:\n  print (n + n)\n  stop\n")
        done = self.bench(FOUND, "--engines=reference,lua5.4", "--iterations=3", "--warmup=0",
                          env=self.fake("lua5.4", FAKE_LUA.replace("echo $(($2 * 2))", "echo 8")))
        self.assertIn("once: double: lua5.4: it ended (after 1 of 3 iterations in one process)", done.out)
        self.assertRegex(done.out, "failed: calls: reference: '.*calls.sou' cannot be repeated: something in "
                         "it calls or enters main")
        self.says(USAGE, "--iterations=5 leaves none that counts after 5 to warm up",
                  words=["bench", "--iterations=5"])
        if any(c["name"] == "gcc" for c in self.results(FOUND)["competitors"]):
            done = self.bench(FINE, "--engines=gcc", "--programs=double", "--iterations=3", "--warmup=0")
            self.assertIn("once: double: gcc: it printed 9, right is 8 (after 1 of 3", done.out)

    def test_plot(self):
        self.program("a_program", DOUBLE)
        self.program("slow", SLOW)
        env = self.fake("lua5.4", FAKE_LUA)
        self.bench(FOUND, "--engines=lua5.4,reference", "--set=<&>=reference", "--base=lua5.4",
                   "--set=stuck=reference --fuel 2", "--timeout=1", "--plot=x.svg", env=env)
        svg = xml.etree.ElementTree.parse(self.folder / "x.svg").getroot()
        texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
        for text in ("reference", "<&>", "a_program", "geometric mean", "Wall time relative to lua5.4"):
            self.assertIn(text, texts)
        titles = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}title")]
        self.assertIn("slow: reference: timeout", titles)
        self.assertTrue(any(title.startswith("a_program: reference: ") for title in titles))
        self.bench(UNWRITABLE, "--engines=reference", "--programs=a_program", "--plot=none/x.svg")

    def test_errors(self):
        self.program("double", DOUBLE)
        self.says(USAGE, "there is no engine 'pypy'", words=["bench", "--engines=pypy"])
        for bad in ("x", "=reference", "x=lua5.4"):
            self.says(USAGE, "is not NAME=ENGINE FLAG...", words=["bench", "--set", bad])
        self.says(USAGE, "there is a 'reference' already",
                  words=["bench", "--engines=reference", "--set=reference=reference"])
        self.says(USAGE, words=["bench", "--runs=0"])
        self.says(USAGE, words=["bench", "double"])
        self.says(UNREADABLE, "there is no program 'x'; there are double",
                  words=["bench", "--programs=x"])
        self.says(UNREADABLE, "--dir=FOLDER", words=["bench", "--dir=nowhere"])

    def test_a_broken_list(self):
        self.program("double", DOUBLE)
        name = '{"programs": [{"name": "../x", "sizes": {}}]}'
        size = '{"programs": [{"name": "x", "sizes": {}}]}'
        for text in ("", "[]", "{", '{"programs": 3}', '{"programs": []}', '{"programs": [3]}', name,
                     size, b"\xff"):
            self.write("bench/programs.json", text)
            self.says(UNREADABLE, "programs.json", words=["bench"])

    def test_ctrl_c_shows_what_there_is(self):
        self.program("double", DOUBLE)
        self.program("slow", SLOW)
        with open(self.folder / "out", "wb") as out:
            process = self.start("bench", "--size=tiny", "--engines=reference", "--runs=1", "--json",
                                 stdout=out)
            time.sleep(1.5)
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=20)[1].decode()
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn("stopped by Ctrl-C", said)
        results = json.loads((self.folder / "out").read_text())
        self.assertTrue(results["interrupted"])
        found = self.cells(results)
        self.assertEqual(len(found["double", "reference"]["wall"]), 1)
        self.assertEqual(found["slow", "reference"]["wall"], [])


if __name__ == "__main__":
    unittest.main()
