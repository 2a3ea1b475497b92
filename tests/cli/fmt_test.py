"""fmt and convert."""
import json

from command_line import FINE, FOUND, REJECTED, USAGE, CliTest


class Fmt(CliTest):
    MESSY = "  print   1 # one\n\n\n# two\n print 2"

    def test_in_place(self):
        self.write("x.sou", self.MESSY)
        (self.folder / "x.sou").chmod(0o640)
        canonical = self.sourir("fmt", "x.sou").out
        self.says(FINE, "formatted x.sou", words=["fmt", "-i", "x.sou"])
        self.assertEqual((self.folder / "x.sou").read_text(), canonical)
        self.assertEqual((self.folder / "x.sou").stat().st_mode & 0o777, 0o640)
        self.assertEqual(self.says(FINE, words=["fmt", "-i", "x.sou"]).err, "")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["x.sou"])

    def test_in_place_through_a_link(self):
        self.write("x.sou", self.MESSY)
        (self.folder / "link.sou").symlink_to("x.sou")
        self.says(FINE, words=["fmt", "-i", "link.sou"])
        self.assertTrue((self.folder / "link.sou").is_symlink())
        self.says(FINE, words=["fmt", "--check", "x.sou"])

    def test_check_and_diff(self):
        self.write("x.sou", self.MESSY)
        self.says(FOUND, "x.sou is not formatted", words=["fmt", "--check", "x.sou"])
        done = self.says(FOUND, words=["fmt", "--check", "--diff", "x.sou"])
        self.assertIn("-  print   1 # one\n", done.out)
        self.assertIn("+print 1 # one\n", done.out)
        self.assertEqual((self.folder / "x.sou").read_text(), self.MESSY)
        self.says(FINE, words=["fmt", "--diff", "x.sou"])
        report = json.loads(self.sourir("fmt", "--check", "--json", "x.sou").out)
        self.assertEqual(report["files"], [{"file": "x.sou", "formatted": False}])

    def test_refuses(self):
        self.write("bad.sou", "print 1 2\n")
        self.says(REJECTED, "error[", words=["fmt", "-i", "bad.sou"])
        self.assertEqual((self.folder / "bad.sou").read_text(), "print 1 2\n")
        self.write("x.sou", "print 1\n")
        self.write("x.sou.json", self.sourir("convert", "x.sou", "--to=json").out)
        self.says(USAGE, "JSON form", words=["fmt", "-i", "x.sou.json"])
        self.assertEqual(self.sourir("fmt", "x.sou.json").out, "print 1\n")
        self.says(USAGE, words=["fmt", "-i", "-"])
        self.says(USAGE, words=["fmt", "-i", "--check", "x.sou"])
        self.says(USAGE, words=["fmt", "--json", "x.sou"])


class Convert(CliTest):
    def test_there_and_back(self):
        text = "# a comment\nvar x = 1 # one\n\nprint x\n"
        self.write("x.sou", text)
        self.says(FINE, words=["convert", "x.sou", "-o", "x.sou.json"])
        self.says(FINE, words=["convert", "x.sou.json", "-o", "y.sou"])
        self.assertEqual((self.folder / "y.sou").read_text(), text)
        self.assertEqual(self.sourir("run", "x.sou.json").out, "1\n")
        self.says(FINE, words=["check", "x.sou.json"])

    def test_refuses(self):
        self.write("x.sou", "print 1\n")
        self.says(USAGE, "--to=sou", words=["convert", "x.sou"])
        self.assertIn("digraph", self.says(FINE, words=["convert", "x.sou", "--to=dot"]).out)
        self.says(USAGE, "there are sou, json", words=["convert", "x.sou", "--to=pdf"])
        self.says(USAGE, words=["convert", "x.sou", "--to=json", "--paper"])
        self.says(USAGE, words=["convert", "x.sou", "--to=json", "--standalone"])
