"""Writes a C++ source with the inference rules that stand above the functions in rules.cpp, so
that `sourir explain` shows the very text that one reads in the source.

usage: rule_texts.py OUT.cpp RULES.cpp"""

import re
import sys

RULE = re.compile(r"((?:^//.*\n)+)Derivation ([A-Z]\w+)\(const Config", re.MULTILINE)


def rules_in(path):
    with open(path, encoding="utf-8") as source:
        for match in RULE.finditer(source.read()):
            lines = [line[3:] for line in match[1].splitlines()]
            yield match[2], "\n".join(lines) + "\n"


def main():
    out, source = sys.argv[1:]
    cases = "".join(f'  if (rule == "{name}")\n    return R"({text})";\n'
                    for name, text in rules_in(source))
    with open(out, "w", encoding="utf-8") as result:
        result.write(
            '#include "sourir/semantics/rules.h"\n\nnamespace sourir {\n\n'
            "std::string_view inference_rule(std::string_view rule) {\n"
            f"{cases}  return {{}};\n}}\n\n}} // namespace sourir\n"
        )


if __name__ == "__main__":
    main()
