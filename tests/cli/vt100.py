"""A program on a pseudo-terminal, and enough of a VT100 to see what it shows."""
import fcntl
import os
import re
import select
import signal
import struct
import termios
import time
import unicodedata

SEQUENCE = re.compile(rb"\x1b(?:\[([?0-9;]*)([A-Za-z])|[()]([0-9A-Za-z])|([=>78DM]))")


class Screen:
    """Cells of a VT100. What it does not know is an error."""

    def __init__(self, rows, columns):
        self.resize(rows, columns)
        self.pending = b""

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.y = self.x = 0
        self.top, self.bottom = 0, rows - 1

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.lines())

    def feed(self, data):
        data, self.pending = self.pending + data, b""
        while data:
            if data[0] == 0x1B:
                match = SEQUENCE.match(data)
                if not match:
                    if len(data) > 20:
                        raise ValueError(f"unknown sequence {data[:20]!r}")
                    self.pending = data  # the rest is to come
                    return
                self.sequence(*match.groups())
                data = data[match.end():]
            elif data[0] < 0x20:
                self.control(data[0])
                data = data[1:]
            else:
                size = 1 if data[0] < 0x80 else 2 if data[0] < 0xE0 else 3 if data[0] < 0xF0 else 4
                if len(data) < size:
                    self.pending = data
                    return
                self.put(data[:size].decode())
                data = data[size:]

    def put(self, character):
        if unicodedata.combining(character):
            return
        wide = unicodedata.east_asian_width(character) in "WF"
        if self.x + wide >= self.columns + (not wide):
            self.x = 0
            self.line_feed()
        self.cells[self.y][self.x] = character
        if wide:
            self.cells[self.y][self.x + 1] = ""
        self.x += 1 + wide

    def control(self, code):
        if code == 0x08:
            self.x = max(0, min(self.x, self.columns - 1) - 1)
        elif code == 0x09:
            self.x = min(self.columns - 1, (self.x // 8 + 1) * 8)
        elif code == 0x0A:
            self.line_feed()
        elif code == 0x0D:
            self.x = 0
        elif code not in (0x00, 0x07, 0x0E, 0x0F):  # padding, bell, line-drawing on and off
            raise ValueError(f"unknown control {code:#x}")

    def line_feed(self):
        if self.y == self.bottom:
            self.cells.insert(self.bottom + 1, [" "] * self.columns)
            del self.cells[self.top]
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def reverse_line_feed(self):
        if self.y == self.top:
            del self.cells[self.bottom]
            self.cells.insert(self.top, [" "] * self.columns)
        else:
            self.y = max(self.y - 1, 0)

    def erase(self, y, begin, end):
        for x in range(begin, min(end, self.columns)):
            self.cells[y][x] = " "

    def sequence(self, arguments, final, charset, single):
        if charset or single in ("=", ">", b"=", b">"):
            return
        if single:
            {b"M": self.reverse_line_feed, b"D": self.line_feed}[single]()
            return
        numbers = [int(n) if n.isdigit() else 0 for n in arguments.split(b";")]
        n = max(1, numbers[0])
        if final == b"H":
            self.y = min(n, self.rows) - 1
            self.x = min(max(1, (numbers + [1])[1]), self.columns) - 1
        elif final in b"ABCD":
            dy, dx = {b"A": (-n, 0), b"B": (n, 0), b"C": (0, n), b"D": (0, -n)}[final]
            self.y = min(max(0, self.y + dy), self.rows - 1)
            self.x = min(max(0, self.x + dx), self.columns - 1)
        elif final == b"J":
            assert numbers[0] in (0, 2)
            self.erase(self.y, self.x if numbers[0] == 0 else 0, self.columns)
            for y in range(self.y + 1 if numbers[0] == 0 else 0, self.rows):
                self.erase(y, 0, self.columns)
        elif final == b"K":
            begin, end = {0: (self.x, self.columns), 1: (0, self.x + 1),
                          2: (0, self.columns)}[numbers[0]]
            self.erase(self.y, begin, end)
        elif final == b"r":
            self.top = n - 1
            self.bottom = min((numbers + [0])[1] or self.rows, self.rows) - 1
            self.y = self.x = 0
        elif final not in b"mhl":
            raise ValueError(f"unknown sequence {final!r}")


class Session:
    """A program that runs on a terminal of its own."""

    def __init__(self, words, folder, rows, columns, terminal="vt100"):
        self.screen = Screen(rows, columns)
        self.fd, terminal_fd = os.openpty()
        self.modes = termios.tcgetattr(self.fd)[:4] # before the program can change them
        self.pid = os.fork()
        if self.pid == 0:
            os.login_tty(terminal_fd)
            os.chdir(folder)
            self.set_size(0, rows, columns)
            environment = dict(os.environ, TERM=terminal, LC_ALL="C.UTF-8", NO_COLOR="1")
            for name in ("LINES", "COLUMNS"):
                environment.pop(name, None)
            os.execve(words[0], words, environment)
        os.close(terminal_fd)
        self.status = None

    @staticmethod
    def set_size(fd, rows, columns):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.pump(0.05)
        self.screen.resize(rows, columns)
        self.set_size(self.fd, rows, columns)
        os.kill(self.pid, signal.SIGWINCH)
        self.pump(0.1)

    def send(self, keys):
        os.write(self.fd, keys.encode())

    def pump(self, seconds):
        """Takes what comes; stops after that time without anything."""
        while select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return False
            if not data:
                return False
            self.screen.feed(data)
        return True

    def wait_for(self, *texts, without=(), seconds=20):
        """Until all texts are on the screen, and none of the others."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.pump(0.05)
            shown = self.screen.text()
            if all(t in shown for t in texts) and not any(t in shown for t in without):
                return shown
        raise AssertionError(f"{texts} without {without} not shown:\n{self.screen.text()}")

    def wait(self, seconds=20):
        """The exit status; negative: the signal that ended it."""
        end = time.monotonic() + seconds
        while self.status is None and time.monotonic() < end:
            self.pump(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
