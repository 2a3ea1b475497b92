// Contexts by example; tests/property/context_laws_test.cpp has their laws.
#include "sourir/syntax/context.h"

#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sourir {
namespace {

// Contexts of a function with ten parameters: x, y, a to g, and z, the last.
class ContextText : public ::testing::Test {
protected:
  ContextText() {
    for (const char* name : {"x", "y", "a", "b", "c", "d", "e", "f", "g", "z"})
      parameters_.push_back(names_.intern<Var>(name));
  }

  // "(x is int), (y != nil)"
  Context context(std::string_view text) {
    Context all;
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t to = std::min(text.find(", ", from), text.size());
      all.add_guard(parameters_, *parse_expr(text.substr(from, to - from), names_));
      from = to + 2;
    }
    return all;
  }
  std::string text(const Context& c) {
    const auto guards = c.guards(parameters_);
    if (!guards) return "no guards";
    std::string out;
    for (const Expr& g : *guards) out.append(out.empty() ? "" : ", ").append(print(g, names_));
    return out;
  }
  std::string normal(std::string_view guards) { return text(context(guards)); }
  bool entailed(std::string_view a, std::string_view b) { return entails(context(a), context(b)); }

  Names names_;
  std::vector<Var> parameters_;
};

TEST_F(ContextText, NormalForm) {
  EXPECT_EQ(normal(""), "");
  EXPECT_EQ(normal("true, (x is int), (x is int)"), "(x is int)");
  EXPECT_EQ(normal("(3 == x), (x is int)"), "(x == 3)");
  EXPECT_EQ(normal("x, (!y)"), "(x == true), (y == false)");
  EXPECT_EQ(normal("(x && y)"), "(x == true), (y == true)");
  EXPECT_EQ(normal("(x == -0.0)"), "(x == 0.0)");
  EXPECT_EQ(normal("(x == nil)"), "(x is nil)");
  EXPECT_EQ(normal("(a is int[]), (a is array)"), "(a is int[])");
  EXPECT_EQ(normal("(a is int[]), (a is float[])"), "(a is bool[]), (a is int[]), (a is float[])");
  EXPECT_EQ(normal("(x is nil), (y != x)"), "(x is nil), (y != nil)");
  EXPECT_EQ(normal("(x == true), (y is bool), (x != y)"), "(x == true), (y == false)");
}

TEST_F(ContextText, ContradictionsAreOneContext) {
  for (const char* never :
       {"false", "3", "(x is int), (x is nil)", "(x == 3), (x == 4)", "(x == 3), (x is float)",
        "(a is int[]), (a is nil)", "(x == 7), (y == 7), (x != y)", "(x != y), x, y"})
    EXPECT_EQ(context(never), Context::never()) << never;
  EXPECT_EQ(text(Context::never()), "false");
}

TEST_F(ContextText, Entailment) {
  EXPECT_TRUE(entailed("(x == 3)", "(x is int), (x != nil)"));
  EXPECT_FALSE(entailed("(x is int)", "(x == 3)"));
  EXPECT_FALSE(entailed("(x == 3)", "(x == 4)"));
  EXPECT_TRUE(entailed("(x is int), (y is string)", "(x != y)"));
  EXPECT_TRUE(entailed("(x == 3), (y == 4)", "(x != y)"));
  EXPECT_TRUE(entailed("(a is int[]), (b is array), (a != b)", "(a != b)"));
  EXPECT_FALSE(entailed("(a is int[]), (b is float[])", "(a != b)")) << "both may be empty";
}

TEST_F(ContextText, OtherGuardsAreOpaque) {
  for (const char* opaque : {"(x < 3)", "(x == y)", "(x != x)", "(x != 3)", "a[0]", "(z is int)"}) {
    EXPECT_EQ(context(opaque).opaque().size(), 1U) << opaque;
    EXPECT_EQ(normal(opaque), opaque);
    EXPECT_TRUE(entailed("(y is int), " + std::string(opaque), opaque));
    EXPECT_FALSE(entailed("(y is int)", opaque));
  }
  EXPECT_FALSE(entailed("(x == 2)", "(x < 3)"));
}

TEST_F(ContextText, SomeSetsOfTypesHaveNoGuards) {
  Context numbers;
  numbers.add_types(0, kNumbers);
  EXPECT_EQ(text(numbers), "no guards");
  EXPECT_TRUE(entails(context("(x is int)"), numbers));
  EXPECT_FALSE(entails(numbers, context("(x is int)")));
  EXPECT_EQ(numbers & context("(x is int)"), context("(x is int)"));
  EXPECT_TRUE((numbers & context("(x is nil)")).is_never());
  EXPECT_TRUE(comes_before(context("(x is int)"), numbers));
}

} // namespace
} // namespace sourir
