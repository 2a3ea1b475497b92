#!/usr/bin/env python3
"""Each rule of lint.py can fail, and clean files pass."""
import shutil
import tempfile
import unittest
from pathlib import Path

import lint
from cpp_text import functions


def problems_of(files, exceptions=None):
    """The (path, rule) pairs reported for a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        problems, _ = lint.lint(Path(folder), exceptions or {})
        return [(p.path, p.rule) for p in problems]


def body(lines):
    return "int f() {\n" + "  g();\n" * (lines - 2) + "}\n"


TYPE = "namespace sourir {\n\nstruct A {\n  int x;\n};\n\n} // namespace sourir\n"
NESTED = TYPE.replace("struct A", "namespace code {\nstruct A").replace(
    "};\n", "};\n} // namespace code\n")


# (what, path, text, rule)
MUST_FAIL = [
    ("syntax includes semantics", "sourir/syntax/a.h",
     '#include "sourir/semantics/value.h"\n', "include"),
    ("semantics includes analysis", "sourir/semantics/a.cpp",
     '#include "sourir/analysis/cfg.h"\n', "include"),
    ("analysis includes step", "sourir/analysis/a.cpp",
     '#include "sourir/semantics/step.h"\n', "include"),
    ("passes include bisim", "sourir/passes/a.cpp", '#include "sourir/bisim/trace.h"\n', "include"),
    ("bisim includes passes", "sourir/bisim/a.cpp", '#include "sourir/passes/pass.h"\n', "include"),
    ("profiler includes native", "profiler/a.cpp", '#include "native/runtime/heap.h"\n', "include"),
    ("native includes passes", "native/runtime/a.cpp",
     '#include "sourir/passes/pass.h"\n', "include"),
    ("library includes cli", "sourir/bisim/a.cpp", '#include "sourir/cli/run.h"\n', "include"),
    ("cli includes tests", "sourir/cli/a.cpp", '#include "tests/unit/a.h"\n', "include"),
    ("tests include cli", "tests/unit/a.cpp", '#include "sourir/cli/run.h"\n', "include"),
    ("relative include", "sourir/syntax/a.cpp", '#include "ast.h"\n', "include"),
    ("CLI11 in a library", "sourir/syntax/a.cpp", "#include <CLI/CLI.hpp>\n", "outside"),
    ("CLI11 in a header", "sourir/cli/a.h", "#include <CLI/CLI.hpp>\n", "outside"),
    ("Boost in a header", "sourir/analysis/a.h",
     "#include <boost/graph/adjacency_list.hpp>\n", "outside"),
    ("Boost in passes", "sourir/passes/a.cpp", "#include <boost/optional.hpp>\n", "outside"),
    ("LLVM in a header", "native/llvm_lowering/a.h", "#include <llvm/IR/Module.h>\n", "outside"),
    ("LLVM in runtime", "native/runtime/a.cpp", "#include <llvm/IR/Module.h>\n", "outside"),
    ("RapidCheck in bisim", "sourir/bisim/a.cpp", "#include <rapidcheck.h>\n", "outside"),
    ("GoogleTest in a library", "sourir/syntax/a.cpp", "#include <gtest/gtest.h>\n", "outside"),
    ("Benchmark in tests", "tests/unit/a.cpp", "#include <benchmark/benchmark.h>\n", "outside"),
    ("ncurses in a library", "sourir/bisim/a.cpp", "#include <ncurses.h>\n", "outside"),
    ("long file", "sourir/syntax/a.cpp", "int a;\n" * 801, "file-size"),
    ("long script", "tests/a.py", "a = 1\n" * 801, "file-size"),
    ("long function", "sourir/syntax/a.cpp", body(61), "function-size"),
    ("vague name", "sourir/syntax/utils.h", "", "name"),
    ("vague ending", "sourir/syntax/string_helpers.cpp", "", "name"),
    ("macro", "sourir/syntax/a.h", "#pragma once\n#define RULE(x) x\n", "macro"),
    ("macro behind a guard", "sourir/syntax/a.h",
     "#ifndef A_H\n#define A_H\n#define B 1\n#endif\n", "macro"),
    ("getenv", "sourir/bisim/a.cpp", 'auto x = std::getenv("HOME");\n', "getenv"),
    ("getenv in tests", "tests/unit/a.cpp", 'auto x = getenv("HOME");\n', "getenv"),
    ("cout", "sourir/syntax/a.cpp", "void f() { std::cout << 1; }\n", "output"),
    ("cerr", "native/runtime/a.cpp", "void f() { std::cerr << 1; }\n", "output"),
    ("printf", "profiler/a.cpp", 'void f() { printf("x"); }\n', "output"),
    ("fprintf", "sourir/passes/a.cpp", 'void f() { std::fprintf(stderr, "x"); }\n', "output"),
    ("fmt::print", "sourir/passes/a.cpp", 'void f() { fmt::print("x"); }\n', "output"),
    ("std::exit", "sourir/syntax/a.cpp", "void f() { std::exit(1); }\n", "output"),
    ("::exit", "sourir/syntax/a.cpp", "void f() { ::exit(1); }\n", "output"),
    ("exit", "sourir/syntax/a.cpp", "void f() {\n  exit(1);\n}\n", "output"),
    ("exit with a name", "sourir/syntax/a.cpp", "void f() {\n  exit(EXIT_FAILURE);\n}\n", "output"),
    ("seeded bug", "sourir/passes/a.cpp", "bool f() { return mutant(3); }\n", "seeded-bug"),
    ("build with seeded bugs", "native/deopt/a.cpp", "#ifdef SOURIR_MUTANTS\n#endif\n", "seeded-bug"),
    ("large class", "sourir/syntax/a.h",
     "#pragma once\nclass A {\npublic:\n" + "  int f(int x) const;\n" * 31 + "};\n", "class-size"),
    ("throw", "sourir/passes/core/a.cpp", "void f() { throw 1; }\n", "pure"),
    ("try", "sourir/fuzz/a.cpp", "void f() {\n  try {\n    g();\n  } catch (int) {\n  }\n}\n",
     "pure"),
    ("thread", "sourir/bisim/a.h", "#pragma once\nextern std::thread t;\n", "pure"),
    ("file", "sourir/stepper/a.h", "#pragma once\nextern std::ofstream f;\n", "pure"),
    ("deopt includes engine", "native/deopt/a.h", '#include "native/engine/run.h"\n', "include"),
    ("fuzz includes processes", "sourir/fuzz/a.cpp", '#include "sourir/os/forked.h"\n', "include"),
]

# (what, path, text)
MUST_PASS = [
    ("own folder", "sourir/semantics/a.cpp", '#include "sourir/semantics/step.h"\n'),
    ("table", "sourir/passes/a.cpp",
     '#include "sourir/analysis/cfg.h"\n#include "sourir/semantics/primop.h"\n'),
    ("cli sees libraries", "sourir/cli/a.cpp",
     '#include "native/runtime/heap.h"\n#include <CLI/CLI.hpp>\n'),
    ("tests see libraries", "tests/unit/a.cpp",
     '#include "sourir/passes/pass.h"\n#include <gtest/gtest.h>\n'),
    ("Boost at home", "sourir/analysis/a.cpp", "#include <boost/graph/adjacency_list.hpp>\n"),
    ("LLVM at home", "native/llvm_lowering/a.cpp", "#include <llvm/IR/Module.h>\n"),
    ("include in a comment", "sourir/syntax/a.cpp", '// #include "sourir/cli/run.h"\n'),
    ("guard", "sourir/syntax/a.h", "#ifndef A_H\n#define A_H\n#endif\n"),
    ("macro in a string", "sourir/syntax/a.cpp", 'auto s = R"(\n#define X 1\n)";\n'),
    ("60 lines", "sourir/syntax/a.cpp", body(60)),
    ("400 lines", "tests/a.py", "a = 1\n" * 400),
    ("words in comments and strings", "sourir/syntax/a.cpp",
     '// std::cout, getenv(\nauto s = "printf(1)";\n'),
    ("an exit of ours", "sourir/syntax/a.cpp",
     "Frame S::exit(int n);\n  exit(out.exit);\n"
     "auto x = a.exit(1);\nauto b = snprintf(p, 1, q);\n"),
    ("cli prints", "sourir/cli/a.cpp", 'void f() { std::cout << getenv("NO_COLOR"); }\n'),
    ("a common thing", "sourir/analysis/common_domain.cpp", ""),
]

FUNCTIONS = """
namespace a {
struct S : B<(1 > 0)> {
  S(int n) : x{n}, y{1} {
    g();
  }
  bool operator==(const S&) const = default;
  int x{1}, y = {2};
};
constexpr Row table[] = {
    {1, [](int i) { return i; }},
    {2, nullptr},
};
enum class E { a, b };
template <class T, class U = std::vector<int>>
  requires requires(T t) { t.x; }
auto long_name(T t, const char* text = "}{", char c = '{', S s = {})
    -> std::optional<int> {
  auto f = [&] {
    return t;
  };
  if (x) {
    return 1'000;  // }
  }
}
#define X {
extern "C" int c_function(int) {
  return R"x(}}})x";
}
}  // namespace a
TEST(A, b) {}
const auto lambda = [](int x) {
  return x;
};
"""


class LintTest(unittest.TestCase):
    def test_twins(self):
        twins = problems_of({"sourir/cli/a.h": TYPE, "sourir/bisim/b.h": TYPE})
        self.assertIn("twin", [rule for _, rule in twins])
        apart = problems_of({"sourir/cli/a.h": TYPE, "sourir/semantics/b.h": NESTED})
        self.assertNotIn("twin", [rule for _, rule in apart])

    def test_locals(self):
        space = "namespace sourir {\nnamespace {\n%s\n} // namespace\n} // namespace sourir\n"
        for one, other in (("constexpr int kA = 1, kB = 2;", "constexpr std::size_t kA = 3;"),
                           ("struct A {};", "struct A { int b; };"),
                           ("int f(int a) { return a; }", "bool f(int a) { return true; }")):
            with self.subTest(one):
                both = {"sourir/syntax/a.cpp": space % one, "sourir/syntax/b.cpp": space % other}
                self.assertEqual(problems_of(both), [("sourir/syntax/b.cpp", "local")])
                apart = {"sourir/syntax/a.cpp": space % one, "sourir/bisim/b.cpp": space % other}
                self.assertEqual(problems_of(apart), [])
        overloads = {"sourir/syntax/a.cpp": space % "int f(int a) { return a; }",
                     "sourir/syntax/b.cpp": space % "int f(bool a) { return a; }"}
        self.assertEqual(problems_of(overloads), [])

    def test_hidden_types(self):
        header = "#ifndef A\n#define A\nnamespace sourir {\nstruct Fact {\n  int a;\n};\n}\n#endif\n"
        source = "namespace sourir {\nnamespace {\nstruct Fact {};\n} // namespace\n} // namespace sourir\n"
        for path, found in (("sourir/passes/b.cpp", [("sourir/passes/b.cpp", "hidden-type")]),
                            ("sourir/syntax/b.cpp", [])): # may not include the header
            self.assertEqual(problems_of({"sourir/analysis/a.h": header, path: source}), found)

    def test_each_rule_fails(self):
        for what, path, text, rule in MUST_FAIL:
            with self.subTest(what):
                self.assertIn((path, rule), problems_of({path: text}))

    def test_clean_files_pass(self):
        for what, path, text in MUST_PASS:
            with self.subTest(what):
                self.assertEqual(problems_of({path: text}), [])

    def test_cli11_in_two_sources(self):
        text = "#include <CLI/CLI.hpp>\n"
        found = problems_of({"sourir/cli/a.cpp": text, "sourir/cli/b.cpp": text})
        self.assertEqual(found, [("sourir/cli/b.cpp", "outside")])

    def test_cycles(self):
        a, b = "sourir/passes/core/a.h", "sourir/passes/core/b.h"
        found = problems_of({a: f'#include "{b}"\n', b: f'#include "{a}"\n'})
        self.assertEqual(found, [(a, "cycle")])
        c = "sourir/passes/scalar/c.h"
        found = problems_of({a: f'#include "{c}"\n', c: "", b: "",
                             "sourir/passes/scalar/d.cpp": f'#include "{b}"\n'})
        self.assertEqual(found, [("sourir/passes/core", "cycle")])
        self.assertEqual(problems_of({a: f'#include "{b}"\n', b: f'#include "{c}"\n', c: ""}), [])

    def test_folders(self):
        files = {f"sourir/syntax/a{n}.h": "" for n in range(61)}
        self.assertEqual(problems_of(files), [("sourir/syntax", "folder-size")])

    def test_citations(self):
        with tempfile.TemporaryDirectory() as folder:
            text = "// See sourir/syntax/b.h, sourir/syntax/script.h, gone.md and here.md.\n"
            Path(folder, "sourir/syntax").mkdir(parents=True)
            Path(folder, "sourir/syntax/script.py").write_text("", encoding="utf-8") # makes the header
            Path(folder, "here.md").write_text(
                "As docs/gone.md says.\n`sourir/syntax/made.h`:\n\n```cpp\n// sourir/syntax/made.h\n```\n",
                encoding="utf-8")
            problems = lint.check_citations(Path(folder), {"sourir/syntax/a.h": text})
            self.assertEqual(sorted((p.path, p.message) for p in problems),
                             [("here.md", "there is no file docs/gone.md"),
                              ("sourir/syntax/a.h", "there is no file sourir/syntax/b.h"),
                              ("sourir/syntax/a.h", "there is no page gone.md")])

    @unittest.skipUnless(shutil.which("pyflakes3"), "pyflakes3 is not installed")
    def test_scripts(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "bench").mkdir()
            Path(folder, "bench/fine.py").write_text("import sys\nprint(sys.path)\n", encoding="utf-8")
            self.assertEqual(list(lint.check_scripts(Path(folder))), [])
            Path(folder, "bench/wrong.py").write_text("import sys\nprint(gone())\n", encoding="utf-8")
            Path(folder, "bench/worse.py").write_text("def f(:\n", encoding="utf-8")
            found = sorted((p.path, p.line) for p in lint.check_scripts(Path(folder)))
            self.assertEqual(found, [("bench/worse.py", 1), ("bench/wrong.py", 1), ("bench/wrong.py", 2)])

    def test_exceptions_excuse_and_go_stale(self):
        exceptions = {("macro", "sourir/syntax/a.h"): "for this test"}
        self.assertEqual(problems_of({"sourir/syntax/a.h": "#define X 1\n"}, exceptions), [])
        found = problems_of({"sourir/syntax/a.h": ""}, exceptions)
        self.assertEqual(found, [("sourir/syntax/a.h", "exception")])

    def test_functions_are_found(self):
        found = [(name, last - first + 1) for name, first, last in functions(FUNCTIONS)]
        expected = [("S", 3), ("requires", 2), ("long_name", 9), ("c_function", 3), ("TEST", 1),
                    ("lambda", 3)]
        self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main()
