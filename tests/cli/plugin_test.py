"""Passes of plugins (`plugin:FILE`): tests/plugin has those that do what passes must not."""
import json
import os
import shutil
import unittest
from pathlib import Path

from command_line import FINE, FOUND, REJECTED, SOURIR, UNREADABLE, USAGE, CliTest
from engines_test import has_native_code
from verify_test import TIERS, VERIFY

PLUGINS = Path(SOURIR).resolve().parents[1] / "tests/plugin"
MARK = b"sourir-pass-plugin-abi:\0"
VERSION, HEADERS, MACHINE = (len(MARK) + k for k in (0, 16, 40)) # offsets in PluginAbi
OUR_BUG = 70


class PluginTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("x.sou", "print 1\nstop\nprint 2\n")
        shutil.copy(PLUGINS / "plugin_passes.so", self.folder / "p.so")

    def opt(self, status, name, *fragments, flags=(), file="p.so"):
        return self.says(status, *fragments, words=[
            "opt", "x.sou", f"--pass=plugin:{file}" + (":" + name if name else ""), *flags])

    def refused(self, *fragments, name="", file="p.so"):
        done = self.opt(USAGE, name, *fragments, file=file)
        self.assertEqual(done.out, "")


class Loading(PluginTest):
    def changed(self, offset, data, file="p.so"):
        """p.so with other bytes at an offset from the mark."""
        old = (self.folder / file).read_bytes()
        at = old.index(MARK) + offset
        return self.write("changed.so", old[:at] + data + old[at + len(data):])

    def test_no_such_file(self):
        self.refused("error: --pass: cannot read 'none.so': No such file", file="none.so")
        self.refused("cannot read '.': Is a directory", file=".")

    def test_no_shared_library(self):
        self.refused("'x.sou' is no shared library; sourir_add_plugin() of find_package(sourir) makes",
                     file="x.sou")

    def test_no_plugin(self):
        library = next(line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()
                       if "/libc.so" in line or "/libc-" in line)
        self.refused("is no plugin: it has no sourir_pass_plugin", file=library)
        hidden = (self.folder / "p.so").read_bytes().replace(b"sourir_pass_plugin\0",
                                                             b"sourir_pass_plugix\0")
        self.refused("is no plugin: it does not export sourir_pass_plugin",
                     file=self.write("hidden.so", hidden))

    def test_another_sourir(self):
        for offset, data, says in ((VERSION, b"9.8.7\0", "(sourir 9.8.7, headers "),
                                   (HEADERS, b"0123456789abcdef", "headers 0123456789abcdef, "),
                                   (MACHINE, b"pdp11\0", "pdp11, libstdc++ ")):
            version = self.sourir("--version").out.split()[1]
            self.refused("the plugin 'changed.so' was built for another sourir", says,
                         f"than this one (sourir {version}, headers ", "build it again",
                         file=self.changed(offset, data))

    def test_another_machine(self):
        old = (self.folder / "p.so").read_bytes()
        self.write("arm.so", old[:18] + b"\x28\0" + old[20:])
        self.refused("'arm.so' was built for another kind of processor", file="arm.so")

    def test_a_part_of_a_file(self):
        old = (self.folder / "p.so").read_bytes()
        for size in (10, 100, len(old) // 2, len(old) - 1):
            self.refused("'part.so' is no " + ("shared library" if size < 64 else "whole file"),
                         file=self.write("part.so", old[:size]))

    def test_what_the_loader_says(self):
        self.refused("cannot be loaded: ", "undefined symbol: ", "nobody_has_it",
                     file=PLUGINS / "plugin_undefined.so")

    def test_its_passes(self):
        self.refused("it has no passes", file=PLUGINS / "plugin_no_passes.so")
        self.refused("it has two passes same", file=PLUGINS / "plugin_same_names.so")

    def test_a_name_that_is_not_there(self):
        self.refused("p.so has several passes: unreachable, says-options, ",
                     "; plugin:p.so:unreachable is one of them")
        self.refused("p.so has no pass 'unreachabel'; did you mean unreachable? (it has unreachable, ",
                     "         ^^^^", name="unreachabel")
        self.refused("p.so has no pass 'count=3'", name="count=3")
        self.refused("plugin: needs a file", file="")
        self.refused("a quote is not closed", file="'p.so")
        self.says(USAGE, "did you mean plugin?", words=["opt", "x.sou", "--pass=plugn:p.so"])

    def test_file_names(self):
        for name in ("a,b.so", "a:b.so", "a (1).so"):
            shutil.copy(PLUGINS / "plugin_one_pass.so", self.folder / name)
            self.opt(FINE, "", "remark: ", flags=["--remarks"], file=f"'{name}'")
        shutil.copy(PLUGINS / "plugin_one_pass.so", self.folder / "libc.so.6") # no other one
        self.opt(FINE, "", "remark: ", flags=["--remarks"], file="libc.so.6")

    def test_options(self):
        self.opt(FINE, "says-options:count=3:loud", "loud: count 3, loud\n", flags=["--remarks"])
        self.opt(FINE, "says-options", "options: count 7, quiet\n", flags=["--remarks"])
        one = PLUGINS / "plugin_one_pass.so"
        for options, says in (("", "none quiet"), ("only", "none quiet"), ("loud", "none loud"),
                              ("count=3", "3 quiet"), ("only:count=3:loud", "3 loud")):
            self.opt(FINE, options, f": {says}\n", flags=["--remarks"], file=one)
        self.refused("only has no option 'cout'; did you mean count?", name="cout=3", file=one)
        self.refused("has no pass 'lod'", name="lod", file=one)
        self.refused("count", name="count=x", file=one)


class Results(PluginTest):
    def test_like_one_within(self):
        self.write("dead.sou", "goto end\nprint 1\nend:\nprint 2\n")
        ours, theirs = (self.sourir("opt", "dead.sou", f"--pass={name}", "--state-map=" + to)
                        for name, to in (("unreachable", "a"), ("plugin:p.so:unreachable", "b")))
        self.assertEqual((theirs.returncode, theirs.out), (FINE, ours.out))
        self.assertNotEqual(ours.out, self.sourir("fmt", "dead.sou").out)
        self.assertEqual(*((self.folder / name).read_text() for name in "ab"))

    def test_in_a_pipeline(self):
        done = self.opt(FINE, "unreachable,dce,fix(plugin:p.so:wrong:functions=main)", "plugin:p.so:wrong:functions=main      2        1         1\n",
                        flags=["--stats"])
        self.assertEqual(done.out, "print 0\nstop\n")
        self.says(USAGE, "there is no function 'f'",
                  words=["opt", "x.sou", "--pass=plugin:p.so:wrong:functions=f"])

    def test_a_wrong_pass_is_found(self):
        self.opt(FOUND, "wrong", "the pass plugin:p.so:wrong changes what the program does",
                 flags=["--verify-each"])
        done = self.sourir("run", "x.sou", "--pass=plugin:p.so:wrong")
        self.assertEqual((done.returncode, done.out), (FINE, "0\n"))

    def test_results_that_cannot_be_used(self):
        for name, says in (
                ("ill-formed", "its output is not well-formed: unknown-label: "),
                ("no-function", "its output "),
                ("no-position", "its origins of main.anon: position 0 comes from position 1000 of a "
                                "version with 4"),
                ("no-context", "its origins of main.anon: there is no context 7"),
                ("no-version", "its origins of main.nowhere: there is no such version"),
                ("wrong-map", "its state map does not fit: "),
                ("throws", "it throws: no idea"),
                ("throws-number", "it throws something that is no exception")):
            for flags in ([], ["--verify-each"], ["--state-map=m"]):
                done = self.opt(REJECTED, name, f"error: the pass plugin:p.so:{name}: {says}",
                                flags=flags)
                self.assertEqual(done.out, "")
            self.says(REJECTED, says, words=["run", "x.sou", f"--pass=plugin:p.so:{name}"])
        self.opt(REJECTED, "ill-formed", "  --> output of the pass:", "nowhere")

    def test_in_the_tiers(self):
        if not has_native_code():
            self.skipTest("no native code in this build")
        passes = "--tier=passes=fix(plugin:p.so:wrong)"
        self.says(USAGE, "takes exec:CMD and plugin:FILE only with --verify",
                  words=["run", TIERS, "--engine=auto", passes])
        done = self.says(OUR_BUG, "made for calls is wrong, and is not used", words=[
            "run", TIERS, *VERIFY, "--tier=passes=fresh-version,plugin:p.so:wrong-start", "--no-osr-in"])
        self.assertEqual(done.out, "680000.0\n")
        done = self.sourir("run", TIERS, *VERIFY, "--tier=passes=O2,plugin:p.so:unreachable")
        self.assertEqual((done.returncode, done.out), (FINE, "680000.0\n"))


class Campaigns(PluginTest):
    def campaign(self, status, name, *words):
        done = self.sourir("campaign", "--programs", "12", "--jobs", "1", "--passes",
                           f"plugin:p.so:{name}", "--chain", "1", "--db", name + ".db", *words)
        self.assertEqual(done.returncode, status, done.err)
        return done.out

    def test_a_right_pass(self):
        self.assertIn("12 of 12 programs", self.campaign(FINE, "unreachable"))

    def test_a_wrong_pass_and_its_counterexample(self):
        self.assertIn("WRONG", self.campaign(FOUND, "wrong"))
        file = sorted((self.folder / "wrong.db.failures").iterdir())[0]
        self.says(FOUND, words=["campaign", "replay", file])

    def test_a_crash_is_a_counterexample(self):
        out = self.campaign(FOUND, "crashes")
        self.assertIn("12 of 12 programs", out)
        self.assertIn("SIGSEGV", out)
        file = sorted((self.folder / "crashes.db.failures").iterdir())[0]
        again = self.says(FOUND, words=["campaign", "replay", file, "--json"])
        self.assertEqual(json.loads(again.out)["now"]["oracle"], "crash")

    def test_a_pass_that_does_not_end(self):
        self.assertIn("hang", self.campaign(FOUND, "hangs", "--programs", "1", "--case-timeout", "1"))

    def test_results_that_cannot_be_used(self):
        for name, says in (("ill-formed", "unknown-label"), ("no-context", "there is no context 7"),
                           ("wrong-map", "its state map does not fit"), ("throws", "no idea")):
            self.assertIn(f"plugin:p.so:{name}", self.campaign(FOUND, name))
            file = sorted((self.folder / f"{name}.db.failures").iterdir())[0]
            self.assertIn(says, file.read_text())

    def test_a_file_that_is_not_there(self):
        self.says(USAGE, "--passes: cannot read 'none.so'",
                  words=["campaign", "--programs", "1", "--passes", "plugin:none.so"])
        self.campaign(FOUND, "wrong")
        os.remove(self.folder / "p.so")
        self.says(UNREADABLE, "cannot read 'p.so'", words=["campaign", "replay", "--db", "wrong.db", "1"])


if __name__ == "__main__":
    unittest.main()
