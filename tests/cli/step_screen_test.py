"""step on a terminal: the screen, and line editing."""
import os
import random
import signal
import time
import unittest

from command_line import LOOP, ROOT, SOURIR, CliTest
from vt100 import Session

CHAIN = str(ROOT / "examples/fig_2_08_chain.sou")
UP, DOWN, RIGHT = "\x1bOA", "\x1bOB", "\x1bOC"


class ScreenTest(CliTest):
    def session(self, *words, rows=30, columns=110, terminal="vt100"):
        session = Session([SOURIR, "step", *words], self.folder, rows, columns, terminal)
        self.addCleanup(session.close)
        return session

    def panes(self, session):
        """What is shown, without the title and the message."""
        session.pump(0.2)
        return session.screen.lines()[1:-2]


class Moves(ScreenTest):
    def test_forward_and_back_over_a_deoptimization(self):
        s = self.session(CHAIN)
        s.wait_for("step 0", "=>   16   array v = [20, 1]", "ArrayDef", "? help")
        s.send("d")
        shown = s.wait_for("step 22", "AssumeDeopt fires next", "(n != 0) -> false")
        for text in ("v = @2 []", "continuations: 1", "1 main.anon+8, c = $", "@1 = [\"twenty\"]",
                     "0 fun.V1.L1  [v = @2 [], n = 0]", "output: 2"):
            self.assertIn(text, shown)
        before = self.panes(s)
        s.send("s")
        s.wait_for("step 23  fun.V1.L1")
        middle = self.panes(s)
        s.send("s")
        s.wait_for("step 24  fun.V0.L1")
        s.send("b")
        s.wait_for("step 23", "undone: 24")
        self.assertEqual(self.panes(s), middle)
        s.send("b")
        s.wait_for("step 22", "undone: 23")
        self.assertEqual(self.panes(s), before)
        s.send("c")
        s.wait_for("the program has stopped with 0")
        s.send("D")
        s.wait_for("step 23  fun.V1.L1")
        s.send("r")
        s.wait_for("step 0", "the start")

    def deopts(self, program, rows, columns, *flags, keys="d"):
        s = self.session(program, *flags, rows=rows, columns=columns)
        s.wait_for("step 0")
        s.send(keys)
        return s.wait_for("fires next").split("─ rule")[1]

    def test_a_deoptimization_on_a_small_screen_shows_the_assume_and_its_frames(self):
        inlined = str(ROOT / "examples/34_two_outer_frames.sou")
        for rows, columns in ((24, 80), (18, 80), (24, 60)):
            shown = self.deopts(inlined, rows, columns)
            for text in ("assume [(d > 0)] else (clamp, base, start)", "frames: 3",
                         "0 clamp.base.start  [x = -4]", "1 side.base.clamped, c = $  [a = 1, b = 5]",
                         "2 area.base.sided, s = $  [a = 1, b = 5]"):
                self.assertIn(text, shown, (rows, columns))
        self.assertIn("(d > 0) -> false", self.deopts(inlined, 24, 80))

    def test_ten_frames_with_long_varmaps(self):
        names = [f"variable_{i}" for i in range(12)]
        variables = "".join(f"var {x} = {i}\n" for i, x in enumerate(names))
        varmap = ", ".join(f"var {x} = {x}" for x in names)
        outer = ", ".join(f"(f{k}, base, Back) [var r = $, {varmap}]" for k in range(1, 10))
        text = "call r = 'f9()\nprint r\n"
        for k in range(10):
            text += f"function f{k}()\n"
            if k == 9:
                text += (f"version opt\n{variables}assume [(variable_0 != 0)] else (f0, base, Here) "
                         f"[{varmap}], {outer}\nreturn 2\n")
            text += f"version base\n{variables}"
            text += f"call r = 'f{k - 1}()\n>Back:\nreturn r\n" if k else ">Here:\nreturn 1\n"
        self.write("x.sou", text)
        shown = self.deopts("x.sou", 24, 80)
        self.assertIn("assume [(variable_0 != 0)] else (f0, base, Here)", shown)
        self.assertIn("frames: 10", shown)
        for k in range(10):
            self.assertRegex(shown, rf"\n  {k} f{k}\.base\.")
        self.assertIn("variable_2 = 2", shown)

    def test_a_deoptimization_on_a_deep_stack(self):
        self.write("x.sou", "call r = 'f(100)\nprint r\nfunction f(var n)\nversion opt\n"
                   "  assume [(n != 0)] else (f, base, Here) [var n = n]\n  call r = 'f((n - 1))\n"
                   "  return (r + 1)\nversion base\n>Here:\n  branch (n == 0) Z M\nZ:\n  return 0\n"
                   "M:\n  call r = 'f((n - 1))\n  return (r + 1)\n")
        s = self.session("x.sou", rows=24, columns=80)
        s.wait_for("step 0")
        s.send("d")
        shown = s.wait_for("AssumeDeopt fires next", "continuations: 101", "frames: 1",
                           "0 f.base.Here  [n = 0]", "(n != 0) -> false")
        self.assertIn("=> ", shown)

    def test_breakpoint_at_the_cursor(self):
        s = self.session(CHAIN)
        s.wait_for("step 0")
        s.send(DOWN * 2 + "B")
        s.wait_for("breakpoint set", "*  18   print a")
        s.send("c")
        s.wait_for("=>*  18   print a", "breakpoint 1")
        s.send("B")
        s.wait_for("breakpoint 1 removed", "=>   18   print a")

    def test_interrupt_and_go_on(self):
        (self.folder / "loop.sou").write_text(LOOP)
        s = self.session("loop.sou")
        s.wait_for("step 0")
        s.send("c")
        s.wait_for("working")
        s.send("\x03")
        s.wait_for("interrupted")
        s.send("\x03")
        s.pump(0.2)
        s.send(":goto 1\r")
        s.wait_for("step 1  main")


