"""What a file test says: its commands, its expectations at lines, its golden tail.

    # test: run --fuel 100         a command; FILE is appended, or put where {file} stands
    # test(stderr): check          the same, and the golden tail holds standard error as well
    # stdin: 42                    a line of standard input (several: in order)
    # file: other.sou              a sibling file to have beside it
    # exit: 3                      what each command exits with
    # engines: reference (WHY)     run_engines.py leaves it out: other engines may differ
    print x   # prints: 1 | 2      what this line prints, in order (empty: nothing, ever)
    y[9] <- 1 # stuck: bad-index   where and why the run gets stuck
    goto L    # error: CODE ...    what `check` reports there (`warning:` likewise)
    # error@+1: CODE               the same for the next line (@-1, or @12 for line 12)
    # ---
    # --- run --fuel 100           the golden tail: for each command its output, a `# ` before
    # 1                            each line, then standard error behind `# ! `, then
    # exit: 3                      `# exit: N` if N is not 0

A .sou.json file cannot hold comments: its test stands in FILE.test beside it (header and tail).
"""
import re
import shlex
from collections import namedtuple
from pathlib import Path

Command = namedtuple("Command", "text arguments with_stderr")
Problem = namedtuple("Problem", "severity code")  # of a diagnostic
HEADER = re.compile(r"#\s*(test|test\(stderr\)|stdin|file|exit|engines):(?: (.*))?$")
EXPECTATION = re.compile(
    r"#\s*(error|warning|prints|stuck)(?:@([+-]?)(\d+))?:[ \t]*(.*?)"
    r"(?=\s+#\s*(?:error|warning|prints|stuck)\b[^#]*:|$)")
TAIL = "# ---"


class FileTest:
    """A parsed file test. Raises ValueError where it makes no sense."""

    def __init__(self, path):
        self.path = Path(path)
        self.text_path = self.path
        if self.path.name.endswith(".json"):
            self.text_path = self.path.with_name(self.path.name + ".test")
        text = self.text_path.read_bytes().decode("utf-8", "surrogateescape")
        self.body, self.golden = split_tail(text)
        self.commands, self.stdin, self.files, self.exit = [], "", [], None
        self.only_reference = None  # or the reason
        self._read_header()
        # line -> set of Problem; line -> list of printed texts; (line, reason) or None
        self.problems, self.prints, self.stuck = {}, {}, None
        self._read_expectations()

    def program(self):
        """The bytes that the tool gets to read."""
        if self.path != self.text_path:
            return self.path.read_bytes()
        return self.body.encode("utf-8", "surrogateescape")

    def check_sense(self, blessing):
        names = [command.arguments[0] for command in self.commands if command.arguments]
        if not self.commands or len(names) != len(self.commands):
            raise ValueError("no `# test: COMMAND` line")
        if self.problems and "check" not in names:
            raise ValueError("expects diagnostics, but has no `# test: check`")
        if (self.prints or self.stuck) and "run" not in names:
            raise ValueError("expects prints or a stuck place, but has no `# test: run`")
        if not blessing and not self.says_something():
            raise ValueError("tests nothing: no golden tail, no expectation, no `# exit:` "
                             "(--bless writes a golden tail: what the commands say now)")

    def has_line_expectations(self):
        return bool(self.problems or self.prints or self.stuck)

    def says_something(self):
        return self.has_line_expectations() or self.golden is not None or self.exit is not None

    def _read_header(self):
        for line in self.body.split("\n"):
            line = line.rstrip("\r")
            if line.strip() and not line.lstrip().startswith("#"):
                break
            match = HEADER.match(line.lstrip())
            if match:
                self._read_header_line(match[1], match[2] or "")

    def _read_header_line(self, key, value):
        if key == "stdin":
            self.stdin += value + "\n"
        elif key == "file":
            self.files.append(value.strip())
        elif key == "exit":
            self.exit = int(value)
        elif key == "engines":
            match = re.fullmatch(r"reference \((.+)\)", value.strip())
            if not match:
                raise ValueError("`# engines:` takes `reference (WHY)`")
            self.only_reference = match[1]
        else:
            text = value.strip()
            self.commands.append(Command(text, shlex.split(text), key == "test(stderr)"))

    def _read_expectations(self):
        for number, line in enumerate(self.body.split("\n"), start=1):
            for key, sign, offset, value in EXPECTATION.findall(line.rstrip("\r")):
                at = number
                if offset:
                    at = {"+": number, "-": number, "": 0}[sign] + int(sign + offset)
                self._expect(key, at, value.strip())

    def _expect(self, key, line, value):
        if key == "prints":
            values = [part.strip() for part in value.split(" | ")] if value else []
            self.prints.setdefault(line, []).extend(values)
        elif key == "stuck":
            if self.stuck:
                raise ValueError("more than one `# stuck:`")
            self.stuck = (line, value)
        else:
            if not value:
                raise ValueError(f"line {line}: `# {key}:` without a code")
            self.problems.setdefault(line, set()).update(Problem(key, c) for c in value.split())


def split_tail(text):
    """(what stands before the golden tail, the lines of the tail or None)."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.rstrip() == TAIL:
            body = "\n".join(lines[:index])
            return (body + "\n" if index else ""), [l.rstrip("\r") for l in lines[index + 1 :]]
    return text, None


def render(command, result, with_stderr):
    """A section of a golden tail."""
    lines = [f"{TAIL} {command.text}"]
    lines += _commented(result.stdout, "#")
    if with_stderr:
        lines += _commented(result.stderr, "# !")
    if result.status:
        lines.append(f"# exit: {result.status}")
    return lines


def _commented(text, mark):
    if not text:
        return []
    lines = text.split("\n")
    ended = not lines[-1]
    if ended:
        lines.pop()
    marked = [f"{mark} {line}" if line else mark for line in lines]
    return marked if ended else marked + [f"{mark} \\ no newline at the end"]


def golden_sections(test):
    """For each command its lines of the golden tail (empty where the tail has none)."""
    lines = list(test.golden or [])
    while lines and not lines[-1]:
        lines.pop()
    starts = []
    for command in test.commands:
        heading, after = f"{TAIL} {command.text}", (starts[-1] + 1 if starts else 0)
        starts.append(lines.index(heading, after) if heading in lines[after:] else len(lines))
    if starts:
        starts[0] = 0  # stray lines before the first heading belong to it, and differ
    ends = starts[1:] + [len(lines)]
    return [lines[start:end] for start, end in zip(starts, ends)]


def compares_stderr(command, golden):
    return command.with_stderr or any(line.startswith("# ! ") for line in golden)
