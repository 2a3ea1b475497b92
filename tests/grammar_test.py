#!/usr/bin/env python3
"""The grammar of docs/language.md is the parser's. Its blocks are read (```lexical: names of tokens and
their regular expressions; ```reserved: words; ```ebnf: productions), then

  - sentences made from the productions at random, each choice of each production at least once, are
    read by the parser;
  - the programs of examples, bench and tests/filetests can be derived where the parser reads them,
    and only there;
  - so it is for programs in which a token was dropped, exchanged, doubled or replaced, or a character
    was added; a short line for each choice loses each of its tokens in turn.

The parser's verdict is that of `sourir fmt --check --json`: it lists the files that it could read, and
reads again what it prints. The last line is `grammar: N choices, N programs, N wrong`.

usage: grammar_test.py [--sourir PATH] [--seed N] [--sentences N] [--mutants N] [--keep FOLDER]
"""
import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/language.md"
CORPUS = ("examples", "bench", "tests/filetests")
# (kind, value, begin, end): kind is a name of the lexical block, "word", "symbol", "bad" or NEWLINE.
Token = namedtuple("Token", "kind text begin end")
INT_RANGE = range(-2**63, 2**63)
LARGEST_MUTATED = 1500 # characters
LINES = 1000           # of which the shortest ones lose each of their tokens in turn
DEPTH = 14             # of a derivation before it takes the shortest way


# --- the blocks of the page ----------------------------------------------------------------------
def blocks(text, language):
    return "\n".join(re.findall(rf"(?m)^```{language}\n((?:.*\n)*?)```$", text))


class Lexicon:
    def __init__(self, page, words):
        self.tokens = {name: re.compile(pattern) for name, pattern in
                       (line.split(None, 1) for line in blocks(page, "lexical").splitlines() if line)}
        self.reserved = set(blocks(page, "reserved").split())
        symbols = sorted((w for w in words if not w[0].isalpha()), key=len, reverse=True)
        self.symbol = re.compile("|".join(map(re.escape, symbols)))
        if unknown := self.reserved - words:
            raise ValueError(f"no production has the reserved {', '.join(sorted(unknown))}")

    def tokenize(self, data):
        """The tokens of a file, or None where a line is no text."""
        try:
            text = data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            return None
        tokens, at = [], 0
        for line in text.split("\n"):
            found = list(self.tokens_of_line(line, at))
            at += len(line) + 1
            tokens += found + [Token("NEWLINE", "\n", at - 1, at)] if found else []
        return tokens

    def tokens_of_line(self, line, offset):
        at, after_operand = 0, False
        while at < len(line):
            token = self.token(line, at, after_operand)
            end = at + len(token.text)
            if token.kind not in ("blank", "comment"):
                yield token._replace(begin=offset + at, end=offset + end)
                after_operand = token.kind in ("NAME", "INT", "FLOAT", "STRING", "FUN") or \
                    token.text in (")", "]", "nil", "true", "false")
            at = end

    def token(self, line, at, after_operand):
        for name, pattern in self.tokens.items():
            match = pattern.match(line, at)
            if not match or (after_operand and match[0][0] == "-"):
                continue
            text = match[0]
            return Token(name if self.is_sound(name, text) else "bad", text, 0, 0) \
                if name != "NAME" or text not in self.reserved else Token("word", text, 0, 0)
        match = self.symbol.match(line, at)
        return Token("symbol", match[0], 0, 0) if match else Token("bad", line[at], 0, 0)

    def is_sound(self, name, text):
        if name == "INT":
            return int(text) in INT_RANGE
        if name == "FLOAT":
            return abs(float(text)) != float("inf")
        return name != "FUN" or text[1:] not in self.reserved


