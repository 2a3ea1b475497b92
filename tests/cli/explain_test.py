"""explain and completion: what they say is true."""
import json
import re
import shlex
import shutil
import subprocess
import unittest

from command_line import FINE, ROOT, USAGE, CliTest

# Their examples cannot be given as JSON, or need a limit that no flag sets.
NOT_SHOWN = ("bad-encoding", "too-large",
             "OsrEntry", "MapDeopt") # by a log of the tiers: tiers_schedule_test.py


class Explain(CliTest):
    def topics(self, *names):
        return json.loads(self.says(FINE, words=["explain", "--json", *names]).out)["topics"]

    def test_each_name(self):
        listed = self.sourir("explain").out
        topics = self.topics()
        self.assertEqual(len(topics), len({(t["kind"], t["name"]) for t in topics}))
        for topic in topics:
            self.assertIn(f"\n  {topic['name']} ", listed)
            self.assertIn(topic, self.topics(topic["name"]))
            text = self.says(FINE, words=["explain", topic["name"].upper()]).out
            self.assertIn(topic["title"], text)
            self.assertLessEqual(max(map(len, text.split("\n"))), 100, topic["name"])
        self.assertEqual({t["kind"] for t in topics},
                         {"error", "warning", "stuck", "limit", "rule", "term"})

    def test_names_in_messages_are_explained(self):
        self.assertIn("no-main", self.says(FINE, words=["explain", "error[no-main]"]).out)
        self.says(USAGE, "did you mean no-main?", words=["explain", "nomain"])
        self.says(USAGE, "nothing called ''", words=["explain", "[]"])

    def test_terms_are_those_of_the_glossary(self):
        page = (ROOT / "docs/glossary.md").read_text()
        terms = {t["name"]: t for t in self.topics() if t["kind"] == "term"}
        headings = re.findall(r"(?m)^### (.*)$", page)
        self.assertEqual(sorted(terms), sorted(h.replace(" ", "-") for h in headings))
        for name in ("OSR entry", "osr_entry", "Osr-Entry"):
            self.assertIn("running frame", self.says(FINE, words=["explain", name]).out)
        self.assertIn("LuaJIT: snapshot", terms["metadata"]["explanation"])

    def test_examples(self):
        for topic in self.topics():
            with self.subTest(topic["name"]):
                self.check_example(topic)

    def check_example(self, topic):
        if topic["kind"] == "term":
            return self.assertEqual((topic["example"], topic["command"]), ("", ""))
        if topic["name"] in NOT_SHOWN:
            return
        name = self.write("example.sou", topic["example"])
        command = shlex.split(topic["command"])
        if command[0] == "check":
            report = json.loads(self.sourir("check", "--json", *command[1:], name).out)
            codes = {d["code"] for d in report["files"][0]["diagnostics"]}
            self.assertEqual(codes, {topic["name"]})
            return
        flags = ["--report", "report.json", "--trace=json", name]
        done = self.sourir(*command, *flags, stdin=topic["input"])
        report = json.loads((self.folder / "report.json").read_text())
        if topic["kind"] == "rule":
            rules = {json.loads(line).get("rule") for line in done.err.split("\n")
                     if line.startswith("{")}
            self.assertIn(topic["name"], rules)
            self.assertEqual(report["outcome"], "stop")
        else:
            self.assertEqual(report.get("reason", report.get("limit")), topic["name"])

    def test_rules_are_those_of_the_semantics(self):
        stated = {}
        source = (ROOT / "sourir/semantics/rules.cpp").read_text()
        for comment, name in re.findall(r"((?:^//.*\n)+)^Derivation ([A-Z]\w+)\(", source,
                                        re.MULTILINE):
            stated[name] = re.sub(r"^// ?", "", comment, flags=re.MULTILINE)
        rules = {t["name"]: t["inference"] for t in self.topics() if t["kind"] == "rule"}
        self.assertEqual(rules, stated)


