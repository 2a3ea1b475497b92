"""Classes of C++ text and their methods, for rules and measurements about their size."""
import re
from collections import namedtuple

from cpp_text import DIRECTIVE, _closing, _spaces, blank

Class = namedtuple("Class", "name line public_methods methods fields")

HEAD = re.compile(r"\b(class|struct)\s+(?:\[\[[^\]]*\]\]\s*)?([\w:]+)(?:\s+final)?\s*(?::[^;{()]*)?\{")
ACCESS = re.compile(r"^\s*(public|private|protected)\s*:(?!:)")
NO_MEMBER = re.compile(r"^\s*(?:using|typedef|friend|static_assert|enum|template\s*<[^>]*>\s*friend)\b")


def _members(body):
    """The declarations directly inside a class body, bodies and initializers cut off."""
    start = at = 0
    while at < len(body):
        if body[at] in "({[":
            closing = {"(": ")", "{": "}", "[": "]"}[body[at]]
            opening, depth = body[at], 0
            brace = at
            while at < len(body):
                depth += {opening: 1, closing: -1}.get(body[at], 0)
                if depth == 0:
                    break
                at += 1
            if opening == "{":
                text = body[start:brace]
                following = re.match(r"\s*[;,]", body[at + 1:])
                if "(" in text and not following:  # a method with its body
                    yield text
                    start = at + 1
        elif body[at] == ";":
            yield body[start:at]
            start = at + 1
        elif body[at] == ":" and re.search(r"\b(public|private|protected)\s*$", body[start:at]):
            yield re.search(r"(\w+)\s*$", body[start:at])[1] + ":"
            start = at + 1
        at += 1


def _is_method(member):
    head = re.sub(r"\{[^{}]*\}", "", member)
    head = re.sub(r"<[^<>()]*>", "", re.sub(r"<[^<>()]*>", "", head))
    before = head.split("(")[0]
    return "(" in head and "=" not in before.replace("operator==", "").replace("operator=", "")


def classes(text):
    """Every class and struct with a body, nested ones included; the text may be any C++ source."""
    text = DIRECTIVE.sub(lambda m: _spaces(m[0]), blank(text))
    for match in HEAD.finditer(text):
        open_brace = match.end() - 1
        body = text[open_brace + 1:_closing(text, open_brace)]
        access = match[1] == "struct"
        counts = {"public": 0, "methods": 0, "fields": 0}
        for member in _members(body):
            if ACCESS.match(member):
                access = member.strip().startswith("public")
            elif NO_MEMBER.match(member) or re.match(r"\s*(class|struct|enum|union)\b", member):
                continue
            elif _is_method(member):
                counts["methods"] += 1
                counts["public"] += access
            elif member.strip():
                counts["fields"] += 1
        yield Class(match[2], text.count("\n", 0, match.start()) + 1, counts["public"],
                    counts["methods"], counts["fields"])
