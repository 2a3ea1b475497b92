"""Enough of C++ to find functions in clang-formatted text: blanking and brace matching."""
import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>\b(?:u8|u|U|L)?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)")
      | (?P<string>"(?:\\.|[^"\\\n])*")
      | (?P<char>(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
TYPE_HEADER = re.compile(
    r"^(?:(?:typedef|static|inline|const|constexpr)\s+)*(?:class|struct|union|enum)\b")
SCOPE_HEADER = re.compile(r'^(?:inline\s+)?namespace\b|^extern\s+""\s*$')


def _spaces(text):
    return re.sub(r"[^\n]", " ", text)


def blank(text):
    """The text with comments gone and literals emptied; every line keeps its number."""

    def replace(match):
        if match["comment"]:
            return _spaces(match[0])
        quote = "'" if match["char"] else '"'
        return quote + _spaces(match[0][1:-1]) + quote

    return TOKEN.sub(replace, text)


def _without_templates(header):
    """Drops leading attributes and template<...> clauses."""
    while True:
        header = re.sub(r"^(?:\[\[[^\]]*\]\]|alignas\s*\([^)]*\))\s*", "", header.lstrip())
        if not re.match(r"template\s*<", header):
            return header
        depth, at = 0, header.index("<")
        for at in range(at, len(header)):
            depth += {"<": 1, ">": -1}.get(header[at], 0)
            if depth == 0:
                break
        header = header[at + 1 :]


def _kind(header, spaced):
    """What a brace after `header` opens: "scope", "function" or "value"."""
    header = _without_templates(header).strip()
    if SCOPE_HEADER.match(re.sub(r'"\s*"', '""', header)) or TYPE_HEADER.match(header):
        return "scope"
    if spaced and header and header[-1] not in "=,(" and re.search(r"[)\]]", header):
        return "function"
    return "value"


def _closing(text, start):
    """The index of the brace that closes the one at `start` (the end of the text if none does)."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text) - 1


def _name(header):
    header = _without_templates(header)
    match = re.search(r"([\w:~]+(?:\s*operator\s*\S+?)?)\s*\(", header)
    match = match or re.search(r"(\w+)\s*=", header)
    return match[1] if match else header.strip()[:40]


def functions(text):
    """(name, first line, last line) of every function, lines counted from 1.

    Lambdas and local types belong to the function around them.
    """
    text = DIRECTIVE.sub(lambda m: _spaces(m[0]), blank(text))
    found, begin, at, parens = [], 0, 0, 0
    while at < len(text):
        char = text[at]
        parens = max(0, parens + {"(": 1, ")": -1}.get(char, 0))
        if char == "{" and parens:
            at = _closing(text, at)
        elif char == "{":
            header = text[begin:at]
            kind = _kind(header, text[at - 1 : at].isspace())
            end = _closing(text, at)
            if kind == "scope":
                begin = at + 1
            else:
                at = end
            if kind == "function":
                first = begin + len(header) - len(header.lstrip())
                found.append((_name(header), _line(text, first), _line(text, end)))
                begin = end + 1
        elif char in ";}":
            begin = at + 1
        at += 1
    return found


def _line(text, index):
    return text.count("\n", 0, index) + 1