class Completion(CliTest):
    def complete(self, line):
        script = self.says(FINE, words=["completion", "bash"]).out
        script += (f"\nCOMP_LINE={shlex.quote(line)}; COMP_POINT=${{#COMP_LINE}}\n"
                   "_sourir 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True,
                              cwd=self.folder, timeout=60)
        return done.stdout.split()

    def setUp(self):
        super().setUp()
        if not shutil.which("bash"):
            self.skipTest("no bash")

    def test_bash_accepts_it(self):
        script = self.sourir("completion", "bash").out
        done = subprocess.run(["bash", "-n"], input=script.encode(), capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_bash_completes(self):
        self.assertEqual(self.complete("sourir co"), ["convert", "course", "completion"])
        self.assertIn("run", self.complete("sourir "))
        self.assertEqual(self.complete("sourir run --fu"), ["--fuel"])
        self.assertEqual(self.complete("sourir run --eng"), ["--engine="])
        self.assertEqual(self.complete("sourir run --engine=re"), ["reference"])
        self.assertEqual(self.complete("sourir run --engine na"), ["native"])
        self.assertEqual(self.complete("sourir completion z"), ["zsh"])
        self.assertEqual(self.complete("sourir opt x.sou --pass con"), ["constprop"])
        self.assertEqual(self.complete("sourir opt x.sou --pass=constprop,gv"), ["constprop,gvn"])
        self.assertEqual(self.complete("sourir opt x.sou --pass dce,inline,co"),
                         ["dce,inline,compose-assumes", "dce,inline,constprop", "dce,inline,copyprop"])
        self.assertEqual(self.complete("sourir opt x.sou --pass=pl"), ["plugin:"])
        self.assertEqual(self.complete("sourir opt x.sou --pass=dce,ex"), ["dce,exec:"])
        self.assertEqual(self.complete("sourir run x.sou --deopt=a"), ["always", "at:"])
        self.assertEqual(self.complete("sourir step x.sou --deopt ne"), ["never"])
        self.assertEqual(self.complete("sourir bisim x.sou --deopt=ea"), ["each"])
        self.assertEqual(self.complete("sourir run x.sou --deopt=ea"), [])
        self.assertEqual(self.complete("sourir bench --programs=fib,sie"), ["fib,sieve"])
        self.assertEqual(self.complete("sourir course st"), ["start"])
        self.assertEqual(self.complete("sourir course check 1"), ["1", "10", "1.1", "1.2", "10.1", "10.2"])
        self.assertIn("jit", self.complete("sourir campaign --passes j"))
        self.assertEqual(self.complete("sourir explain Anchor"), 
                         ["AnchorDeopt", "AnchorInvalidate", "AnchorPass"])
        self.assertEqual(self.complete("sourir run x.s"), [])  # file names, by the shell
        self.assertEqual(self.complete("sourir nothing --x"), [])
        self.assertEqual(self.complete("sourir camp"), ["campaign"])
        self.assertEqual(self.complete("sourir campaign re"), ["report", "replay"])
        self.assertEqual(self.complete("sourir campaign --prog"), ["--programs"])
        self.assertEqual(self.complete("sourir campaign report --h"), ["--html", "--help"])

    def test_fish(self):
        script = self.sourir("completion", "fish").out
        self.assertIn("-l engine -x -a 'auto reference baseline native'", script)
        self.assertIn("-n '__fish_seen_subcommand_from campaign; and __fish_seen_subcommand_from replay'",
                      script)
        if not shutil.which("fish"):
            self.skipTest("no fish")
        (self.folder / "s.fish").write_text(script)

        def complete(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source s.fish; complete -C '{line}'"],
                                  cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.stderr, "")
            return [words.split("\t")[0] for words in done.stdout.splitlines()]
        self.assertEqual(complete("sourir conv"), ["convert"])
        self.assertEqual(complete("sourir run --engine re"), ["reference"])
        self.assertEqual(complete("sourir campaign replay --ti"), ["--time"])
        self.assertNotIn("--programs", complete("sourir campaign replay --"))
        self.assertEqual(complete("sourir completion z"), ["zsh"])
        self.assertEqual(complete("sourir course st"), ["start"])

    def test_manual_pages(self):
        """One for each command; what troff would take for requests or escapes is text."""
        commands = self.sourir("--help").out.split("All commands", 1)[1]
        for line in commands.splitlines():
            if found := re.match(r"  ([a-z]+(?: [a-z]+)?)  +\S", line):
                page = self.says(FINE, words=["manual", *found[1].split()]).out
                self.assertIn(f"sourir\\-{found[1].replace(' ', chr(92) + '-')} \\- ", page)
                requests = {row.split()[0] for row in page.splitlines() if row.startswith(".")}
                self.assertLessEqual(requests, {".TH", ".SH", ".SS", ".TP", ".B", ".BR", ".nf", ".fi"})
        self.says(USAGE, "there is no command 'nothing'", words=["manual", "nothing"])

    def test_zsh(self):
        script = self.sourir("completion", "zsh").out
        self.assertTrue(script.startswith("#compdef sourir\n"))
        if not shutil.which("zsh"):
            self.skipTest("no zsh")
        (self.folder / "_sourir").write_text(script)
        done = subprocess.run(["zsh", "-f", "-n", "_sourir"], cwd=self.folder, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        done = subprocess.run(
            ["zsh", "-f", "-c", "autoload -U compinit; compinit -D -u; source ./_sourir;"
             "print ${_comps[sourir]}"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("_sourir\n", ""))


if __name__ == "__main__":
    unittest.main()
