"""run --tiers=schedule, --jit-schedule: what the tiers did, done again in the reference."""
import json
import unittest

from command_line import FINE, FOUND, REJECTED, ROOT, UNREADABLE, USAGE, CliTest
from engines_test import has_native_code

TIERS = (ROOT / "examples/tiers.sou").read_text().split("# ---")[0]
# With ints that are boxed in between, so that there are bailouts, whose states a state map rebuilds.
BOXED = (TIERS.replace("  var data = whole", "  array boxed = [0.5, 2, 3, 4, 5, 6, 7, 8]\n"
                       "  boxed[0] <- 1\n  var data = whole")
         .replace("$same:\n", "$same:\n  branch (round == 5000) $box $as_before\n"
                  "$box:\n  data <- boxed\n  goto go\n$as_before:\n"))
RUN = ["run", "x.sou", "--engine=auto", "--jit-sync", "--tiers=schedule", "--tiers-file=log"]
AGAIN = ["run", "x.sou", "--engine=reference", "--jit-schedule"]


@unittest.skipUnless(has_native_code(), "no native code in this build")
class Schedule(CliTest):
    def setUp(self):
        super().setUp()
        self.write("x.sou", BOXED)

    def logged(self):
        self.says(FINE, words=RUN)
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]

    def replay(self, lines, *more):
        self.write("changed", "".join(json.dumps(line) + "\n" for line in lines))
        return self.sourir(*AGAIN, "changed", *more)

    def test_it_is_the_same(self):
        lines = self.logged()
        events = [line["event"] for line in lines]
        self.assertEqual((events[0], events[-1]), ("begin", "end"))
        self.assertLess({"version", "entered", "osr-entry", "mapped-deopt"}, set(events))
        done = self.says(FINE, "the reference does the same: versions ", words=[*AGAIN, "log"])
        self.assertEqual(done.out, "680000.0\n")
        said = json.loads(self.sourir(*AGAIN, "log", "--json").err)
        self.assertEqual((said["same"], said["osr_entries"], said["states"]),
                         (True, events.count("osr-entry"), sum("state" in line for line in lines)))

    def test_the_trace_names_it(self):
        self.write("x.sou", BOXED.replace("20000", "2000").replace("10000", "1000").replace("5000", "500"))
        self.says(FINE, words=[*RUN, "--tier=calls=50,iterations=500"])
        done = self.sourir(*AGAIN, "log", "--trace")
        self.assertRegex(done.err, r"(?m)^ *\d+  OsrEntry +sum\.anon\.\w+ .* move to \w+_loop\.opt")
        self.assertRegex(done.err, r"(?m)^ *\d+  MapDeopt +\w+\.opt\.?\w* .* deoptimize to \w+\.anon")
        steps = [json.loads(line) for line in self.sourir(*AGAIN, "log", "--trace=json").err.splitlines()
                 if line.startswith('{"step"')]
        moves = [s for s in steps if s.get("rule") == "OsrEntry"]
        self.assertTrue(all("move-into" in s["effect"] and s["effect"]["frames"] >= 1 for s in moves))
        self.assertTrue(moves)

    def test_every_osr_entry(self):
        program = self.write("loop.sou", "function main()\n var i = 0\n goto h\nh:\n branch (i < 12) $b $x\n"
                             "$b:\n i <- (i + 1)\n goto h\n$x:\n print i\n stop\n")
        self.says(FINE, words=["run", program, *RUN[2:], "--stress-osr"])
        self.says(FINE, "OSR entries 1", words=["run", program, *AGAIN[2:], "log"])

    def test_it_is_on_standard_error_too(self):
        done = self.sourir(*RUN[:-1])
        self.write("log", done.err)
        self.says(FINE, words=[*AGAIN, "log"])

    def test_something_that_did_not_happen(self):
        """Each event at another time or place, each state and each end with another value."""
        def changed(lines, event, key, value):
            at = [line["event"] for line in lines].index(event)
            to = lines[at][key] + 1 if value is later else value
            lines[at] = dict(lines[at], **{key: to})
            return lines
        later = object()
        for event, key, value, what in (
                ("entered", "events", later, "something in the log did not happen"),
                ("entered", "events", 2, "something in the log did not happen"),
                ("osr-entry", "events", later, "something in the log did not happen"),
                ("mapped-deopt", "events", later, "the state is another one"),
                ("mapped-deopt", "digest", "0" * 16, "the state is another one"),
                ("mapped-deopt", "state", [], "the state is another one"),
                ("mapped-deopt", "depth", 2, "something in the log did not happen"),
                ("end", "events", 1, "the run ends otherwise: events is 1 in the log"),
                ("end", "printed", "", "the run ends otherwise: printed"),
                ("end", "digest", "", "the run ends otherwise: digest"),
                ("end", "outcome", "stuck", "the run ends otherwise: outcome")):
            done = self.replay(changed(self.logged(), event, key, value))
            self.assertEqual(done.returncode, FOUND, (event, key, done.err))
            self.assertIn(what, done.err, (event, key))

    def test_a_version_that_does_something_else(self):
        lines = self.logged()
        at = [line["event"] for line in lines].index("version")
        lines[at]["text"] = lines[at]["text"].replace("var s = 0", "var s = 1", 1)
        done = self.replay(lines)
        self.assertEqual(done.returncode, FOUND, done.err)
        self.assertIn("the state is another one", done.err)
        self.assertRegex(done.err, r"in the log:\n(    .*\n)+  in the reference:\n(    .*\n)+")

    def test_logs_that_are_refused(self):
        good = self.logged()
        events = [line["event"] for line in good]
        version, cut = events.index("version"), [i for i, line in enumerate(good)
                                                 if line.get("function") == "sum_loop"][0]
        entered, moved = events.index("entered"), events.index("osr-entry")
        left = events.index("mapped-deopt")

        def with_line(which, **values):
            return good[:which] + [dict(good[which], **values)] + good[which + 1:]
        text = good[version]["text"]
        for lines, what in (
                (good[:-1], "the log ends before the run does"),
                (good + good[-1:], "after the end"),
                (good[1:], "this is no schedule"),
                (with_line(0, format="tiers"), "this is no schedule"),
                (with_line(0, version=3), "another version of the format"),
                (with_line(0, program="x"), "the log is of another program"),
                (with_line(1, event="x"), "there is no event 'x'"),
                (with_line(version, number=0), "of this number already"),
                (with_line(version, text="goto"), "is no program"),
                (with_line(version, text=text.replace("else (sum, anon, L0)",
                                                      "else (sum, anon, L9)")), "not well-formed"),
                (with_line(version, text=text.replace("var i = 0", "var i = 1")), "is not as"),
                (with_line(version, text=text.replace("(var a)", "(var b)")), "other parameters"),
                (with_line(version, map=dict(good[version]["map"], versions=[])),
                 "the state map says nothing of this place"),
                (with_line(version, map={}), "the state map: "),
                (with_line(left, **{"in": 0, "at": "sum.anon+5"}), "only versions that were added"),
                (with_line(version, name="anon"), "it adds no version of this name"),
                (with_line(version, name=7), "\"name\" is no text"),
                (with_line(cut, outlined={"of": "main.none", "at": 0}), "outlined of nothing"),
                (with_line(cut, outlined={"of": "main.anon", "at": 0}), "no loop can be outlined"),
                (with_line(cut, outlined={"of": "sum.anon", "at": 5}), "is not as the program has"),
                (with_line(entered, into=9), "there is no version 9 so far"),
                (with_line(entered, function="main"), "cannot enter this"),
                (with_line(entered, events="x"), "\"events\" is no number"),
                (with_line(moved, at="main.anon+1"), "was not outlined there"),
                (with_line(moved, at="main.anon"), "there is no place 'main.anon'"),
                (with_line(left, at="sum.none+1"), "there is no place 'sum.none+1'"),
                (with_line(left + 1, events=0), "the event counter goes back")):
            done = self.replay(lines)
            self.assertEqual(done.returncode, REJECTED, (what, done.err))
            self.assertIn(what, done.err)
        self.write("no", "{\n")
        self.says(REJECTED, "line 1: this is no JSON object", words=[*AGAIN, "no"])
        self.write("empty", "")
        self.says(REJECTED, "the log ends", words=[*AGAIN, "empty"])

    def test_forced_exits_of_added_versions(self):
        """The reference takes the same exits, at the same opportunities."""
        for deopt in ("always", "every:3", "p:0.01:7"):
            self.says(FINE, words=[*RUN, f"--deopt={deopt}"])
            lines = [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]
            self.assertTrue([line for line in lines if line["event"] == "deopt" and line["in"] > 0])
            self.says(FINE, "the reference does the same: versions ",
                      words=[*AGAIN, "log", f"--deopt={deopt}"])

    def replayed(self, name, *flags):
        """A file test, logged with the flags, is the same in the reference."""
        program = str(ROOT / "tests/filetests/engines" / name)
        self.says(FINE, words=["run", program, "--jit-sync", "--tier=calls=2", *flags,
                               "--tiers=schedule", "--tiers-file=log"])
        self.says(FINE, "the reference does the same: versions ",
                  words=["run", program, "--engine=reference", "--jit-schedule=log"])

    def test_versions_that_other_functions_exit_to_stay_in_the_log(self):
        self.replayed("exit_from_other_function.sou")
        self.replayed("unused_version_stays.sou")

    def test_frames_do_not_have_what_was_dropped_behind_a_loop(self):
        self.replayed("dropped_behind_the_loop.sou", "--jit-level=0", "--tier=iterations=2",
                      "--tier=exits=2", "--tier=continuations=1")

    def test_loops_among_variables_that_are_declared_again(self):
        self.replayed("loop_among_call_results.sou", "--tier=iterations=3")
        self.replayed("loop_among_call_results.sou", "--tier=iterations=3", "--tier=exits=2")
        log = (self.folder / "log").read_text()
        self.assertIn('"function":"sums_loop","name":"opt"', log)
        self.assertNotIn("again_loop", log)

    # mutant 237: whichever frame comes there first.
    def test_the_frame_that_enters_is_the_one_of_that_depth(self):
        program = str(ROOT / "tests/filetests/run/exit_of_many_frames.sou")
        self.says(FINE, words=["run", program, *RUN[2:], "--no-inlining", "--deopt=always",
                               "--tier=calls=4,iterations=10,exits=2"])
        self.says(FINE, "the reference does the same: versions ",
                  words=["run", program, *AGAIN[2:], "log", "--deopt=always"])

    def test_flags(self):
        self.logged()
        self.says(UNREADABLE, "cannot read", words=[*AGAIN, "none"])
        self.says(USAGE, "needs --engine=reference",
                  words=["run", TIERS, "--engine=auto", "--jit-schedule=log"])
        self.says(USAGE, "the log is of a run with --deopt=never",
                  words=[*AGAIN, "log", "--deopt=always"])
        self.says(USAGE, "--tiers-file is where", words=["run", TIERS, "--tiers-file=x"])
        self.says(USAGE, "same file", words=[*RUN, "--report=log"])


if __name__ == "__main__":
    unittest.main()