class Commands(ScreenTest):
    def test_command_line(self):
        s = self.session(CHAIN)
        s.wait_for("step 0")
        s.send(":sta\t")
        s.wait_for("stack  state", ":sta")
        s.send("t\t\r")
        s.wait_for("answer", "0 lines of the input read")
        s.send("x")
        s.wait_for("environment", without=["answer"])
        s.send(":brea nowhere\r")
        s.wait_for("error: there is no place nowhere")
        s.send(":" + UP + UP)
        s.wait_for(":state")
        s.send("\x7f\x15step 3; back\r")
        s.wait_for("step 2  fun.V2.L0", "undone: 3")
        s.send("\r")
        s.wait_for("step 1  main.anon+1")
        s.send("?")
        s.wait_for("answer (more below", "reverse-finish")
        s.send(DOWN)
        s.wait_for("answer (more below")
        s.send("q")
        s.wait_for("environment", without=["answer"])
        s.send(":quit\r")
        self.assertEqual(s.wait(), 0)

    def test_focus_zoom_and_scrolling(self):
        (self.folder / "long.sou").write_text(
            "".join(f"var x{i} = {i}\n" for i in range(100)) + "print \"" + "ab" * 200 + "\"\n")
        s = self.session("long.sou")
        s.wait_for("step 0")
        s.send(":goto 100\r")
        s.wait_for("step 100", "x0 = 0", "abab>")
        s.send("\t\tz")
        s.wait_for("x25 = 25", without=["rule"])
        s.send("\x1bOB" * 30)
        s.wait_for("x50 = 50", without=["x0 = 0"])
        s.send("z")
        s.wait_for("rule")
        s.send("\t\t\t\t" + RIGHT)
        s.wait_for("<abab")
        s.send("." + "\x0c")
        s.wait_for("=>  101")


