"""Writes a C++ source with the topics of explain_topics.txt.

usage: explain_topics.py OUT.cpp TOPICS.txt"""

import re
import sys


def indented(lines):
    """Takes the indented lines at the front; blank lines between them belong to them."""
    taken = []
    while lines and (lines[0].startswith("    ") or (not lines[0] and lines[1:2] and
                                                     lines[1].startswith("    "))):
        taken.append(lines.pop(0)[4:] + "\n")
    return "".join(taken)


def topic(heading, lines):
    kind, name = heading.split()
    found = {"kind": kind, "name": name, "title": "", "explanation": "", "example": "",
             "command": "", "input": ""}
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
        else:
            explanation.append(line)
    found["explanation"] = "\n".join(explanation).rstrip("\n")
    if not found["command"]:
        sys.exit(f"explain_topics.txt: {name} has no example")
    return found


def main():
    out, texts = sys.argv[1:]
    with open(texts, encoding="utf-8") as source:
        parts = re.split(r"^== (.*)\n", source.read(), flags=re.MULTILINE)[1:]
    rows = ""
    for heading, text in zip(parts[::2], parts[1::2]):
        fields = ", ".join(f".{field} = R\"({value})\""
                           for field, value in topic(heading, text.splitlines()).items())
        rows += f"    {{{fields}}},\n"
    with open(out, "w", encoding="utf-8") as result:
        result.write('#include "sourir/cli/explain.h"\n\nnamespace sourir {\n\n'
                     "std::span<const Topic> written_topics() {\n"
                     f"  static constexpr Topic kTopics[] = {{\n{rows}  }};\n"
                     "  return kTopics;\n}\n\n} // namespace sourir\n")


if __name__ == "__main__":
    main()
