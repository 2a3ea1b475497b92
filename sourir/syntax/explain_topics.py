"""Writes a C++ source with the topics of `sourir explain` that stand in a text file.

usage: explain_topics.py diagnostics|topics OUT.cpp TEXT

diagnostics: the rows of diagnostics.h; topics: those of sourir/cli/explain.h. A topic of the text:
`== KIND NAME`; `title:`, which may be missing; lines of the explanation; `sourir COMMAND:` with an
example program that shows it; `input:` with what the example reads. Lines of comments begin with
`# `; `\\xNN` in an example is a byte."""

import re
import sys

FRAMES = {
    "diagnostics": ("sourir/syntax/diagnostics.h", "std::span<const CodeRow> code_rows() {\n"
                    "  static constexpr CodeRow kRows[] = {\n"),
    "topics": ("sourir/cli/explain.h", "std::span<const Topic> written_topics() {\n"
               "  static constexpr Topic kRows[] = {\n"),
}


def indented(lines):
    """Takes the indented lines at the front; blank lines between them belong to them."""
    taken = []
    while lines and (lines[0].startswith("    ") or (not lines[0] and lines[1:2] and
                                                     lines[1].startswith("    "))):
        taken.append(lines.pop(0)[4:] + "\n")
    return "".join(taken)


def topic(kind, name, lines):
    found = {"title": "", "explanation": "", "example": "", "command": "", "input": ""}
    if lines[0].startswith("title: "):
        found["title"] = lines.pop(0)[len("title: "):]
    explanation = []
    while lines:
        line = lines.pop(0)
        if line.startswith("sourir ") and line.endswith(":"):
            found["command"] = line[len("sourir "):-1]
            found["example"] = indented(lines)
        elif line == "input:":
            found["input"] = indented(lines)
        elif not line.startswith("# "):
            explanation.append(line)
    found["explanation"] = "\n".join(explanation).rstrip("\n")
    if not found["command"]:
        sys.exit(f"explain_topics.py: {kind} {name} has no example")
    return found


def literal(text):
    quoted = re.sub(r"\\x([0-9a-f]{2})|[\"\\\n]", lambda m: f"\\{int(m[1], 16):03o}" if m[1]
                    else {"\n": "\\n"}.get(m[0], "\\" + m[0]), text)
    return f'"{quoted}"'


def row(form, kind, name, found):
    if form == "diagnostics":
        code = "".join(word.capitalize() for word in name.split("-"))
        first = f".code = Code::{code}, .name = {literal(name)}, .severity = Severity::{kind.capitalize()}"
        del found["input"]
    else:
        first = f".kind = {literal(kind)}, .name = {literal(name)}"
    return f"    {{{first}, " + ", ".join(f".{f} = {literal(v)}" for f, v in found.items()) + "},\n"


def main():
    form, out, texts = sys.argv[1:]
    with open(texts, encoding="utf-8") as source:
        parts = re.split(r"^== (.*)\n", source.read(), flags=re.MULTILINE)[1:]
    rows = ""
    for heading, text in zip(parts[::2], parts[1::2]):
        kind, name = heading.split()
        rows += row(form, kind, name, topic(kind, name, text.splitlines()))
    header, begin = FRAMES[form]
    with open(out, "w", encoding="utf-8") as result:
        result.write(f'#include "{header}"\n\nnamespace sourir {{\n\n{begin}{rows}  }};\n'
                     "  return kRows;\n}\n\n} // namespace sourir\n")


if __name__ == "__main__":
    main()