class Terminals(ScreenTest):
    def test_every_size(self):
        s = self.session(CHAIN)
        s.wait_for("step 0")
        s.send("d")
        s.wait_for("step 22")
        before = self.panes(s)
        sizes = [(1, 1), (1, 80), (2, 2), (3, 10), (24, 1), (5, 200), (8, 30), (200, 20)]
        dice = random.Random(8)
        sizes += [(dice.randint(1, 60), dice.randint(1, 200)) for _ in range(30)]
        for rows, columns in sizes:
            s.resize(rows, columns)
            s.send(dice.choice(["b", "s", "\t", "z", "?", "x", ":st\x1b", "\x0c"]))
            s.pump(0.05)
        s.resize(30, 110)
        s.send("\x1b")
        s.pump(0.1)
        s.send("\x1b")
        s.send(":goto 22\r")
        s.wait_for("step 22")
        s.send(".\x0c")
        shown = "\n".join(self.panes(s))
        if "─ rule" not in shown:
            s.send("z")
        while "─ source" not in "\n".join(self.panes(s)[:1]):
            s.send("\t")
        self.assertEqual(len(self.panes(s)), len(before))
        s.wait_for("=>   33", "AssumeDeopt: assume deoptimizes")

    def test_wide_characters_and_controls(self):
        text = 'var s = "' + "日本語テキスト" * 20 + '"\nvar e = "\x1b[2J\x07é"\nprint s\nstop\n'
        (self.folder / "wide.sou").write_text(text)
        for columns in (40, 41, 79, 100):
            s = self.session("wide.sou", columns=columns)
            s.wait_for("step 0")
            s.send("sss")
            shown = s.wait_for("step 3  main")
            self.assertIn("日本語", shown)
            self.assertIn("\\x1b[2J\\x07", shown)
            before = self.panes(s)
            s.send("\x0c") # drawn anew: nothing was left over from before
            self.assertEqual(self.panes(s), before)
            s.send("q")
            self.assertEqual(s.wait(), 0)

    def test_is_left_as_it_was(self):
        for how, status in (("q", 0), (signal.SIGTERM, -signal.SIGTERM),
                            (signal.SIGHUP, -signal.SIGHUP), (signal.SIGSEGV, None)):
            s = self.session(CHAIN)
            s.wait_for("step 0")
            self.assertNotEqual(self.modes(s), s.modes)
            # A second descriptor keeps the terminal alive once the program has gone.
            keeper = os.open(f"/proc/{s.pid}/fd/0", os.O_RDWR | os.O_NOCTTY)
            self.addCleanup(os.close, keeper)
            s.send(how) if how == "q" else os.kill(s.pid, how)
            ended = s.wait()
            self.assertEqual(ended, status) if status is not None else self.assertNotEqual(ended, 0)
            self.assertEqual(self.modes(s), s.modes, how)

    @staticmethod
    def modes(session):
        import termios
        return termios.tcgetattr(session.fd)[:4]

    def test_a_terminal_that_cannot(self):
        s = self.session(CHAIN, terminal="dumb")
        s.wait_for("`help` lists the commands", "(0 main.anon+0)")


class LineEditing(ScreenTest):
    def test_prompt_completion_history(self):
        s = self.session(CHAIN, "--no-screen")
        s.wait_for("(0 main.anon+0)")
        s.send("reverse-d\t\r")
        s.wait_for("reverse-deopt", "the start")
        s.send("deopt\r")
        s.wait_for("(22 fun.V2.L1)")
        s.send("print le\x03")
        s.pump(0.2)
        s.send("print n\r")
        s.wait_for("n = 0")
        s.send("\x1b[A\r")
        s.pump(0.2)
        s.send("\x04")
        self.assertEqual(s.wait(), 0)

    def test_interrupt(self):
        (self.folder / "loop.sou").write_text(LOOP)
        s = self.session("loop.sou", "--no-screen")
        s.wait_for("(0 main")
        s.send("continue\r")
        time.sleep(0.5)
        s.send("\x03")
        s.wait_for("interrupted")
        s.send("goto 7\r")
        s.wait_for("(7 main")
        s.send("quit\r")
        self.assertEqual(s.wait(), 0)


if __name__ == "__main__":
    unittest.main()
