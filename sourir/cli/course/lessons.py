"""Writes a C++ source with the lessons of the course and their exercises (lessons.h).

usage: lessons.py OUT.cpp FOLDER

FOLDER has a page N-NAME.md for lesson N, whose first line is its title, and for each of its exercises
N/NAME.sou, whose first line is `# Exercise N.K: TITLE`, and N/NAME.solution.sou."""

import re
import sys
from pathlib import Path


def literal(text):
    lines = re.sub(r'["\\]', lambda m: "\\" + m[0], text).split("\n")
    return "\n    ".join(f'"{line}\\n"' for line in lines[:-1]) or '""'


def exercise(path):
    given = path.read_text(encoding="utf-8")
    head = re.match(r"# Exercise (\d+\.\d+): (.*)\n", given)
    solution = path.with_suffix(".solution.sou")
    if head is None or not solution.exists():
        sys.exit(f"lessons.py: {path} has no `# Exercise N.K: TITLE`, or no solution")
    return head[1], (f'    {{.number = "{head[1]}", .title = {literal(head[2] + chr(10))[:-3]}",\n'
                     f'    .file = "{path.name}",\n    .given =\n    {literal(given)},\n    .solution =\n'
                     f"    {literal(solution.read_text(encoding='utf-8'))}}},\n")


def main():
    out, folder = sys.argv[1], Path(sys.argv[2])
    arrays, rows = "", ""
    pages = {int(page.name.split("-")[0]): page for page in folder.glob("[1-9]*-*.md")}
    for number, page in sorted(pages.items()):
        text = page.read_text(encoding="utf-8")
        given = [path for path in (folder / str(number)).glob("*.sou") if ".solution" not in path.name]
        exercises = [made for _, made in sorted(map(exercise, given))]
        title = re.match(r"# (?:\d+\. )?(.*)\n", text)[1]
        arrays += f"constexpr Exercise kExercises{number}[] = {{\n{''.join(exercises)}}};\n"
        rows += (f'    {{.number = "{number}", .title = {literal(title + chr(10))[:-3]}",\n    .text =\n'
                 f"    {literal(text)},\n    .exercises = kExercises{number}}},\n")
    Path(out).write_text(
        f'#include "sourir/cli/course/lessons.h"\n\nnamespace sourir {{\nnamespace {{\n{arrays}}}\n\n'
        f"std::span<const Lesson> lessons() {{\n  static constexpr Lesson kLessons[] = {{\n{rows}  }};\n"
        "  return kLessons;\n}\n\n} // namespace sourir\n", encoding="utf-8")


if __name__ == "__main__":
    main()