# --- EBNF: a node is (sort, ...) -----------------------------------------------------------------
#   ("alt", nodes)  ("seq", nodes)  ("opt", node)  ("rep", node)  ("text", "var")  ("name", "NAME")
class Ebnf:
    TOKEN = re.compile(r'\s*("[^"]+"|\w+|[=;|(){}\[\]])|\s*\(\*.*?\*\)')

    def __init__(self, text):
        self.tokens = [m[1] for m in self.TOKEN.finditer(text) if m[1]]
        if "".join(self.tokens) != re.sub(r"\(\*.*?\*\)|\s", "", text):
            raise ValueError("the EBNF has a character that it should not have")
        self.at, self.rules = 0, {}
        while self.at < len(self.tokens):
            name = self.take()
            if name in self.rules:
                raise ValueError(f"two productions of {name}")
            self.expect("=")
            self.rules[name] = self.alternatives()
            self.expect(";")

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, token):
        if (found := self.take()) != token:
            raise ValueError(f"EBNF: {token} expected, not {found}, near {self.tokens[self.at - 6:self.at]}")

    def alternatives(self):
        found = [self.sequence()]
        while self.tokens[self.at] == "|":
            self.at += 1
            found.append(self.sequence())
        return found[0] if len(found) == 1 else ("alt", tuple(found))

    def sequence(self):
        found = []
        while self.tokens[self.at] not in "|;)]}":
            found.append(self.item())
        return found[0] if len(found) == 1 else ("seq", tuple(found))

    def item(self):
        token = self.take()
        closing = {"(": ")", "[": "]", "{": "}"}.get(token)
        if closing is None:
            return ("text", token[1:-1]) if token[0] == '"' else ("name", token)
        inside = self.alternatives()
        self.expect(closing)
        return {"(": inside, "[": ("opt", inside), "{": ("rep", inside)}[token]


def parts(node):
    """The nodes directly inside."""
    return node[1] if node[0] in ("alt", "seq") else (node[1],) if node[0] in ("opt", "rep") else ()


def walk(node):
    yield node
    for part in parts(node):
        yield from walk(part)


class Grammar:
    def __init__(self, page):
        self.rules = Ebnf(blocks(page, "ebnf")).rules
        nodes = [n for rule in self.rules.values() for n in walk(rule)]
        self.words = {n[1] for n in nodes if n[0] == "text"}
        self.lexicon = Lexicon(page, self.words)
        known = {*self.rules, *self.lexicon.tokens, "NEWLINE"}
        if unknown := {n[1] for n in nodes if n[0] == "name"} - known:
            raise ValueError(f"no production of {', '.join(sorted(unknown))}")
        if unused := set(self.rules) - {n[1] for n in nodes if n[0] == "name"} - {"program"}:
            raise ValueError(f"nothing uses {', '.join(sorted(unused))}")
        self.height, self.starts, self.number = self.heights(), {}, {}
        for node in [("name", "program"), *nodes]:
            self.first(node)
        self.decisions = list(self.choices())

    def first(self, node):
        """The nodes of tokens with which it can begin, and whether it can be empty."""
        if node in self.starts:
            return self.starts[node]
        sort, tokens, empty = node[0], set(), node[0] in ("opt", "rep")
        if sort == "name" and node[1] in self.rules:
            tokens, empty = self.first(self.rules[node[1]])
        elif sort in ("text", "name"):
            tokens = {node}
        elif sort == "seq":
            for part in node[1]:
                begin, empty = self.first(part)
                tokens |= begin
                if not empty:
                    break
        else:
            found = [self.first(part) for part in parts(node)]
            tokens, empty = set().union(*(f[0] for f in found)), empty or any(f[1] for f in found)
        self.starts[node] = tokens, empty
        return tokens, empty

    def heights(self):
        """Of each node the least depth of what it derives."""
        height, changed = {}, True
        while changed:
            changed = False
            for name, rule in self.rules.items():
                for node in [*walk(rule), ("name", name)]:
                    new = self.height_of(node, height)
                    if new is not None and height.get(node) != new:
                        height[node], changed = new, True
        return height

    def height_of(self, node, height):
        sort = node[0]
        if sort in ("opt", "rep", "text") or (sort == "name" and node[1] not in self.rules):
            return 0
        if sort == "name":
            inside = height.get(self.rules[node[1]])
            return None if inside is None else inside + 1
        inside = [height.get(part) for part in node[1]]
        if sort == "alt":
            return min((h for h in inside if h is not None), default=None)
        return None if None in inside else max(inside, default=0)

    def choices(self):
        """What a derivation can decide: (rule, number of the node, which way)."""
        for name, rule in self.rules.items():
            for number, node in enumerate(walk(rule)):
                self.number[id(node)] = number
                ways = len(node[1]) if node[0] == "alt" else {"opt": 2, "rep": 3}.get(node[0], 0)
                yield from ((name, number, way) for way in range(ways))


