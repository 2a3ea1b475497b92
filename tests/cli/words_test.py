"""Commands, flags and their values."""
from command_line import FINE, LIMIT, USAGE, CliTest


class Words(CliTest):
    def test_without_words(self):
        done = self.says(FINE, words=[])
        self.assertIn("sourir run program.sou", done.out)

    def test_help_of_each_command(self):
        overview = self.sourir("--help").out
        for command in ("run", "check", "step", "fmt", "convert", "campaign", "explain",
                        "completion"):
            self.assertIn(f"\n  {command} ", overview)
            done = self.says(FINE, words=[command, "--help"])
            self.assertIn("Examples:", done.out)
            self.assertLessEqual(max(map(len, done.out.split("\n"))), 100)

    def test_version(self):
        self.assertRegex(self.sourir("--version").out, r"^sourir \d+\.\d+\.\d+\n$")

    def test_unknown_words(self):
        self.write("x.sou", "print 1\n")
        for words, fragment in (
                (["runn", "x.sou"], "did you mean run?"),
                (["x.sou"], "did you mean `sourir run x.sou`?"),
                (["-"], "did you mean `sourir run -`?"),
                (["--fuel", "3"], "the first word is a command"),
                ([""], "there is no command ''"),
                (["run", "--fule", "3", "x.sou"], "did you mean --fuel?"),
                (["run", "-z", "x.sou"], "no flag -z"),
                (["run"], "FILE is missing"),
                (["run", ""], "FILE is empty"),
                (["run", "x.sou", "y.sou"], "'y.sou' is one FILE too many"),
                (["bench", "fib"], "'fib' is no flag, and nothing else is taken here"),
                (["bench", ""], "'' is no flag"),
                (["check"], "FILE is missing"),
                (["explain", "divsion-by-zero"], "did you mean division-by-zero?"),
                (["completion", "ksh"], "there is bash, zsh and fish"),
                (["run", "x.sou", "--fuel"], "--fuel needs a value"),
                (["run", "--fuel", "--stats", "x.sou"], "--fuel needs a value"),
                (["run", "--fuel=", "x.sou"], "--fuel needs a value"),
                (["check", "--json=3", "x.sou"], "--json takes no value")):
            self.says(USAGE, fragment, "--help` says more" if words[:1] != ["explain"] else "",
                      words=words)

    def test_values_of_flags(self):
        self.write("x.sou", "print 1\n")
        for flags, fragment in (
                (["--fuel", "-1"], "--fuel: must not be negative"),
                (["--fuel", "1.5"], "'1.5' is not a whole number"),
                (["--fuel", "18446744073709551616"], "too large"),
                (["--fuel", "many"], "'many' is not a whole number"),
                (["--max-heap", "4X"], "is not a number of bytes"),
                (["--max-heap", "-4K"], "must not be negative"),
                (["--max-heap", "99999999999G"], "too large"),
                (["--engine=auto", "--jit-level=4"], "--jit-level is 0, 1, 2 or 3"),
                (["--engine=auto", "--tier=passes=inlin"], "inline"),
                (["--engine=auto", "--tier=passes=exec:true"], "plugin:FILE only with --verify"),
                (["--engine=auto", "--tier=passes=fix(exec:true)"], "plugin:FILE only with --verify"),
                (["--engine=reference", "--tiers"], "it needs --engine=auto"),
                (["--engine=jit"], "there is no 'jit'"),
                (["--stats=yaml"], "there are text, json"),
                (["--color=blue"], "there are auto, always, never"),
                (["--deopt=sometimes"], "there is no schedule"),
                (["--deopt=at:"], "needs numbers"),
                (["--deopt=at:1,,2"], "needs numbers"),
                (["--deopt=every:0"], "needs a number from 1"),
                (["--deopt=p:2:1"], "probability from 0 to 1"),
                (["--deopt=at:main.anon.Nowhere"], "no place main.anon.Nowhere"),
                (["--deopt=at:main.anon+0"], "at main.anon+0 stands no assume"),
                (["--deopt=each"], "many runs"),
                (["--deopt=pairs"], "many runs"),
                (["--report", "x.sou"], "would be overwritten"),
                (["--report", "r", "--trace-file", "r"], "the same file")):
            self.says(USAGE, fragment, words=["run", "x.sou", *flags])

    def test_last_value_counts(self):
        self.write("x.sou", "print 1\n")
        run = ["run", "x.sou", "--engine=reference", "--fuel"]
        self.says(LIMIT, words=[*run, "9", "--fuel=0"])
        self.says(FINE, words=[*run, "0", "--fuel=9"])

    def test_double_dash(self):
        self.write("--help", "print 1\n")
        self.assertEqual(self.says(FINE, words=["run", "--", "--help"]).out, "1\n")

    def test_units(self):
        self.write("x.sou", "array a[40]\n")  # 664 bytes
        for value, status in (("663", LIMIT), ("664", FINE), ("1K", FINE), ("1kB", FINE),
                              ("1MiB", FINE), ("2G", FINE), ("0", LIMIT)):
            self.says(status, words=["run", "x.sou", "--max-heap", value])
