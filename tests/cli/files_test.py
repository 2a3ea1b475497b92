"""Files that are odd, missing or not to be written; standard input and output."""
import json
import os
import unittest

from command_line import (FINE, FOUND, READS, REJECTED, STUCK, UNREADABLE, UNWRITABLE, USAGE,
                          CliTest)


class Files(CliTest):
    def test_unreadable(self):
        self.write("x.sou", "print 1\n")
        for command in ("run", "check", "fmt"):
            self.says(UNREADABLE, "No such file", words=[command, "none.sou"])
            self.says(UNREADABLE, "Is a directory", words=[command, "."])
            self.says(UNREADABLE, "did you mean 'x.sou'?", words=[command, "x"])
        self.says(UNREADABLE, "No such file", words=["convert", "none.sou", "--to=json"])
        self.says(UNREADABLE, words=["run", "x.sou", "--input", "none"])
        self.says(UNREADABLE, words=["run", "x.sou", "--input", "."])

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_no_permission(self):
        self.write("x.sou", "print 1\n")
        (self.folder / "x.sou").chmod(0)
        self.says(UNREADABLE, "Permission denied", words=["run", "x.sou"])

    def test_odd_files(self):
        for text in (b"", b"\0\0\0", b"\xff\xfe", os.urandom(10000), b"{", b'{"a', b"\n" * 5000,
                     b"print " + b"9" * 100000, b"(" * 100000, b'{"' + b"[" * 100000):
            self.write("x.sou", text)
            self.says(REJECTED, words=["run", "x.sou"])
            self.says(FOUND, words=["check", "x.sou"])

    def test_stdin_is_the_program(self):
        self.assertEqual(self.says(FINE, words=["run", "-"], stdin="print 7\n").out, "7\n")
        self.says(STUCK, "input-exhausted", words=["run", "-"], stdin=READS)
        self.write("in", "1\n2\n")
        done = self.says(FINE, words=["run", "-", "--input", "in"], stdin=READS)
        self.assertEqual(done.out, "1\n2\n")
        self.says(USAGE, "both", words=["run", "-", "--input", "-"], stdin=READS)
        self.says(FINE, words=["check", "-"], stdin="print 7\n")
        self.assertEqual(self.sourir("fmt", "-", stdin="  print   7").out, "print 7\n")

    def test_input_lines(self):
        self.write("x.sou", READS)
        for text in ("1\n2\n", "1\n2", "1\r\n2\r\n", " 1 \n\t2"):
            self.assertEqual(self.says(FINE, words=["run", "x.sou"], stdin=text).out, "1\n2\n")
        self.says(STUCK, "bad-input", words=["run", "x.sou"], stdin=b"\xff\n")
        self.says(STUCK, "bad-input", words=["run", "x.sou"], stdin="x" * 3_000_000)

    def test_unwritable(self):
        self.write("x.sou", "print 1\n")
        for flag in ("--report", "--trace-file"):
            self.says(UNWRITABLE, "cannot write", words=["run", "x.sou", flag, "none/x"])
            self.says(UNWRITABLE, "cannot write", words=["run", "x.sou", flag, "."])
        self.says(UNWRITABLE, "cannot write", words=["convert", "x.sou", "-o", "none/x.json"])
        if os.path.exists("/dev/full"):
            self.says(UNWRITABLE, words=["run", "x.sou", "--report", "/dev/full"])
            for words in (["run", "x.sou"], ["fmt", "x.sou"], ["explain"], ["--help"]):
                with open("/dev/full", "wb") as full:
                    process = self.start(*words, stdout=full)
                    message = process.stderr.read().decode()
                    self.assertEqual(process.wait(60), UNWRITABLE, message)
                    self.assertIn("No space left", message)

    def test_several_files(self):
        self.write("good.sou", "print 1\n")
        self.write("bad.sou", "goto Nowhere\n")
        done = self.says(FINE, "checked 2 files: no problems", words=["check", "good.sou", "good.sou"])
        self.assertEqual(done.out, "")
        self.says(FOUND, "unknown-label", "checked 2 files: 1 error",
                  words=["check", "good.sou", "bad.sou"])
        self.says(UNREADABLE, "1 cannot be read", words=["check", "bad.sou", "none.sou"])
        report = json.loads(self.sourir("check", "--json", "good.sou", "bad.sou").out)
        self.assertEqual([len(f["diagnostics"]) for f in report["files"]], [0, 1])

    def test_max_errors(self):
        self.write("x.sou", "goto Nowhere\n" * 50)
        for flags, shown in (([], 20), (["--max-errors=3"], 3), (["--max-errors=0"], 50)):
            done = self.says(FOUND, words=["check", "x.sou", *flags])
            self.assertEqual(done.err.count("error[unknown-label]"), shown)
            self.assertEqual(f"{50 - shown} errors more" in done.err, shown < 50)

    def test_all_syntax_errors_are_counted(self):
        for lines, said in ((3000, "checked 1 file: 3000 errors"),
                            (150_000, "checked 1 file: 100001 errors")):
            self.write("many.sou", "function main()\n" + "  print )\n" * lines)
            done = self.says(FOUND, said, words=["check", "many.sou", "--max-errors=0"])
            self.assertEqual("the text behind error 100000 was not looked at" in done.err,
                             lines > 100_000)