# --- which texts can be derived ------------------------------------------------------------------
class Recogniser:
    """Follows all alternatives; where a rule can end, from each position, is computed once."""

    def __init__(self, grammar, tokens):
        self.rules, self.starts, self.known = grammar.rules, grammar.starts, {}
        self.tokens = [(("text", token.text), ("name", token.kind)) for token in tokens]

    def derives(self):
        return len(self.tokens) in self.ends(("name", "program"), 0)

    def ends(self, node, at):
        tokens, empty = self.starts[node]
        if not empty and (at == len(self.tokens) or tokens.isdisjoint(self.tokens[at])):
            return set()
        sort = node[0]
        if sort == "text" or (sort == "name" and node[1] not in self.rules):
            return {at + 1}
        if sort == "name":
            if (node[1], at) not in self.known:
                self.known[node[1], at] = self.ends(self.rules[node[1]], at)
            return self.known[node[1], at]
        if sort == "alt":
            return set().union(*(self.ends(part, at) for part in node[1]))
        if sort == "seq":
            found = {at}
            for part in node[1]:
                found = set().union(*(self.ends(part, p) for p in found))
                if not found:
                    break
            return found
        found, new = {at}, {at}
        while new:
            new = set().union(*(self.ends(node[1], p) for p in new)) - found
            found |= new
            if sort == "opt":
                break
        return found


def derives(grammar, data):
    tokens = grammar.lexicon.tokenize(data)
    if tokens is None or any(token.kind == "bad" for token in tokens):
        return False
    return Recogniser(grammar, tokens).derives()


# --- sentences -----------------------------------------------------------------------------------
WORDS = {"NAME": "a b x y1 _ L f g Loop main anon is when cont anchor with int float string fun bool".split(),
         "INT": "0 7 -1 42 -9223372036854775808 9223372036854775807".split(),
         "FLOAT": "0.5 -2.25 1e3 2E-7 1.5e+2 4.9e-324 1e-999".split(),
         "STRING": ['""', '"a b"', '"# \\" \\\\ \\n \\q"', '"é $(x)"'],
         "FUN": "'f 'g '_1 'is".split(),
         "NEWLINE": ["\n"]}


class Sentences:
    def __init__(self, grammar, seed):
        self.grammar, self.random = grammar, random.Random(seed)
        self.taken, self.taken_now = Counter(), set() # choices: of all sentences, of the last one

    def sentence(self, of="program"):
        """Tokens as texts."""
        out, self.taken_now = [], set()
        self.derive(("name", of), None, 0, out)
        return out

    def short_lines(self, count):
        """For each choice that lines make the shortest of `count` lines that makes it."""
        shortest = {}
        for _ in range(count):
            line = self.sentence("line")
            for choice in self.taken_now:
                shortest[choice] = min(shortest.get(choice, line), line, key=len)
        return sorted({tuple(line) for line in shortest.values()})

    def way(self, rule, node, ways, depth, costs):
        """A choice: the least taken ones more often; at the end the shortest."""
        number = self.grammar.number[id(node)]
        if depth > DEPTH:
            way = min(range(ways), key=lambda w: (costs[w], self.random.random()))
        elif self.random.random() < 0.3:
            way = min(range(ways), key=lambda w: (self.taken[rule, number, w], self.random.random()))
        else:
            way = self.random.randrange(ways)
        self.taken[rule, number, way] += 1
        self.taken_now.add((rule, number, way))
        return way

    def derive(self, node, rule, depth, out):
        sort = node[0]
        if sort == "text":
            out.append(node[1])
        elif sort == "name" and node[1] not in self.grammar.rules:
            out.append(self.random.choice(WORDS[node[1]]))
        elif sort == "name":
            self.derive(self.grammar.rules[node[1]], node[1], depth + 1, out)
        elif sort == "seq":
            for part in node[1]:
                self.derive(part, rule, depth, out)
        elif sort == "alt":
            costs = [self.grammar.height[part] for part in node[1]]
            self.derive(node[1][self.way(rule, node, len(costs), depth, costs)], rule, depth, out)
        else:
            ways = 2 if sort == "opt" else 3
            times = self.way(rule, node, ways, depth, range(ways))
            for _ in range(times if times < 2 else self.random.randint(2, 4)):
                self.derive(node[1], rule, depth + 1, out)

    def text(self, tokens):
        """Tokens with and without blanks between them, with comments and blank lines."""
        lines, line = [], []
        for token in tokens:
            if token != "\n":
                line.append(token)
                continue
            lines.append(self.line(line) + self.random.choice(["", "", "", "  # a (comment", "\r"]))
            lines += self.random.choice([[], [], [], [""], ["# alone"], ["\t"]])
            line = []
        return "\n".join(lines) + self.random.choice(["", "\n"])

    def line(self, tokens):
        text = self.random.choice(["", "  ", "\t"])
        for k, token in enumerate(tokens):
            tight = text + token
            read = list(self.grammar.lexicon.tokens_of_line(tight, 0))
            fits = [t.text for t in read] == tokens[:k + 1] and all(t.kind != "bad" for t in read)
            text = tight if fits and self.random.random() < 0.4 else f"{text} {token}"
        return text


