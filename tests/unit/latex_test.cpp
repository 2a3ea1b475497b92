// The LaTeX form: the paper's notation, with texts of programs escaped.
#include "sourir/syntax/text/latex.h"
#include "sourir/syntax/text/parser.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sourir {
namespace {

std::string latex(const std::string& text, bool standalone = false) {
  Names names;
  Diagnostics problems;
  const Parsed parsed = parse(Source("t.sou", text), names, problems);
  EXPECT_FALSE(problems.has_errors());
  return to_latex(parsed.program, names, standalone);
}

// The lines after the macros.
std::string body(const std::string& text) {
  const std::string all = latex(text);
  const std::string last_macro = "\\raggedright\n";
  const auto begin = all.find(last_macro) + last_macro.size();
  return all.substr(begin, all.rfind("\\endgroup") - begin);
}

TEST(Latex, ShowsThePapersNotation) {
  EXPECT_EQ(
      body("function size(var x)\nversion Vo\nL1: assume [(x != nil)] else (size, Vb, L2) "
           "[var x = x], (main, Vb, Lret) [var s = $, var pl = pl]\n"
           "  branch (x == 0) $La $Lb\n$La: var y = -1\n  y <- (x + 1)\n"),
      "\\sourirfunction{\\textit{size} (\\textit{x})}\n"
      "\\sourirversion{\\textit{Vo}}\n"
      "\\sourirline{\\textit{L1}}{\\textbf{assume} \\textit{x} $\\neq$ nil \\textbf{else} "
      "\\textit{size}.\\textit{Vb}.\\textit{L2} [\\textit{x} = \\textit{x}] "
      "\\textit{main}.\\textit{Vb}.\\textit{Lret} \\textit{s} [\\textit{pl} = \\textit{pl}]}\n"
      "\\sourirline{}{\\textbf{branch} \\textit{x} $=$ 0 \\textit{La} \\textit{Lb}}\n"
      "\\sourirline{\\textit{La}}{\\textbf{var} \\textit{y} = $-$1}\n"
      "\\sourirline{}{\\textit{y} $\\leftarrow$ \\textit{x} $+$ 1}\n");
}

TEST(Latex, ShowsBlocksCommentsAndScopes) {
  EXPECT_EQ(body("# 100%\nfunction main()\nversion v # first\na: # label\nb: {x, ...} anchor else "
                 "(main, v, a) [] with {\n# c\narray t[3] # d\n}\n"),
            "\\sourirnote{0}{\\textsl{\\# 100\\%}}\n"
            "\\sourirfunction{\\textit{main} ()}\n"
            "\\sourirversion{\\textit{v}\\quad \\textsl{\\# first}}\n"
            "\\sourirline{\\textit{a}}{\\quad \\textsl{\\# label}}\n"
            "\\sourirline{\\textit{b}}{\\{\\textit{x}, \\dots\\} \\textbf{anchor} \\textbf{else} "
            "\\textit{main}.\\textit{v}.\\textit{a} [] \\textbf{with} \\{}\n"
            "\\sourirline{}{\\quad \\textsl{\\# c}}\n"
            "\\sourirline{}{\\quad \\textbf{array} \\textit{t}[3]\\quad \\textsl{\\# d}}\n"
            "\\sourirline{}{\\}}\n");
}

TEST(Latex, EscapesEverything) {
  EXPECT_EQ(latex_text(R"(\{}$&#_%)"), R"(\textbackslash{}\{\}\$\&\#\_\%)");
  EXPECT_EQ(latex_text("a--b<>^~"), "a-{}-{}b$<$$>$\\textasciicircum{}\\textasciitilde{}");
  EXPECT_EQ(latex_text("é≠漢😀"), "\\'e$\\neq$\\texttt{U+6F22}\\texttt{U+1F600}");
  EXPECT_EQ(latex_text(std::string("\x01\x7f\0", 3)),
            "\\texttt{U+0001}\\texttt{U+007F}\\texttt{U+0000}");
  EXPECT_EQ(latex_text("\xe6\xbc"), "\\texttt{U+6F00}"); // cut off: no crash
  for (int c = 0; c < 256; ++c) {
    const std::string text = latex_text(std::string(1, static_cast<char>(c)));
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char b) { return b >= ' ' && b < 127; }));
    EXPECT_EQ(std::count(text.begin(), text.end(), '$') % 2, c == '$' ? 1 : 0);
  }
}

TEST(Latex, StandaloneIsADocument) {
  const std::string document = latex("print \"a_b\" # \\end{document}\n", true);
  EXPECT_TRUE(document.starts_with("\\documentclass{article}"));
  EXPECT_TRUE(document.ends_with("\\endgroup\n\\end{document}\n"));
  EXPECT_EQ(document.find("\\end{document}"), document.size() - 15);
  EXPECT_NE(document.find("\\texttt{\\texttt{\\char34}a\\_b\\texttt{\\char34}}"),
            std::string::npos);
}

} // namespace
} // namespace sourir
