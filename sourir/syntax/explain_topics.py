"""Writes a C++ source with the topics of `sourir explain` that stand in a text file.

usage: explain_topics.py diagnostics|topics|glossary OUT.cpp TEXT

diagnostics: the rows of diagnostics.h; topics: those of sourir/cli/explain.h. A topic of the text:
`== KIND NAME`; `title:`, which may be missing; lines of the explanation; `sourir COMMAND:` with an
example program that shows it; `input:` with what the example reads. Lines of comments begin with
`# `; `\\xNN` in an example is a byte.

glossary: the terms of docs/glossary.md as topics. A term is a section `### TERM`: a paragraph of one
sentence, which is the title, then the explanation. A table before it has a row with the term's name in other
virtual machines, which the explanation ends with."""

import re
import sys
import textwrap

FRAMES = {
    "diagnostics": ("sourir/syntax/diagnostics.h", "std::span<const CodeRow> code_rows() {\n"
                    "  static constexpr CodeRow kRows[] = {\n"),
    "topics": ("sourir/cli/explain.h", "std::span<const Topic> written_topics() {\n"
               "  static constexpr Topic kRows[] = {\n"),
    "glossary": ("sourir/cli/explain.h", "std::span<const Topic> glossary_topics() {\n"
                 "  static constexpr Topic kRows[] = {\n"),
}
WIDTH = 88 # of the lines of a term's explanation


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


def plain(markdown):
    """Without links and emphasis, on one line."""
    linked = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(markdown.split()))
    return re.sub(r"(?<![\w*`])\*([^*`]+)\*(?![\w*`])", r"\1", linked)


def lower_first(sentence):
    return sentence if sentence[1:2].isupper() else sentence[0].lower() + sentence[1:]


def elsewhere(page):
    """Of each term its names in other virtual machines, as one sentence."""
    found, machines = {}, []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if cells[:1] == ["sourir"]:
            machines = cells[1:]
        elif len(cells) > 1 and not cells[0].startswith("---"):
            if cells[0] in found or len(cells) != 1 + len(machines):
                sys.exit(f"explain_topics.py: two rows of {cells[0]}, or not a cell for each machine")
            names = [f"{m}: {n}" for m, n in zip(machines, cells[1:]) if n != "-"]
            found[cells[0]] = "; ".join(names)
    return found


def glossary(page):
    names = elsewhere(page)
    terms = re.findall(r"^### (.*)\n\n((?:(?!#|\|).*\n)*)", page, re.MULTILINE)
    if sorted(names) != sorted(term for term, _ in terms):
        odd = set(names) ^ {term for term, _ in terms}
        sys.exit(f"explain_topics.py: a row or a section is missing, of {', '.join(sorted(odd))}")
    for term, text in sorted(terms, key=lambda pair: pair[0].lower()):
        title, *paragraphs = [plain(paragraph) for paragraph in re.split(r"\n\n+", text.strip())]
        if names[term]:
            paragraphs.append("Elsewhere: " + names[term] + ".")
        yield term.replace(" ", "-"), {
            "title": lower_first(title.removesuffix(".")),
            "explanation": "\n\n".join(textwrap.fill(paragraph, WIDTH, break_on_hyphens=False)
                                       for paragraph in paragraphs)}


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
        text = source.read()
    rows = ""
    if form == "glossary":
        rows = "".join(row(form, "term", name, found) for name, found in glossary(text))
    parts = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)[1:]
    for heading, lines in zip(parts[::2], parts[1::2]):
        kind, name = heading.split()
        rows += row(form, kind, name, topic(kind, name, lines.splitlines()))
    header, begin = FRAMES[form]
    with open(out, "w", encoding="utf-8") as result:
        result.write(f'#include "{header}"\n\nnamespace sourir {{\n\n{begin}{rows}  }};\n'
                     "  return kRows;\n}\n\n} // namespace sourir\n")


if __name__ == "__main__":
    main()