# --- programs with a mistake ---------------------------------------------------------------------
def mutated(rng, grammar, text):
    """The text with one token dropped, exchanged with another one, doubled or replaced, or with a
    character more."""
    tokens = grammar.lexicon.tokenize(text.encode())
    if not tokens:
        return text
    at = rng.randrange(len(tokens))
    first = tokens[at]
    what = rng.choice(["drop", "next", "any", "double", "replace", "character"])
    if what == "character":
        place = rng.randint(first.begin, first.end)
        return text[:place] + rng.choice("'\"\\.-0e_#$&|<=>!\n\r\u2190\u00e9 {}(),") + text[place:]
    if what in ("next", "any") and len(tokens) > 1:
        other = tokens[at + 1 if what == "next" and at + 1 < len(tokens) else rng.randrange(len(tokens))]
        first, other = sorted((first, other), key=lambda t: t.begin)
        if first == other:
            return text
        return (text[:first.begin] + other.text + text[first.end:other.begin] + first.text
                + text[other.end:])
    words = [*sorted(grammar.lexicon.reserved), *"$ > : ( ) [ ] { } , . ... = <- + - ! is with x 1 -1 'f".split()]
    new = {"drop": "", "double": f"{first.text} {first.text}"}.get(what, f" {rng.choice(words)} ")
    return text[:first.begin] + new + text[first.end:]


# --- the parser ----------------------------------------------------------------------------------
def read_by_parser(options, programs):
    """Of a list of programs as bytes the set of the numbers of those that the parser can read."""
    with tempfile.TemporaryDirectory(prefix="grammar-") as temporary:
        folder = Path(options.keep or temporary)
        names = [f"{k}.sou" for k in range(len(programs))]
        for name, program in zip(names, programs):
            (folder / name).write_bytes(program)
        done = subprocess.run([options.sourir, "fmt", "--check", "--json", *names], cwd=folder,
                              capture_output=True, timeout=300)
        reported = done.stderr.decode("utf-8", "replace")
        if done.returncode not in (0, 1, 65):
            raise ValueError(f"sourir fmt: exit {done.returncode}\n{reported[-3000:]}")
        return {int(f["file"].removesuffix(".sou")) for f in json.loads(done.stdout)["files"]}


def corpus():
    return [path.read_bytes() for folder in CORPUS for path in sorted((ROOT / folder).rglob("*.sou"))]


def programs_of(options, grammar):
    """(what, program) pairs, and the choices that no sentence takes."""
    sentences = Sentences(grammar, options.seed)
    rng = random.Random(options.seed)
    made = [sentences.text(sentences.sentence()) for _ in range(options.sentences)]
    found = corpus()
    small = [text for text in made if len(text) < LARGEST_MUTATED]
    small += [text.decode() for text in found if len(text) < LARGEST_MUTATED and derives(grammar, text)]
    lacking = [line[:k] + line[k + 1:] for line in sentences.short_lines(LINES) for k in range(len(line) + 1)]
    words = sorted(w for w in grammar.words if w[0].isalpha())
    changed = [" ".join(line) for line in lacking] + [f"var {word} = 1" for word in words]
    changed += [mutated(rng, grammar, rng.choice(small)) for _ in range(options.mutants)]
    pairs = [("a sentence", text.encode()) for text in made] + [("a program", text) for text in found]
    pairs += [("a changed program", text.encode()) for text in changed]
    return pairs, [choice for choice in grammar.decisions if not sentences.taken[choice]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sourir", default="build/bin/sourir", type=lambda p: str(Path(p).resolve()))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--keep", metavar="FOLDER", help="write the programs there, and leave them")
    parser.add_argument("--page", type=Path, default=PAGE, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.setrecursionlimit(20000)
    grammar = Grammar(options.page.read_text(encoding="utf-8"))
    pairs, never = programs_of(options, grammar)
    wrong = len(never)
    for rule, number, way in never:
        print(f"no sentence takes way {way} of part {number} of {rule}")
    read, derived = read_by_parser(options, [text for _, text in pairs]), 0
    for number, (what, text) in enumerate(pairs):
        fits = derives(grammar, text)
        derived += fits
        if fits == (number in read) and (fits or what != "a sentence"):
            continue
        wrong += 1
        verdict = f"the parser {'reads' if number in read else 'rejects'} it, the grammar " \
            f"{'derives' if fits else 'does not derive'} it"
        print(f"{what} ({number}.sou): {verdict}\n" + text.decode("utf-8", "replace")[:1500])
    print(f"grammar: {len(grammar.decisions)} choices, {len(pairs)} programs ({derived} derived), {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
