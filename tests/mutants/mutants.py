#!/usr/bin/env python3
"""Seeded bugs: each file of tests/mutants/bugs says where the product is broken and how. This
script checks them, and writes copies of the sources concerned in which each bug can be switched on
at run time, `seeded(NUMBER) ? bug : original`.

usage: mutants.py --check              every anchor matches exactly once, every number stands once
       mutants.py --sources            the sources concerned, a line each
       mutants.py --list               number, pass and idea of each bug
       mutants.py --out FOLDER         FOLDER/PATH for each source, FOLDER/seeded_bugs.cpp: the table

A bug is a file NAME.mutant:

    # What the mistake is, in one line.
    number: 9
    pass: constprop                    the pass or the part of native code that is broken
    source: sourir/analysis/facts.cpp
    expression                         or: statement, text
    --- original
    case BinaryOp::Add: if (|> is_int(a) <| && b.equals == zero)
    --- bug
    true

`original` is compared by tokens, so formatting and comments do not matter, and must stand exactly
once in the source. `|>` before and `<|` after a part of it narrow what is replaced: the rest only
says where. `|> <|` with nothing between them: the bug's statements are inserted there, and run
before what follows. A `statement` must not declare what later statements use. `text` is replaced
(or inserted) whatever bug is switched on: a variable or a function that only the bug needs. Further
pairs of blocks may follow, each with a `source:` line or a form of its own where it differs. A file
all of whose blocks are `text` needs no number and no pass: it is no bug, but what the program with
bugs does differently.
"""
import argparse
import bisect
import difflib
import re
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUGS = Path(__file__).resolve().parent / "bugs"
FORMS = ("expression", "statement", "text")

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      | R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | '(?:\\.|[^'\\\n])+'
      | \w[\w']*
      | \|> | <\|
      | .""",
    re.VERBOSE | re.DOTALL)

Token = namedtuple("Token", "text start end")
Bug = namedtuple("Bug", "name number part idea hunks")
Hunk = namedtuple("Hunk", "source form original bug")
Span = namedtuple("Span", "start end bug hunk")


class Mistake(Exception):
    """A file of tests/mutants/bugs that cannot be used, and why."""


def tokens(text):
    return [Token(m[0], m.start(), m.end()) for m in TOKEN.finditer(text) if not m["skip"]]


def read_bug(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    fields, hunks, block, form = {}, [], None, None
    idea = lines[0][2:].strip() if lines and lines[0].startswith("# ") else ""
    for line in lines:
        if line in ("--- original", "--- bug"):
            if line == "--- original":
                hunks.append({"source": fields.get("source"), "form": form, "original": [], "bug": None})
            elif not hunks or hunks[-1]["bug"] is not None:
                raise Mistake(f"{path.name}: `--- bug` without `--- original` before it")
            else:
                hunks[-1]["bug"] = []
            block = line[4:]
        elif block and not re.fullmatch(r"source: \S+|" + "|".join(FORMS), line):
            hunks[-1][block].append(line)
        elif line in FORMS:
            form, block = line, None
        elif match := re.fullmatch(r"(number|pass|source): (.+)", line):
            fields[match[1]], block = match[2], None
        elif line.strip() and not line.startswith("#"):
            raise Mistake(f"{path.name}: cannot read `{line}`")
    switched = any(h["form"] != "text" for h in hunks)
    missing = switched and ("number" not in fields or "pass" not in fields)
    if missing or not idea or not hunks or any(
            h["bug"] is None or not h["form"] or not h["source"] for h in hunks):
        raise Mistake(f"{path.name}: needs a first line `# IDEA`, number, pass, source, a form "
                      f"({', '.join(FORMS)}), `--- original` and `--- bug`")
    return Bug(path.stem, int(fields.get("number", 0)), fields.get("pass", ""), idea,
               [Hunk(h["source"], h["form"], "\n".join(h["original"]), "\n".join(h["bug"]))
                for h in hunks])


def read_bugs(folder=BUGS):
    """In ascending order of their numbers; first, with the number 0, what is no bug."""
    bugs = sorted((read_bug(path) for path in folder.glob("*.mutant")),
                  key=lambda b: (b.number, b.name))
    for one, other in zip(bugs, bugs[1:]):
        if one.number == other.number != 0:
            raise Mistake(f"{one.name} and {other.name} have the same number {one.number}")
    return bugs


def nearest(text, anchor):
    """Where the source is most like the anchor: its line number and the line."""
    wanted = [t.text for t in tokens(anchor) if t.text not in ("|>", "<|")]
    lines, best = text.splitlines(), (0.0, 0)
    for at, line in enumerate(lines):
        here = [t.text for t in tokens("\n".join(lines[at:at + anchor.count("\n") + 1]))]
        matcher = difflib.SequenceMatcher(None, wanted, here, autojunk=False)
        if here and matcher.quick_ratio() > best[0] and matcher.ratio() > best[0]:
            best = (matcher.ratio(), at)
    return best[1] + 1, lines[best[1]].strip() if lines else ""


def find(bug, hunk, text):
    """The span of the text that the hunk replaces."""
    anchor = [t.text for t in tokens(hunk.original)]
    begin = anchor.index("|>") if "|>" in anchor else 0
    end = anchor.index("<|") - ("|>" in anchor) if "<|" in anchor else None
    anchor = [t for t in anchor if t not in ("|>", "<|")]
    if not anchor:
        raise Mistake(f"{bug.name}: the original is empty")
    here = tokens(text)
    words = [t.text for t in here]
    found = [k for k in range(len(words) - len(anchor) + 1)
             if words[k] == anchor[0] and words[k:k + len(anchor)] == anchor]
    if len(found) != 1:
        line, near = nearest(text, hunk.original)
        raise Mistake(f"{bug.name}: its anchor stands {len(found)} times in {hunk.source}, must stand "
                      f"once; the nearest place is {hunk.source}:{line}: {near}")
    first, behind = found[0] + begin, found[0] + (end if end is not None else len(anchor))
    if first == behind:
        place = here[first].start if first < len(here) else len(text)
        return Span(place, place, bug, hunk)
    return Span(here[first].start, here[behind - 1].end, bug, hunk)


def switchable(span, original, has_inner):
    """The bug, or the original."""
    bug, condition = span.hunk.bug, f"::sourir::seeded({span.bug.number})"
    if span.hunk.form == "text":
        if has_inner:
            raise Mistake(f"{span.bug.name} replaces text of {span.hunk.source} with other bugs in it")
        return f"{bug}\n" if span.start == span.end else bug
    if span.start == span.end:
        if span.hunk.form != "statement":
            raise Mistake(f"{span.bug.name} replaces nothing by an expression in {span.hunk.source}")
        return f"if ({condition}) {{\n{bug}\n}}\n"
    if span.hunk.form == "expression":
        return f"({condition} ? ({bug}) : ({original}))"
    return f"{{ if ({condition}) {{\n{bug}\n}} else {{\n{original}\n}} }}"


def seeded_text(text, spans, start, end):
    """text[start:end] with the bugs of these spans; inner ones stand in the originals of outer ones."""
    parts, at = [], start
    while spans:
        span, inner, spans = spans[0], [s for s in spans[1:] if s.start < spans[0].end], [
            s for s in spans[1:] if s.start >= spans[0].end]
        for other in inner:
            if other.end > span.end:
                raise Mistake(f"{span.bug.name} and {other.bug.name} overlap in {span.hunk.source}")
        original = seeded_text(text, inner, span.start, span.end)
        parts += [text[at:span.start], switchable(span, original, bool(inner))]
        at = span.end
    return "".join([*parts, text[at:end]])


def seeded_sources(bugs, root=ROOT):
    """{path: text} of the sources concerned, with all bugs."""
    by_source = {}
    for bug in bugs:
        for hunk in bug.hunks:
            by_source.setdefault(hunk.source, []).append((bug, hunk))
    result, mistakes = {}, []
    for source, hunks in sorted(by_source.items()):
        path = root / source
        if not path.exists():
            mistakes += [f"{bug.name}: there is no {source}" for bug, _ in hunks]
            continue
        text, spans = path.read_text(encoding="utf-8"), []
        for bug, hunk in hunks:
            try:
                spans.append(find(bug, hunk, text))
            except Mistake as mistake:
                mistakes.append(str(mistake))
        try:
            spans.sort(key=lambda s: (s.start, s.end > s.start, -s.end))
            lines = [m.end() for m in re.finditer(r"\n", text)]
            first = bisect.bisect(lines, spans[0].start) + 1 if spans else 1
            result[source] = (f"// {source} with seeded bugs, the first at line {first}.\n"
                              '#include "tests/mutants/seeded.h"\n' f'#line 1 "{source}"\n'
                              + seeded_text(text, spans, 0, len(text)))
        except Mistake as mistake:
            mistakes.append(str(mistake))
    if mistakes:
        raise Mistake("\n".join(dict.fromkeys(mistakes)))
    return result


def table(bugs):
    def quoted(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    rows = "\n".join(f"    {{{b.number}, {quoted(b.part)}, {quoted(b.idea)}}}," for b in bugs if b.number)
    return f"""// Made from tests/mutants/bugs by tests/mutants/mutants.py.
#include "tests/mutants/seeded.h"

#include "sourir/fuzz/seeded_bugs.h"

#include <algorithm>

namespace sourir {{
namespace {{

constexpr SeededBug kBugs[] = {{
{rows}
}};
int selected = 0;

}} // namespace

bool seeded(int number) {{ return selected == number; }}

std::span<const SeededBug> seeded_bugs() {{ return kBugs; }}

bool select_seeded_bug(int number) {{
  if (number != 0 && std::ranges::find(kBugs, number, &SeededBug::number) == std::end(kBugs))
    return false;
  selected = number;
  return true;
}}

}} // namespace sourir
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description="seeded bugs as files")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="every anchor matches exactly once")
    action.add_argument("--sources", action="store_true", help="the sources concerned")
    action.add_argument("--list", action="store_true", help="number, pass and idea of each bug")
    action.add_argument("--out", type=Path, help="write the sources with switchable bugs there")
    o = parser.parse_args(arguments)
    try:
        bugs = read_bugs()
        if o.sources:
            print("\n".join(sorted({h.source for b in bugs for h in b.hunks})))
        elif o.list:
            print("\n".join(f"{b.number:4} {b.part:18} {b.idea} ({b.name})" for b in bugs if b.number))
        else:
            sources = seeded_sources(bugs)
            if o.out:
                for source, text in sources.items():
                    write(o.out / source, text)
                write(o.out / "seeded_bugs.cpp", table(bugs))
            else:
                print(f"mutants: {sum(b.number > 0 for b in bugs)} seeded bugs in {len(sources)} sources, every anchor "
                      "matches")
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
